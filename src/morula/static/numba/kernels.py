"""The compiled adjoints of one Numba function, and where they are kept."""

import re
import weakref
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numba
import numpy as np

from chainrules import when_declared
from morula.eager.calls.registry import WHEN_ADJOINT
from morula.static.front.normal_form import NormalForm, lengths_of, normal_form
from morula.static.ir import Function, Op, is_array, result_leaves, walk
from morula.static.numba.called_rules import CalledRule
from morula.static.numba.compiling import compiled
from morula.static.numba.disk import Shelf, shelf_for
from morula.static.numba.emit.joint import Emitted, emit_joint, requested
from morula.static.numba.emit.lanes import WIDTHS
from morula.static.numba.emit.namespace import HELPERS
from morula.static.numba.emit.split import Split, emit_split
from morula.static.numba.emit.tangent import EmittedTangent, emit_tangent
from morula.static.numba.generated import defined
from morula.static.numba.jacobian_kernels import JacobianKernels, Text
from morula.static.numba.sharing import copied
from morula.static.numba.value_leaves import value_kind, value_leaves
from morula.static.numba.watch import Watch
from morula.static.pipeline import Front, options_of
from morula.static.short_arguments import Lengths, both, equal_lengths, fits, short_lengths
from morula.static.short_arrays import MOST_OFFERED, MOST_VARIANTS, work_of
from morula.static.tiers.kernel_summary import Leaf, Summary
from morula.static.unsupported import Unsupported


class Kernels(JacobianKernels):
    """The adjoints of one function for one combination of argument types and active arguments.

    Attributes:
        leaves: the active differentiable parts of the arguments.
        value_leaves: the differentiable parts of the value.
        written: the arguments whose arrays the function may write into.
        may_burst: whether a seed can become infinite: then `guarded` is needed.
        value_kind, is_repeatable: see `Summary`.
        frozen: what the rules of the user that it calls take for constant.
        lengths: of arrays among the arguments for which alone they are right.
        watch: looks whether they are still those of the compiled function.
    """

    def __init__(self, dispatcher: Any, read: Front, active: tuple[bool, ...], shelf: Shelf | None = None):
        self.dispatcher, self.read, self.active, self.shelf = dispatcher, read, active, shelf
        self.lengths = read.lengths
        self.watch = Watch(dispatcher, read.argument_types, shelf)
        self._options = options_of(dispatcher)
        super().__init__()
        self._is_parallel = bool(self._options.get("parallel"))
        summary = None if shelf is None else shelf.summary()
        self.frozen: tuple = ()  # of what is kept on disk: it calls no rules
        if summary is None:
            summary = self._summary()
            rules = [
                s.attr for s in walk(self._emitted_of[0].body) if isinstance(s, Op) and isinstance(s.attr, CalledRule)
            ]
            self.frozen = tuple(rule.frozen for rule in rules if rule.frozen is not None)
            if shelf is not None:
                shelf.keep(summary)
        self.leaves, self.value_leaves, self.written = summary.leaves, summary.value_leaves, summary.written
        self.may_burst, self.value_kind = summary.may_burst, summary.value_kind
        self.is_repeatable = summary.is_repeatable

    def _summary(self) -> Summary:
        f, emitted = self._emitted_of
        leaves = tuple(Leaf(*f.leaves[v], is_array(v)) for v in requested(f, self.active))
        return Summary(
            leaves,
            value_leaves(f),
            emitted.written,
            emitted.may_burst,
            value_kind(f.result),
            emitted.is_repeatable,
        )

    @cached_property
    def _emitted_of(self) -> tuple[Function, Emitted]:
        f = self.read.representation()
        return f, emit_joint(f, self.active, f"{f.name}_adjoint", is_parallel=self._is_parallel, is_final=True)

    @property
    def emitted(self) -> Emitted:
        """The joint function."""
        return self._emitted_of[1]

    @property
    def emitted_again(self) -> Emitted:
        """The joint function as a text that can go through the passes again.

        It has no threads and pointers, nor tests whether a cotangent is zero: its tangent need not be.
        """
        if not re.search(r"\b(parts_for|room_for|added)\(|_bar != 0\.0:", self.emitted.text):
            return self.emitted
        f = self.read.representation()
        return emit_joint(f, self.active, self.emitted.name)

    def refresh(self) -> None:
        """Start again if what a rule of the user takes for constant has another value now."""
        if not all(frozen.is_current() for frozen in self.frozen):
            self.read.form.ruled.clear()
            for name, held in {**vars(JacobianKernels), **vars(type(self))}.items():
                if isinstance(held, cached_property):
                    self.__dict__.pop(name, None)
            self.__init__(self.dispatcher, self.read, self.active, self.shelf)  # type: ignore[misc]

    @property
    def source(self) -> str:
        """The generated text: the joint function, and the split pair where there is one."""
        texts = []
        for which in ("plain", "split"):
            kept = None if self.shelf is None else self.shelf.text(which)
            texts.append(self._text(which)[0] if kept is None else kept[0])
        return "\n\n".join([text for text in texts if text])

    # -- the joint function ---------------------------------------------------------------------------------------

    @cached_property
    def plain(self) -> Callable:
        """The compiled joint function ``(*args, *array_bars, *seeds) -> (value, numbers[, is_finite])``."""
        return self._functions("plain")[0]

    @cached_property
    def guarded(self) -> Callable:
        """The same where infinite seeds are killed by exact zeros; needed where something was not finite."""
        return self._functions("guarded")[0]

    def joint(self, args: tuple, array_bars: list, seeds: tuple) -> tuple[Any, tuple]:
        """The value, and the cotangents of the arguments: those of arrays are added to `array_bars`."""
        self.refresh()
        if not self.may_burst:
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
        if not self.may_burst:
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
        f = self.read.representation()
        return emit_split(f, self.active, f.name, self._is_parallel)

    @cached_property
    def halves(self) -> tuple[Callable, Callable] | None:
        """The compiled functions ``(*args) -> (value, tape)`` and ``(*args, tape, *array_bars, *seeds) -> numbers``."""
        found = self._functions("split")
        return (found[0], found[1]) if found else None

    def forward(self, args: tuple) -> tuple[Any, Any]:
        """The value and the tape."""
        self.refresh()
        if self.halves is not None:
            return self.halves[0](*args)
        held = tuple(copied(x) if k in self.written else x for k, x in enumerate(args))
        return self.primal(*args), held

    def primal(self, *args: Any) -> Any:
        """The function itself."""
        return self.dispatcher(*args)

    def backward(self, args: tuple, tape: Any, array_bars: list, seeds: tuple) -> tuple:
        """The cotangents of the arguments, from a tape of `forward`; as often as wanted."""
        if self.halves is not None:
            return self.halves[1](*args, tape, *array_bars, *seeds)
        again = tuple(copied(x) if k in self.written else x for k, x in enumerate(tape))
        return self.joint(again, array_bars, seeds)[1]

    # -- the tangent function --------------------------------------------------------------------------------------

    @cached_property
    def emitted_tangent(self) -> EmittedTangent:
        """The text of the tangent function ``(*args, *dots) -> (value, dots of the value)``."""
        f = self.read.representation()
        return emit_tangent(f, self.active, f"{f.name}_tangent")

    @cached_property
    def plain_tangent(self) -> Callable:
        return self._functions("tangent")[0]

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

    def _text(self, which: str) -> Text:
        """A generated text; one of no functions where it was found that there is none."""
        if which == "split":
            split = self._split
            if split is None:
                return "", (), {}
            return split.text, (split.forward, split.backward), split.namespace
        if which.startswith(("rows", "columns", "blocks", "pushed")):
            return self._jacobians(which)
        if which == "tangent":
            tangent = self.emitted_tangent
            return tangent.text, tangent.names, tangent.namespace
        if which.startswith("lanes"):
            f = self.read.representation()
            how = WIDTHS[int(which.removeprefix("lanes"))]
            tangent = emit_tangent(f, self.active, f"{f.name}_tangents", how)
            return tangent.text, tangent.names, tangent.namespace
        made = self.emitted
        if which == "guarded":
            f = self.read.representation()
            name = f"{f.name}_adjoint"
            made = emit_joint(f, self.active, name, is_guarded=True, is_parallel=self._is_parallel, is_final=True)
        return made.text, (made.name,), made.namespace

    def _functions(self, which: str) -> tuple[Callable, ...]:
        return self.functions(which, lambda: self._text(which))

    def functions(self, which: str, made: Callable[[], Text]) -> tuple[Callable, ...]:
        """The functions of a text, under Numba: those of the disk cache if it has them."""
        found = None if self.shelf is None else self.shelf.functions(which)
        if found is None:
            text, names, namespace = made()
            namespace = {**HELPERS, **namespace}
            if self.shelf is not None and self.shelf.put(which, text, names, namespace):
                found = self.shelf.functions(which)
            if found is None:
                found = self.chained(text, names, namespace)
        return found

    def chained(self, text: str, names: tuple[str, ...], namespace: dict[str, Any]) -> tuple[Callable, ...]:
        """The functions of a text, of which each may call those before it."""
        found: dict[str, Callable] = {}
        for name in names:
            found[name] = self.compiled(text, name, {**namespace, **found})
        return tuple(found.values())

    def compiled(self, text: str, name: str, namespace: dict[str, Any]) -> Callable:
        """A function of a generated text; its source can be read in tracebacks and debuggers."""
        held = {**HELPERS, **namespace}
        filename = f"<adjoint of {self.read.form.name} {id(self)} {name}>"
        function = defined(text, name, filename, held)
        held.update(namespace)  # which holds others of the text, compiled
        made: Callable = compiled(function, self._options, text)
        return made


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
        Unsupported: the function is outside the subset that is translated.
    """
    kept = _KNOWN.setdefault(f, {})
    argument_types = tuple([_type_of(f, x) for x in args])
    variants = kept.setdefault((argument_types, active), {})
    short, equal = short_lengths(args), equal_lengths(args)
    offered = (equal, both(short, equal) if short else ())
    found = variants.get(offered)
    if found is None:
        special = {made.lengths: made for made in variants.values() if isinstance(made, Kernels) and made.lengths}
        if len(special) >= MOST_VARIANTS or len(variants) >= MOST_OFFERED:
            found = next((made for lengths, made in special.items() if fits(args, lengths)), None)
            offered = ((), ()) if found is None else offered
            found = found or variants.get(offered)
    if found is None:
        try:
            found = _new_kernels(f, argument_types, active, kept, offered)
        except Unsupported as error:
            found = error
        variants[offered] = found
    if isinstance(found, Unsupported):
        raise found
    return found


def _type_of(f: Any, x: Any) -> Any:
    try:
        return numba.typeof(x)
    except ValueError:
        kind = type(x).__qualname__
        raise Unsupported(f"an argument of type {kind}", function=f.py_func.__qualname__) from None


def _new_kernels(
    f: Any, argument_types: tuple, active: tuple[bool, ...], kept: dict, offered: tuple[Lengths, ...]
) -> Kernels:
    """The kernels for arrays of all lengths, or for arguments of which more is known if that saves arrays."""
    raises = getattr(f, "targetoptions", {}).get("error_model", "python") == "python"
    lengths = lengths_of(argument_types)
    form: NormalForm | None = kept.get((NormalForm, lengths))
    if form is None:
        form = kept[NormalForm, lengths] = normal_form(f.py_func, lengths=lengths)
    fronts = kept.setdefault(argument_types, {})

    def front_for(lengths: Lengths) -> Front:
        if lengths not in fronts:
            fronts[lengths] = Front(form, argument_types, raises, lengths=lengths)
        return fronts[lengths]

    def shelf_of(lengths: Lengths) -> Shelf | None:
        return shelf_for(f, form, argument_types, active, options_of(f), raises, lengths)

    chosen = _least_work(front_for, shelf_of, [lengths for lengths in offered if lengths])
    made = next((k for k in kept[argument_types, active].values() if getattr(k, "lengths", None) == chosen), None)
    return made or Kernels(f, front_for(chosen), active, shelf_of(chosen))


def _least_work(
    front_for: Callable[[Lengths], Front], shelf_of: Callable[[Lengths], Shelf | None], offered: list[Lengths]
) -> Lengths:
    """For which lengths code has the least to do; what lies on disk says so without looking."""
    for lengths in (*offered[::-1], ()):
        shelf = shelf_of(lengths)
        if shelf is not None and shelf.summary() is not None:
            return lengths
    chosen: Lengths = ()
    least = work_of(front_for(()).representation()) if offered else (0, 0)
    for lengths in offered:
        if not any(least):
            break
        makes = work_of(front_for(lengths).representation())
        if makes < least:
            chosen, least = lengths, makes
    return chosen


__all__ = ["Kernels", "Leaf", "kernels_of", "result_leaves"]
