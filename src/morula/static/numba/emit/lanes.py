"""The tangent function along several directions at once: values once, tangents in the lanes of vectors."""

from typing import Any

from numba import get_num_threads
from numba.core import types

from morula.static import ir
from morula.static.front.operands import dtype_text
from morula.static.ir import Loop, Op, Value
from morula.static.numba.array_rules.products import dot_tangent
from morula.static.numba.emit.products import of_complex, test_of
from morula.static.numba.emit.tangent import Tangent
from morula.static.numba.emit.text import operand_text
from morula.static.unsupported import Unsupported

FEW_THREADS = 4  # so many are no faster with one direction each than one with all of them


class LaneTangent(Tangent):
    """As `Tangent`, where the tangent of a number is a vector, and that of an array has an axis more for its lanes.

    That of a complex number is two vectors, for real and imaginary parts, and that of an array of them has two axes
    more. Vectors hold doubles, whatever the precision of the numbers.
    """

    width = 8

    def none(self, t: Any) -> str:
        """The tangents of a number of a type, or of those in an array, that does not depend on anything."""
        return f"no_complex_lanes({self.width})" if is_complex(t) else f"no_lanes({self.width})"

    def axes(self, array: Any) -> tuple[int, ...]:
        """The axes more that the tangents of an array have."""
        return (2, self.width) if is_complex(array.type) else (self.width,)

    def dot(self, v: Any) -> str:
        t = v.type
        if not isinstance(t.dtype if isinstance(t, types.Array) else t, types.Float | types.Complex):
            raise Unsupported(f"lanes of {t}")
        return super().dot(v)

    def zeros_like(self, array: Any) -> str:
        return f"np.zeros({array.name}.shape + {self.axes(array)})"

    def nothing(self, t: types.Type) -> str:
        return self.none(t)

    def unknown(self, target: Value) -> str:
        if not ir.is_array(target):
            return self.none(target.type)
        return f"np.empty({(0,) * target.type.ndim + self.axes(target)})"

    def may_run_parallel(self, loop: Loop) -> bool:
        if super().may_run_parallel(loop) and get_num_threads() > FEW_THREADS:
            raise Unsupported("lanes in a parallel loop")
        return False

    def assignments(self, target: Value, source: Any) -> Any:
        found = super().assignments(target, source)
        if not ir.is_array(target) and self.activity.is_active(target) and self.activity.is_active(source):
            found[-1] = (found[-1][0], self.converted(source, target.type))
        return found

    # -- numbers --------------------------------------------------------------------------------------------------

    def as_complex(self, t: types.Type, dot: str) -> str:
        return f"complex_lanes({dot})"

    def converted(self, v: Any, t: Any) -> str:
        """The tangents of a number, as those of one of another type."""
        return self.as_complex(t, self.dot(v)) if is_complex(t) and not is_complex(v.type) else self.dot(v)

    def term(self, s: Op, place: int, partial: str, dot: str) -> str:
        x: Any = s.args[place]
        t = s.out.type
        if partial.startswith("select"):
            test, dot = operand_text(s.args[0]), self.converted(x, t)
            return (
                f"({dot} if {test} else {self.none(t)})"
                if partial.endswith("1")
                else f"({self.none(t)} if {test} else {dot})"
            )
        if is_complex(t) or any(is_complex(getattr(y, "type", None)) for y in s.args):
            return self.complex_term(s, place, partial, dot)
        if (condition := test_of(s, partial)) is not None:
            return f"({dot} if {condition} else {self.none(t)})"
        text = super().term(s, place, partial, dot)
        return f"lanes_{text}" if text.startswith("times(") else text

    def complex_term(self, s: Op, place: int, partial: str, dot: str) -> str:
        """As `tangent_products` has it."""
        x: Any = s.args[place]
        if partial == "imag":
            return f"imag_lanes({dot})" if is_complex(x.type) else self.none(s.out.type)
        if partial in ("1", "-1"):
            text = f"{partial[:-1]}{dot}"
        elif partial == "conj":
            return f"conj_lanes({dot})" if is_complex(x.type) else dot
        else:
            by = f"np.conj(unit({operand_text(x)}))" if partial.startswith("sign(") else of_complex(s, place)
            text = f"({dot} * ({by}))"
        return text if is_complex(s.out.type) else f"real_lanes({text})"

    # -- arrays ---------------------------------------------------------------------------------------------------

    def place(self, array: Value, index: list[Any]) -> str:
        parts = [self.texts.index(x) for x in index]
        return f"{self.dot(array)}, ({', '.join(parts)}{',' if len(parts) == 1 else ''})"

    def lanes_at(self, array: Value, index: list[Any]) -> str:
        return f"{'complex_' * is_complex(array.type)}lanes_at({self.place(array, index)}, {self.width})"

    def mirrored(self, s: Op) -> str:
        if s.kind == "load":
            array: Any = s.args[0]
            text = self.lanes_at(array, s.args[1:])
            if s.attr == "guarded":
                return f"({text} if {self.texts.in_bounds(array.name, s.args[1:])} else {self.none(array.type)})"
            return text
        if s.kind == "view":
            return self.view(s)
        more = ", ".join(map(str, self.axes(s.out)))
        rank = len(s.args) + len(self.axes(s.out)) - 1
        if s.kind in ("fit", "resized") and rank <= 3:
            how = "fit" if s.kind == "fit" else s.attr.rstrip("0123456789")
            sizes = ", ".join([operand_text(x) for x in s.args[1:]])
            return f"{how}{rank}({self.dot(s.args[0])}, {sizes}, {more})"
        if s.kind == "new":
            sizes = "".join([f"{operand_text(x)}, " for x in s.args])
            return f"np.{'empty' if s.attr[0] == 'empty' else 'zeros'}(({sizes}{more}))"
        if s.kind in ("constant", "constant_call"):
            return self.zeros_like(s.out)
        raise Unsupported(f"lanes of {s.kind}")

    def view(self, s: Op) -> str:
        array: Any = s.args[0]
        name, n, more = self.dot(array), array.type.ndim, len(self.axes(array))
        how, template = s.attr
        if how in ("T", "axes"):
            axes = range(n)[::-1] if how == "T" else template
            return f"np.transpose({name}, {(*[a % n for a in axes], *range(n, n + more))})"
        if how in ("ravel", "reshape"):
            if array.type.layout != "C":
                raise Unsupported("lanes of an array in another order")
            sizes = ["-1"] if how == "ravel" else [operand_text(x) for x in s.args[1:]]
            return f"{name}.reshape(({', '.join(sizes)}, {', '.join(map(str, self.axes(array)))}))"
        if how in ("real", "imag") and is_complex(array.type):
            return f"{name}[..., {int(how == 'imag')}, :]"
        if how == "imag":
            raise Unsupported("lanes of an imaginary part")
        if how == "real":
            return name
        text = self.texts.view(name, s)
        is_open = any(kind == "ellipsis" for kind, _ in template or ())
        return f"{text[:-1]}{', :' * more}]" if is_open else text

    def store(self, s: Op) -> None:
        super(Tangent, self).store(s)
        array, value, *index = s.args
        if not self.activity.is_active(array):
            return
        t = array.type  # type: ignore[union-attr]
        put = f"set_{'complex_' * is_complex(t)}lanes({self.place(array, index)}"  # type: ignore[arg-type]
        if self.activity.is_active(value):
            before = "" if s.attr is None else f"{self.lanes_at(array, index)} {s.attr} "  # type: ignore[arg-type]
            self.out.add(f"{put}, {before}{self.converted(value, t)})")
        elif s.attr is None:
            self.out.add(f"{put}, {self.none(t)})")

    # -- functions of arrays --------------------------------------------------------------------------------------

    def rule(self, s: Op) -> None:
        active = [o for o in s.outs if self.activity.is_active(o)]
        if not active:
            return
        rule = s.attr
        if getattr(rule, "callee", None) is not None or rule.tangent is None:
            raise Unsupported("lanes of a call")
        dots = []
        for name in rule.differentiable:
            x: Any = s.args[rule.parameters.index(name)]
            dots.append(self.dot(x) if self.activity.is_active(x) else "None")
        ys = [o.name for o in s.outs]
        y = f"({', '.join(ys)})" if len(ys) > 1 else ys[0]
        given = [y, *[operand_text(x) for x in s.args], *dots]
        targets = ", ".join([self.dot(o) for o in s.outs])
        if rule.tangent is dot_tangent and all(_dtype(x) == types.float64 for x in (*s.args, *s.outs)):
            self.out.add(f"{targets} = dot_lanes({', '.join(given[1:])}, {self.width})")
        else:
            self.out.add(f"{targets} = {self.by_lanes(s)}({', '.join(given)})")

    def by_lanes(self, s: Op) -> str:
        """The name of a function that calls a rule's tangent for each lane."""
        rule = s.attr
        tangent = self.held(rule.tangent, f"{rule.primal.__name__}_tangent")
        kinds = [f"{'a' if ir.is_array(x) else 'x'}{_letter(x)}" for x in (*s.outs, *s.args)]
        dots = [self.activity.is_active(s.args[rule.parameters.index(name)]) for name in rule.differentiable]
        name = f"{tangent}_lanes_{''.join(kinds)}{''.join('d' if is_given else 'n' for is_given in dots)}"
        if name in self.helpers:
            return name
        names = [f"a{k}" for k in range(len(s.args))]
        lanes, given = [], []
        for k, (p, is_given) in enumerate(zip(rule.differentiable, dots, strict=True)):
            x = s.args[rule.parameters.index(p)]
            given.append(f"d{k}")
            if not is_given:
                lanes.append("None")
                continue
            kind = "complex_" * is_complex(x.type)
            if ir.is_array(x):
                cast = f".astype({dtype_text(_dtype(x))})" if _letter(x) == "s" else ""
                lanes.append(f"{kind}lane_of(d{k}, k){cast}")
            else:
                lane = f"get_{kind}lane(d{k}, k)"
                lanes.append(f"{dtype_text(_dtype(x))}({lane})" if _letter(x) == "s" else lane)
        found = [f"y{k}" for k in range(len(s.outs))]
        made = [f"m{k}" for k in range(len(s.outs))]
        lines = [f"def {name}({', '.join(['y', *names, *given])}):", f"    for k in range({self.width}):"]
        lines.append(f"        {', '.join(found)} = {tangent}({', '.join(['y', *names, *lanes])})")
        lines.append("        if k == 0:")
        for y, m, o in zip(found, made, s.outs, strict=True):
            axes = self.axes(o)
            lines.append(f"            {m} = np.empty({f'{y}.shape + {axes}' if ir.is_array(o) else (1, *axes)})")
        lines += [f"        put_lane({m}, k, {y})" for y, m in zip(found, made, strict=True)]
        results = [
            m if ir.is_array(o) else f"{'complex_' * is_complex(o.type)}lanes_at({m}, (0,), {self.width})"
            for m, o in zip(made, s.outs, strict=True)
        ]
        lines.append(f"    return {', '.join(results)}")
        self.helpers[name] = "\n".join(lines) + "\n"
        return name


def is_complex(t: Any) -> bool:
    """Whether numbers of a type, or the elements of an array of one, are complex."""
    return isinstance(t.dtype if isinstance(t, types.Array) else t, types.Complex)


def _dtype(x: Any) -> Any:
    t = getattr(x, "type", None)
    return t.dtype if isinstance(t, types.Array) else t


def _letter(x: Any) -> str:
    """What a function by lanes has to know of an operand: nothing, or that it is complex, or in single precision."""
    t = _dtype(x)
    return "s" if t in (types.float32, types.complex64) else "c" if isinstance(t, types.Complex) else ""


class WideTangent(LaneTangent):
    """The same for more directions."""

    width = 16


WIDTHS = {how.width: how for how in (LaneTangent, WideTangent)}
