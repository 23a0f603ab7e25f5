"""The tangent function: value and directional derivative in one run, statement beside statement."""

from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.front.operands import dtype_text
from morula.static.ir import Function, Loop, Op, Undefined, Value
from morula.static.naming import named
from morula.static.numba.elementary import describe_op
from morula.static.numba.emit.cleanup import cleaned
from morula.static.numba.emit.joint import requested, result_text, result_values
from morula.static.numba.emit.namespace import HELPERS
from morula.static.numba.emit.statements import Assignments, Statements, undefined
from morula.static.numba.emit.tangent_products import term
from morula.static.numba.emit.text import Lines, Texts, operand_text, zero
from morula.static.passes.activity import SCALAR, Activity
from morula.static.passes.forward_bursts import forward_bursts
from morula.static.passes.memory import Memory
from morula.static.unsupported import Unsupported


@dataclass
class EmittedTangent:
    """A generated tangent function.

    It takes the arguments of the function and then one tangent for each leaf, in order: numbers, and arrays of the
    shape and layout of theirs. It returns the value and a tuple with one tangent for each leaf of the value. Where the
    function writes into an argument, it writes into the argument's tangent, too; that of an array which the value
    shares with an argument is the argument's tangent itself. Of the functions of the text it is the last.
    """

    names: tuple[str, ...]
    text: str
    namespace: dict[str, Any]
    leaves: list[Value]
    written: frozenset[int]


def emit_tangent(
    f: Function, active: tuple[bool, ...], name: str, how: "type[Tangent] | None" = None
) -> EmittedTangent:
    """The text of the tangent function of a function.

    Args:
        f: the function, simplified, with named loop outs.
        active: which arguments are differentiated by.
        name: of the generated function.
        how: emits the statements; `Tangent` itself where it is None.
    """
    memory = Memory(f)
    leaves = requested(f, active)
    written = [v for v in f.leaves if ir.is_array(v) and memory.is_written(v)]
    activity = Activity(f, memory, leaves)
    texts, out = Texts(), Lines()
    made = (how or Tangent)(f, activity, texts, out)
    for v in f.leaves:
        if ir.is_array(v) and activity.is_active(v) and v not in leaves:
            out.add(f"{made.dot(v)} = {made.zeros_like(v)}")
    made.block(f.body.statements)
    results = [made.result_dot(x) for x in result_values(f)]
    out.add(f"return {result_text(f.result)}, ({', '.join(results)}{',' if len(results) == 1 else ''})")
    parameters = ", ".join([*(p.name for p in f.parameters), *(made.dot(v) for v in leaves)])
    text = cleaned(f"def {name}({parameters}):\n{out.text()}\n")
    functions = (*made.helpers, name)
    text = "\n\n\n".join([*made.helpers.values(), text])
    return EmittedTangent(functions, text, f.namespace, leaves, frozenset(f.leaves[v][0] for v in written))


class Tangent(Statements):
    """Emits the statements of a program, each followed by the tangent of what it computes."""

    def __init__(self, f: Function, activity: Activity, texts: Texts, out: Lines):
        super().__init__(texts, out)
        self.f, self.activity = f, activity
        self.bursts = forward_bursts(f, activity)
        self.suffix = suffix(f)
        self.helpers: dict[str, str] = {}  # functions that stand before it

    def dot(self, v: Any) -> str:
        return f"{v.name}{self.suffix}"

    def result_dot(self, x: Any) -> str:
        if self.activity.is_active(x):
            return self.dot(x)
        return self.zeros_like(x) if ir.is_array(x) else self.nothing(getattr(x, "type", types.float64))

    def zeros_like(self, array: Any) -> str:
        """The tangent of an array that does not depend on anything."""
        return f"np.zeros_like({array.name})"

    def nothing(self, t: types.Type) -> str:
        """That of a number."""
        return zero(t)

    def term(self, s: Op, place: int, partial: str, dot: str) -> str:
        return term(s, place, partial, dot, s in self.bursts)

    # -- operations -----------------------------------------------------------------------------------------------

    def op(self, s: Op) -> None:
        super().op(s)
        if s.kind == "array":
            self.rule(s)
        elif s.outs and self.activity.is_active(s.out):
            if s.kind in SCALAR:
                self.out.add(f"{self.dot(s.out)} = {self.total(s)}")
            elif s.kind != "item":  # the parts of tuples are leaves, whose tangents are given
                self.out.add(f"{self.dot(s.out)} = {self.mirrored(s)}")

    def total(self, s: Op) -> str:
        """The tangent of a number: the sum of partial derivatives times tangents."""
        found = ""
        is_real = True
        for place, (x, partial) in enumerate(zip(s.args, describe_op(s.kind, s.attr).partials, strict=False)):
            if partial is None or partial == "0" or not self.activity.is_active(x):
                continue
            text = self.term(s, place, partial, self.dot(x))
            is_real = is_real and not isinstance(x.type, types.Complex)  # type: ignore[union-attr]
            found = text if not found else f"{found} - {text[1:]}" if text.startswith("-") else f"{found} + {text}"
        found = found or self.nothing(s.out.type)
        return self.as_complex(s.out.type, found) if isinstance(s.out.type, types.Complex) and is_real else found

    def as_complex(self, t: types.Type, dot: str) -> str:
        """The tangent of a real number as that of a complex one of a type."""
        return f"{dtype_text(t)}({dot})"

    def mirrored(self, s: Op) -> str:
        """The same operation on the tangent of the array that it looks at."""
        if s.kind == "load":
            array: Any = s.args[0]
            text = self.texts.element(self.dot(array), s.args[1:])
            if s.attr == "guarded":
                return f"{text} if {self.texts.in_bounds(array.name, s.args[1:])} else {zero(s.out.type)}"
            return text
        if s.kind == "view":
            return self.texts.view(self.dot(s.args[0]), s)
        if s.kind == "fit":
            sizes = ", ".join(operand_text(x) for x in s.args[1:])
            return f"fit{len(s.args) - 1}({self.dot(s.args[0])}, {sizes})"
        if s.kind == "resized":
            return f"{s.attr}({', '.join([self.dot(s.args[0]), *[operand_text(x) for x in s.args[1:]]])})"
        if s.kind == "new":
            return self.texts.zeros(s.out, "empty" if s.attr[0] == "empty" else "zeros")
        if s.kind in ("constant", "constant_call"):
            return self.zeros_like(s.out)
        raise AssertionError(s.kind)

    def store(self, s: Op) -> None:
        super().store(s)
        array, value, *index = s.args
        if not self.activity.is_active(array):
            return
        assert isinstance(array, Value)
        place = self.texts.element(self.dot(array), index)
        if self.activity.is_active(value):
            self.out.add(f"{place} {s.attr or ''}= {self.dot(value)}")
        elif s.attr is None:
            self.out.add(f"{place} = 0.0")

    def rule(self, s: Op) -> None:
        """The tangent of a whole-array function, by its rule."""
        if not any(self.activity.is_active(o) for o in s.outs):
            return
        rule = s.attr
        if rule.tangent is None:
            why = "has a rule of the user" if getattr(rule, "callee", None) is None else "is not inlined"
            raise Unsupported(f"the tangent of a call to {rule.primal.__name__}, which {why}")
        dots = []
        for name in rule.differentiable:
            x = s.args[rule.parameters.index(name)]
            dots.append(self.dot(x) if self.activity.is_active(x) else "None")
        tangent = self.held(rule.tangent, f"{rule.primal.__name__}_tangent")
        ys = [o.name for o in s.outs]
        y = f"({', '.join(ys)})" if len(ys) > 1 else ys[0]
        targets = ", ".join(self.dot(o) for o in s.outs)
        self.out.add(f"{targets} = {tangent}({', '.join([y, *[operand_text(x) for x in s.args], *dots])})")

    def held(self, function: Any, base: str) -> str:
        """The name of a compiled function in the namespace."""
        from numba import njit

        namespace = self.f.namespace
        for name, value in namespace.items():
            if getattr(value, "py_func", None) is function:
                return name
        name = next(n for n in chain([base], (f"{base}_{k}" for k in count(1))) if n not in namespace)
        namespace[name] = njit(error_model="numpy")(function)
        return name

    # -- control --------------------------------------------------------------------------------------------------

    def is_reduction(self, c: ir.Carry, loop: Loop) -> bool:
        """As the program itself, where tangents that a loop carries are sums, as Numba reduces them."""
        if not super().is_reduction(c, loop):
            return False
        d = c.next.definition  # type: ignore[union-attr]
        return not self.activity.is_active(c.phi) or (d.attr == "+" and d.args[0] is c.phi)

    def assignments(self, target: Value, source: Any) -> Assignments:
        found = super().assignments(target, source)
        if self.activity.is_active(target):
            is_given = self.activity.is_active(source) or (ir.is_array(target) and not isinstance(source, Undefined))
            text = self.dot(source) if is_given else self.unknown(target)
            found.append((self.dot(target), text))
        return found

    def unknown(self, target: Value) -> str:
        """The tangent of a variable that holds nothing yet, or nothing active."""
        return undefined(target) if ir.is_array(target) else self.nothing(target.type)


def suffix(f: Function) -> str:
    """What the names of tangents end with: no name of the function may be one of them."""
    names = {*f.namespace, *HELPERS, *(v.name for v in named(f))}
    for k in count():
        found = f"_dot{k or ''}"
        if not any(f"{name}{found}" in names for name in names):
            return found
    raise AssertionError
