"""The tangent function along several directions at once: values once, tangents in the lanes of vectors."""

from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.ir import Loop, Op, Value
from morula.static.numba.array_rules.products import dot_tangent
from morula.static.numba.emit.tangent import Tangent
from morula.static.numba.emit.text import operand_text
from morula.static.unsupported import Unsupported


class LaneTangent(Tangent):
    """As `Tangent`, where the tangent of a number is a vector, and that of an array has an axis more for its lanes."""

    width = 8

    @property
    def none(self) -> str:
        """The tangents of a number that does not depend on anything."""
        return f"no_lanes({self.width})"

    def dot(self, v: Any) -> str:
        t = v.type
        if (t.dtype if isinstance(t, types.Array) else t) != types.float64:
            raise Unsupported(f"lanes of {t}")
        return super().dot(v)

    def zeros_like(self, array: Any) -> str:
        return f"np.zeros({array.name}.shape + ({self.width},))"

    def nothing(self, t: types.Type) -> str:
        return self.none

    def unknown(self, target: Value) -> str:
        return f"np.empty({(0,) * target.type.ndim + (self.width,)})" if ir.is_array(target) else self.none

    def may_run_parallel(self, loop: Loop) -> bool:
        if super().may_run_parallel(loop):
            raise Unsupported("lanes in a parallel loop")
        return False

    # -- numbers --------------------------------------------------------------------------------------------------

    def term(self, s: Op, place: int, partial: str, dot: str) -> str:
        if partial.startswith("select"):
            test = operand_text(s.args[0])
            return (
                f"({dot} if {test} else {self.none})"
                if partial.endswith("1")
                else f"({self.none} if {test} else {dot})"
            )
        text = super().term(s, place, partial, dot)
        return f"lanes_{text}" if text.startswith("times(") else text

    # -- arrays ---------------------------------------------------------------------------------------------------

    def place(self, array: Value, index: list[Any]) -> str:
        parts = [self.texts.index(x) for x in index]
        return f"{self.dot(array)}, ({', '.join(parts)}{',' if len(parts) == 1 else ''})"

    def lanes_at(self, array: Value, index: list[Any]) -> str:
        return f"lanes_at({self.place(array, index)}, {self.width})"

    def mirrored(self, s: Op) -> str:
        if s.kind == "load":
            array: Any = s.args[0]
            text = self.lanes_at(array, s.args[1:])
            if s.attr == "guarded":
                return f"({text} if {self.texts.in_bounds(array, s.args[1:])} else {self.none})"
            return text
        if s.kind == "view":
            return self.view(s)
        if s.kind in ("fit", "resized") and len(s.args) <= 3:
            how = "fit" if s.kind == "fit" else s.attr.rstrip("0123456789")
            sizes = ", ".join([operand_text(x) for x in s.args[1:]])
            return f"{how}{len(s.args)}({self.dot(s.args[0])}, {sizes}, {self.width})"
        if s.kind == "new":
            sizes = "".join([f"{operand_text(x)}, " for x in s.args])
            return f"np.{'empty' if s.attr[0] == 'empty' else 'zeros'}(({sizes}{self.width}))"
        if s.kind in ("constant", "constant_call"):
            return self.zeros_like(s.out)
        raise Unsupported(f"lanes of {s.kind}")

    def view(self, s: Op) -> str:
        array: Any = s.args[0]
        name, n = self.dot(array), array.type.ndim
        how, template = s.attr
        if how in ("T", "axes"):
            axes = range(n)[::-1] if how == "T" else template
            return f"np.transpose({name}, {(*[a % n for a in axes], n)})"
        if how in ("ravel", "reshape"):
            if array.type.layout != "C":
                raise Unsupported("lanes of an array in another order")
            sizes = ["-1"] if how == "ravel" else [operand_text(x) for x in s.args[1:]]
            return f"{name}.reshape(({', '.join(sizes)}, {self.width}))"
        if how == "imag":
            raise Unsupported("lanes of an imaginary part")
        text = self.texts.view(name, s)
        return f"{text[:-1]}, :]" if any(kind == "ellipsis" for kind, _ in template or ()) else text

    def store(self, s: Op) -> None:
        super(Tangent, self).store(s)
        array, value, *index = s.args
        if not self.activity.is_active(array):
            return
        place = self.place(array, index)  # type: ignore[arg-type]
        is_active = self.activity.is_active(value)
        if s.attr is None:
            self.out.add(f"set_lanes({place}, {self.dot(value) if is_active else self.none})")
        elif is_active:
            self.out.add(f"set_lanes({place}, lanes_at({place}, {self.width}) {s.attr} {self.dot(value)})")

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
        if rule.tangent is dot_tangent:
            self.out.add(f"{targets} = dot_lanes({', '.join(given[1:])}, {self.width})")
        else:
            self.out.add(f"{targets} = {self.by_lanes(s)}({', '.join(given)})")

    def by_lanes(self, s: Op) -> str:
        """The name of a function that calls a rule's tangent for each lane."""
        rule = s.attr
        tangent = self.held(rule.tangent, f"{rule.primal.__name__}_tangent")
        kinds = ["a" if ir.is_array(x) else "x" for x in (*s.outs, *s.args)]
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
            elif ir.is_array(x):
                lanes.append(f"lane_of(d{k}, k)")
            else:
                lanes.append(f"get_lane(d{k}, k)")
        found = [f"y{k}" for k in range(len(s.outs))]
        made = [f"m{k}" for k in range(len(s.outs))]
        lines = [f"def {name}({', '.join(['y', *names, *given])}):", f"    for k in range({self.width}):"]
        lines.append(f"        {', '.join(found)} = {tangent}({', '.join(['y', *names, *lanes])})")
        lines.append("        if k == 0:")
        for y, m, o in zip(found, made, s.outs, strict=True):
            lines.append(
                f"            {m} = np.empty({f'{y}.shape + ({self.width},)' if ir.is_array(o) else (1, self.width)})"
            )
        lines += [f"        put_lane({m}, k, {y})" for y, m in zip(found, made, strict=True)]
        results = [
            m if ir.is_array(o) else f"lanes_at({m}, (0,), {self.width})" for m, o in zip(made, s.outs, strict=True)
        ]
        lines.append(f"    return {', '.join(results)}")
        self.helpers[name] = "\n".join(lines) + "\n"
        return name


class WideTangent(LaneTangent):
    """The same for more directions."""

    width = 16


WIDTHS = {how.width: how for how in (LaneTangent, WideTangent)}
