"""Pullbacks of compiled functions: the forward kernel once, and the backward kernel for each seed."""

import threading
from typing import Any

import numpy as np

from chainrules import AbstractTangent, ProjectTo, project
from morula.eager.calls.meanings import has_rule
from morula.eager.context.kinds import ATOMS
from morula.eager.context.seeds import check_seed
from morula.eager.memory.guards import Kept
from morula.eager.memory.layout import may_overlap
from morula.errors import SeedError
from morula.static.numba.sharing import any_shared
from morula.static.tiers import fallback
from morula.static.tiers.dispatch import is_dispatcher, positional
from morula.static.tiers.kernel_table import (
    arrays_in,
    at,
    compile_backward,
    does_not_compile,
    is_of_compiler,
    kernels_for,
    watched,
)
from morula.static.unsupported import Unsupported

ndarray = np.ndarray
_writing = threading.RLock()  # of kernels that may write on their way back into what arguments share with others


class NativeRun:
    """A finished call of a compiled function, as `Run` is one of any function.

    Attributes:
        y: the value.
    """

    reads = ("args", "kept", "watched")

    def __init__(self, f: Any, args: tuple, given: int, kernels: Any):
        self.f = self._f = f
        self.args = args
        self._given = given
        self._kernels = kernels
        written = arrays_in([args[i] for i in sorted(kernels.written)])
        before = [x.copy() for x in written]
        try:
            self.y, self.kept = kernels.forward(args)
            compile_backward(kernels, args, self.y, self.kept)
        except BaseException:
            for x, old in zip(written, before, strict=True):
                x[...] = old
            raise
        self.watched = watched(self.kept, self.y)
        self._marks = Kept([self])

    def gradients(self, bar: Any) -> tuple:
        """None, and the cotangents of the arguments for the seed `bar`."""
        check_seed(self.y, bar, "")
        kernels, args = self._kernels, self.args
        seeds = [_part(bar, leaf.path) for leaf in kernels.value_leaves]
        self._marks.check()
        if all(s is None for s in seeds):
            return (None,) * (self._given + 1)
        values = [at((self.y,), (0, *leaf.path)) for leaf in kernels.value_leaves]
        seeds = [seed_for(v, s) for v, s in zip(values, seeds, strict=True)]
        leaves = [(leaf.argument, *leaf.path) for leaf in kernels.leaves]
        found = {
            path: np.zeros_like(at(args, path), subok=False)
            for path, leaf in zip(leaves, kernels.leaves, strict=True)
            if leaf.is_array
        }
        with _writing:
            numbers = kernels.backward(args, self.kept, tuple(found.values()), tuple(seeds))
        paths = [path for path, leaf in zip(leaves, kernels.leaves, strict=True) if not leaf.is_array]
        bars: dict[tuple[int, ...], Any] = {
            **found,
            **{path: project(n, at(args, path)) for path, n in zip(paths, numbers, strict=True)},
        }
        return (None, *[_gradient(args[i], (i,), bars) for i in range(self._given)])


def native_run(f: Any, args: tuple) -> NativeRun | None:
    """A run of ``f(*args)`` by kernels; None where the engine is needed."""
    if not is_dispatcher(f) or fallback.current_mode() == "never" or has_rule(f):
        return None
    every = positional(f, args, {})
    if every is None:
        return None
    active = (True,) * len(args) + (False,) * (len(every) - len(args))
    try:
        kernels = kernels_for(f, every, active)
    except Unsupported:
        return None
    if kernels is None:
        return None
    arrays = arrays_in(every)
    if any(type(x) is not ndarray or may_overlap(x.shape, x.strides, x.itemsize) for x in arrays):
        return None
    if kernels.written and len(arrays) > 1:
        if any_shared(arrays_in([every[i] for i in kernels.written]), arrays):
            return None
    if not all(type(at(every, (leaf.argument, *leaf.path))) in ATOMS for leaf in kernels.leaves if not leaf.is_array):
        return None
    try:
        return NativeRun(f, every, len(args), kernels)
    except Exception as error:
        if not is_of_compiler(error):
            raise
        does_not_compile(f, every, active, error)
        return None


def _part(bar: Any, path: tuple[int, ...]) -> Any:
    """The part of a seed that belongs to a leaf of the value; None where it has none."""
    for i in path:
        if bar is None or isinstance(bar, AbstractTangent):
            return None
        bar = bar[i]
    return None if isinstance(bar, AbstractTangent) else bar


def seed_for(value: Any, bar: Any) -> Any:
    """The cotangent of a leaf of the value as a kernel takes it."""
    try:
        if isinstance(value, ndarray):
            if bar is None:
                return np.zeros(value.shape, value.dtype)
            return np.ascontiguousarray(ProjectTo(ndarray, value.shape, value.dtype)(bar)).reshape(value.shape)
        kind = complex if isinstance(value, complex) else float
        return kind(0.0 if bar is None else project(bar, value))
    except (ValueError, TypeError, AttributeError) as error:
        raise SeedError(f"the seed does not have the structure of the function's value: {error}") from error


def _gradient(x: Any, path: tuple[int, ...], bars: dict[tuple[int, ...], Any]) -> Any:
    """The gradient with respect to what lies at a path of the arguments, in its structure."""
    if not isinstance(x, tuple):
        return bars.get(path)
    parts = [_gradient(v, (*path, i), bars) for i, v in enumerate(x)]
    if all(p is None for p in parts):
        return None
    return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
