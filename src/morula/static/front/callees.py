"""Calls that stay calls: of functions that call themselves, and of those that are too large to stand inline.

The program calls the function as it is; the way back calls its own joint adjoint, which computes the value once
more. What the function writes into is copied: the call becomes one of a function without effects, that returns the
arrays as it has left them, and the program writes those back.

    y = f(u, a)          y, u_after = f_apart(u, a)
                         u[:] = u_after
"""

import linecache
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numba
from numba.core import types
from numba.core.errors import NumbaError

import chainrules
from morula.eager.calls.registry import WHEN_ADJOINT
from morula.static.front.flat import flat_types, is_active_leaf, part_texts, row, tuple_text
from morula.static.numba.array_rules.registry import ArrayRule
from morula.static.unsupported import Unsupported


@dataclass(frozen=True)
class CallRule(ArrayRule):
    """The adjoint of one call, of numbers and arrays.

    Attributes:
        may_explode: whether its cotangents can be infinite where the value is finite.
        has_effects: whether it may raise, so that it stays where nobody reads its value.
        written: the positions of the arrays that it is given back in place of those that it writes into.
    """

    may_explode: bool = True
    has_effects: bool = True
    written: frozenset[int] = frozenset()
    callee: "Callee | None" = None


@dataclass(frozen=True)
class StandIn:
    """What stands for a function that is not there yet."""

    callee: "Callee"


@dataclass(frozen=True)
class Named:
    """What stands in generated code under a name."""

    __name__: str


@dataclass(eq=False)
class Callee:
    """One function for one combination of argument types.

    Attributes:
        written: which of the parts of its arguments are arrays that it writes into.
        read: its normal form and types, once it has been read.
        is_settled: whether `written` is final.
    """

    dispatcher: Any
    argument_types: tuple
    value_type: types.Type
    written: frozenset[int] = frozenset()
    read: Any = None
    is_settled: bool = False
    rules: dict[frozenset[int], CallRule] = field(default_factory=dict)
    applied: dict[frozenset[int], Any] = field(default_factory=dict)
    primal: Any = None
    joint: Any = None
    stand_in: Any = None
    spaces: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.stand_in = StandIn(self)

    @property
    def name(self) -> str:
        found: str = self.dispatcher.py_func.__name__
        return found if found.isidentifier() else "function"

    @property
    def leaf_types(self) -> list[types.Type]:
        return [leaf for t in self.argument_types for leaf in flat_types(t)]

    @property
    def value_types(self) -> list[types.Type]:
        return [] if isinstance(self.value_type, types.NoneType) else flat_types(self.value_type)

    # -- the call ---------------------------------------------------------------------------------------------------

    def apart(self) -> Any:
        """The compiled function of the parts, without effects; it returns the parts of the value, then what is written.

        Before everything is translated it is a stand-in, which `link` replaces.
        """
        plain = not self.written and len(self.value_types) == 1
        if plain and not any(isinstance(t, types.BaseTuple) for t in (*self.argument_types, self.value_type)):
            return self.primal or self.stand_in
        if self.written not in self.applied:
            space: dict[str, Any] = {}
            names = [f"x{k}" for k in range(len(self.leaf_types))]
            lines = []
            for k in sorted(self.written):
                lines.append(f"x{k}_own = x{k}.copy()")
            texts = iter([f"{n}_own" if k in self.written else n for k, n in enumerate(names)])
            lines.append(f"y = f({', '.join([tuple_text(t, texts, space) for t in self.argument_types])})")
            outs = part_texts(self.value_type, "y") if self.value_types else []
            outs += [f"{names[k]}_own" for k in sorted(self.written)]
            lines.append(f"return {outs[0] if len(outs) == 1 else row(outs)}")
            self.applied[self.written] = self._compiled(f"{self.name}_apart", names, lines, space)
            if self.is_settled:
                space["f"] = self.primal
            self.spaces.append(space)
        return self.applied[self.written]

    def rule(self) -> CallRule:
        """Its adjoint as a rule."""
        found = self.rules.get(self.written)
        if found is None:
            leaves = self.leaf_types
            names = [f"x{k}" for k in range(len(leaves))]
            active = [k for k, t in enumerate(leaves) if is_active_leaf(t)]
            numbers = [k for k in active if not isinstance(leaves[k], types.Array)]
            found = self.rules[self.written] = CallRule(
                Named(self.name),  # type: ignore[arg-type]
                tuple(names),
                {},
                None,  # type: ignore[arg-type]
                None,  # type: ignore[arg-type]
                frozenset(n for n, t in zip(names, leaves, strict=True) if isinstance(t, types.Array)),
                tuple(names[k] for k in active),
                tuple(names[k] for k in numbers),
                written=self.written,
                callee=self,
            )
        return found

    def _compiled(self, name: str, parameters: list[str], lines: list[str], space: dict[str, Any]) -> Any:
        import numpy as np

        space["np"] = np
        body = "\n".join(f"    {line}" for line in lines)
        text = f"def {name}({', '.join(parameters)}):\n{body}\n"
        filename = f"<{name} {id(self)} {sorted(self.written)}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        exec(compile(text, filename, "exec"), space)
        return numba.njit(error_model="numpy")(space[name])

    def link(self) -> None:
        """Put what was made in the place of what stood for it, now that all of it is there."""
        for space in self.spaces:
            for name, held in list(space.items()):
                if isinstance(held, Callee):
                    space[name] = held.joint
                elif isinstance(held, StandIn):
                    space[name] = held.callee.primal
        for space in self.spaces:
            space.setdefault("f", self.primal)
        self.is_settled = True

    def compile(self) -> None:
        """Compile the function and its joint adjoint.

        Numba does not link what calls itself where it is compiled for the first time because a caller with other
        options needs it ("aborted due to unresolved symbol"); that is why there is a copy of the function, too.
        """
        own = {k: t.copy(layout="C", readonly=False) for k, t in enumerate(self.leaf_types) if k in self.written}
        leaves = iter([own.get(k, t) for k, t in enumerate(self.leaf_types)])
        arguments = [_retyped(t, leaves) for t in self.argument_types]
        bars = [
            own.get(k, t.copy(readonly=False))
            for k, t in enumerate(self.leaf_types)
            if isinstance(t, types.Array) and is_active_leaf(t)
        ]
        seeds = [t for t in self.value_types if is_active_leaf(t)]
        try:
            self.primal.compile(tuple(arguments))
            self.joint.compile((*arguments, *bars, *seeds))
        except NumbaError as error:
            raise Unsupported(f"a call to {self.name}, whose adjoint Numba cannot compile: {error}"[:300]) from None


def _retyped(t: types.Type, leaves: Iterator[types.Type]) -> types.Type:
    if isinstance(t, types.BaseNamedTuple):
        return types.NamedTuple([_retyped(item, leaves) for item in t], t.instance_class)
    if isinstance(t, types.BaseTuple):
        return types.Tuple([_retyped(item, leaves) for item in t])
    return next(leaves)


_CALLEES: "weakref.WeakKeyDictionary[Any, dict[tuple, Callee]]" = weakref.WeakKeyDictionary()


def _forget() -> None:
    _CALLEES.clear()


WHEN_ADJOINT.append(_forget)
chainrules.when_declared(_forget)


def callee_of(dispatcher: Any, argument_types: tuple, value_type: types.Type) -> Callee:
    """The callee for these types.

    Raises:
        Unsupported: it takes or returns something other than numbers, arrays of floats and tuples of such.
    """
    kept = _CALLEES.setdefault(dispatcher, {})
    found = kept.get(argument_types)
    if found is None:
        found = Callee(dispatcher, argument_types, value_type)
        for t in found.value_types:
            is_number = isinstance(t, types.Number | types.Boolean)
            if not is_number and not (isinstance(t, types.Array) and is_active_leaf(t)):
                raise Unsupported(f"a call to {found.name}, which returns {t}, that is not inlined")
        kept[argument_types] = found
    return found


def forget(callee: Callee) -> None:
    """Drop a callee that could not be translated, so that it is tried anew."""
    callee.is_settled = False
    _CALLEES.get(callee.dispatcher, {}).pop(callee.argument_types, None)
