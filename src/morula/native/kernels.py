"""The compiled adjoints of one Numba function, and where they are kept."""

import linecache
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numba
import numpy as np

from chainrules import when_declared
from morula.native.called_rules import CalledRule
from morula.native.emit.joint import Emitted, emit_joint, requested, result_values
from morula.native.emit.namespace import HELPERS
from morula.native.emit.split import Split, emit_split
from morula.native.emit.tangent import EmittedTangent, emit_tangent
from morula.native.ir import Function, Op, Value, is_array, result_leaves, walk
from morula.native.ordered_sums import ordered_sums
from morula.native.pipeline import Front, front, options_of
from morula.native.unsupported import Unsupported
from morula.runtime.registry import WHEN_ADJOINT


@dataclass(frozen=True)
class Leaf:
    """One number or array inside of the arguments, or of the value."""

    argument: int
    path: tuple[int, ...]
    is_array: bool


class Kernels:
    """The adjoints of one function for one combination of argument types and active arguments.

    Attributes:
        leaves: the active differentiable parts of the arguments.
        value_leaves: the differentiable parts of the value.
        written: the arguments whose arrays the function may write into.
        frozen: what the rules of the user that it calls take for constant.
    """

    def __init__(self, dispatcher: Any, known: Front, active: tuple[bool, ...]):
        self.dispatcher, self.known, self.active = dispatcher, known, active
        f = known.representation()
        self.emitted: Emitted = emit_joint(f, active, f"{f.name}_adjoint")
        self.leaves = tuple(Leaf(*f.leaves[v], is_array(v)) for v in requested(f, active))
        self.value_leaves = _value_leaves(f)
        self.written = self.emitted.written
        self._options = options_of(dispatcher)
        rules = [s.attr for s in walk(f.body) if isinstance(s, Op) and isinstance(s.attr, CalledRule)]
        self.frozen = tuple(rule.frozen for rule in rules if rule.frozen is not None)

    def refresh(self) -> None:
        """Start again if what a rule of the user takes for constant has another value now."""
        if not all(frozen.is_current() for frozen in self.frozen):
            self.known.form.ruled.clear()
            for name, held in vars(type(self)).items():
                if isinstance(held, cached_property):
                    self.__dict__.pop(name, None)
            self.__init__(self.dispatcher, self.known, self.active)  # type: ignore[misc]

    @property
    def source(self) -> str:
        """The generated text: the joint function, and the split pair where there is one."""
        split = self._split
        return self.emitted.text + (f"\n\n{split.text}" if split is not None else "")

    # -- the joint function ---------------------------------------------------------------------------------------

    @cached_property
    def plain(self) -> Callable:
        """The compiled joint function ``(*args, *array_bars, *seeds) -> (value, numbers[, is_finite])``."""
        return self.compiled(self.emitted.text, self.emitted.name, self.emitted.namespace)

    @cached_property
    def guarded(self) -> Callable:
        """The same where infinite seeds are killed by exact zeros; needed where something was not finite."""
        f = self.known.representation()
        made = emit_joint(f, self.active, f"{f.name}_adjoint", is_guarded=True)
        return self.compiled(made.text, made.name, made.namespace)

    def joint(self, args: tuple, array_bars: list, seeds: tuple) -> tuple[Any, tuple]:
        """The value, and the cotangents of the arguments: those of arrays are added to `array_bars`."""
        self.refresh()
        if not self.emitted.may_burst:
            return self.plain(*args, *array_bars, *seeds)
        if any(leaf.argument in self.written for leaf in self.leaves):
            # the bar of a written argument begins as the cotangent of what is left in it
            return self.guarded(*args, *array_bars, *seeds)[:2]
        own = [np.zeros_like(bar) for bar in array_bars]
        y, numbers = self.fresh(args, own, seeds)
        for bar, found in zip(array_bars, own, strict=True):
            bar += found
        return y, numbers

    def fresh(self, args: tuple, zeros: list, seeds: tuple) -> tuple[Any, tuple]:
        """As `joint`, for bars that are zero."""
        self.refresh()
        if not self.emitted.may_burst:
            return self.plain(*args, *zeros, *seeds)
        before = [np.copy(args[k]) if isinstance(args[k], np.ndarray) else None for k in sorted(self.written)]
        if any(x is None for x in before):
            return self.guarded(*args, *zeros, *seeds)[:2]
        y, numbers, is_finite = self.plain(*args, *zeros, *seeds)
        if is_finite:
            return y, numbers
        for k, x in zip(sorted(self.written), before, strict=True):
            args[k][...] = x
        for bar in zeros:
            bar[...] = 0
        return self.guarded(*args, *zeros, *seeds)[:2]

    # -- the split pair -------------------------------------------------------------------------------------------

    @cached_property
    def _split(self) -> Split | None:
        f = self.known.representation()
        return emit_split(f, self.active, f.name)

    @cached_property
    def _halves(self) -> tuple[Callable, Callable] | None:
        split = self._split
        if split is None:
            return None
        names = (split.forward, split.backward)
        return tuple(self.compiled(split.text, name, split.namespace) for name in names)  # type: ignore[return-value]

    def forward(self, args: tuple) -> tuple[Any, Any]:
        """The value and the tape."""
        self.refresh()
        if self._halves is not None:
            return self._halves[0](*args)
        held = tuple(_copied(x) if k in self.written else x for k, x in enumerate(args))
        return self.dispatcher(*args), held

    def backward(self, args: tuple, tape: Any, array_bars: list, seeds: tuple) -> tuple:
        """The cotangents of the arguments, from a tape of `forward`; as often as wanted."""
        if self._halves is not None:
            return self._halves[1](*args, tape, *array_bars, *seeds)
        again = tuple(_copied(x) if k in self.written else x for k, x in enumerate(tape))
        return self.joint(again, array_bars, seeds)[1]

    # -- the tangent function --------------------------------------------------------------------------------------

    @cached_property
    def emitted_tangent(self) -> EmittedTangent:
        """The text of the tangent function ``(*args, *dots) -> (value, dots of the value)``."""
        f = self.known.representation()
        return emit_tangent(f, self.active, f"{f.name}_tangent")

    @cached_property
    def plain_tangent(self) -> Callable:
        made = self.emitted_tangent
        return self.compiled(made.text, made.name, made.namespace)

    def tangent(self, args: tuple, dots: tuple) -> tuple[Any, tuple]:
        """The value, and its derivative along a direction (forward mode).

        Args:
            args: of the function.
            dots: the direction, one tangent for each of `leaves`: a number, or an array of the shape and dtype of its
                leaf. Of an argument that the function writes into, the tangent is written into, too.

        Returns:
            The value, and one tangent for each of `value_leaves`; an array may be one of `dots`, or a view of it, where
            the value is one of an argument.
        """
        given, back = list(dots), []
        for k, leaf in enumerate(self.leaves):
            if leaf.is_array:
                x = args[leaf.argument]
                for place in leaf.path:
                    x = x[place]
                if numba.typeof(dots[k]) != numba.typeof(x) and x.flags.forc:
                    # The text takes views of both alike.
                    given[k] = np.array(dots[k], order="C" if x.flags.c_contiguous else "F")
                    if leaf.argument in self.written:
                        back.append((dots[k], given[k]))
        y, y_dots = self.plain_tangent(*args, *given)
        for dot, found in back:
            dot[...] = found
        return y, y_dots

    # -- compilation ----------------------------------------------------------------------------------------------

    def compiled(self, text: str, name: str, namespace: dict[str, Any]) -> Callable:
        """A function of a generated text; its source can be read in tracebacks and debuggers."""
        held = {**HELPERS, **namespace}
        filename = f"<adjoint of {self.known.form.name} {id(self)} {name}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        exec(compile(text, filename, "exec"), held)
        options = {k: v for k, v in self._options.items() if k != "parallel" or "in prange(" in text}
        made = numba.njit(error_model="numpy", no_cfunc_wrapper=True, **options)(held[name])
        compile_one = made.compile

        def compile_ordered(signature: Any) -> Any:
            with ordered_sums():
                return compile_one(signature)

        made.compile = compile_ordered
        return made


def _copied(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.copy()
    if isinstance(x, tuple):
        items = [_copied(item) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    return x


def _value_leaves(f: Function) -> tuple[Leaf, ...]:
    wanted = {id(x) for x in result_values(f)}
    found: list[Leaf] = []

    def visit(x: Any, path: tuple[int, ...]) -> None:
        items = getattr(x, "items", None)
        if items is not None:
            for k, item in enumerate(items):
                visit(item, (*path, k))
        elif id(x) in wanted:
            found.append(Leaf(0, path, isinstance(x, Value) and is_array(x)))

    visit(f.result, ())
    return tuple(found)


_KNOWN: "weakref.WeakKeyDictionary[Any, dict]" = weakref.WeakKeyDictionary()
WHEN_ADJOINT.append(_KNOWN.clear)
when_declared(_KNOWN.clear)


def kernels_of(f: Any, args: tuple, active: tuple[bool, ...]) -> Kernels:
    """The adjoints of a Numba function for these arguments.

    Args:
        f: a function made by `numba.njit`.
        args: all of its arguments, by position.
        active: which of them are differentiated by.

    Raises:
        Unsupported: the function is outside of the subset that is translated.
    """
    kept = _KNOWN.setdefault(f, {})
    argument_types = tuple(numba.typeof(x) for x in args)
    key = argument_types, active
    found = kept.get(key)
    if found is None:
        try:
            known = kept.get(argument_types)
            if known is None:
                raises = getattr(f, "targetoptions", {}).get("error_model", "python") == "python"
                known = kept[argument_types] = front(f.py_func, argument_types, raises)
            found = kept[key] = Kernels(f, known, active)
        except Unsupported as error:
            found = kept[key] = error
    if isinstance(found, Unsupported):
        raise found
    return found


__all__ = ["Kernels", "Leaf", "kernels_of", "result_leaves"]
