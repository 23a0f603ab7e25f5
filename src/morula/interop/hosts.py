"""Hosts: plain functions as other engines call them, over flat arrays, with derivatives that are hosts again.

No closure crosses the border: another engine keeps the arrays that a host was called with, and calls its `vjp` or `jvp`
with them. These are plain Python, which Morula differentiates like any other, so that every order follows.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.errors import ResultError
from morula.interop.remote import scaled
from morula.interop.trees import (
    Branch,
    Constant,
    Node,
    built,
    conjugated,
    filled,
    flatten,
    leaf_numbers,
    parts_at,
    renumbered,
    without,
)
from morula.verbs.directional import jvp
from morula.verbs.gradients import pullback, withgradient
from morula.verbs.hessians import hessian

__all__ = ["Arrays", "Aval", "Derivative", "Host", "inexact_of"]

ndarray = np.ndarray
Arrays = list[ndarray]
Aval = tuple[tuple[int, ...], np.dtype]  # shape and dtype
NUMBERS = (float, complex, int, np.ndarray, np.number, np.bool_)


class Host:
    """A function of arrays that gives a list of arrays.

    Attributes:
        call: ``call(active, passive)``; plain Python, followed where a derivative of this is differentiated.
        active: the structure of what it is differentiated by.
        passive: that of all else.
        avals: shape and dtype of each leaf.
        inexact: whether a leaf is a floating or complex number.
        conjugates: whether the other engine's cotangents of complex numbers are the conjugates of Morula's.
        name: what errors call it.
        outs: the structure of the result, once it is known.
    """

    def __init__(
        self,
        call: Callable[[tuple, tuple], Any],
        active: Node,
        passive: Node,
        avals: Sequence[Aval],
        name: str,
        conjugates: bool = False,
        outs: Node | None = None,
        like: Callable[..., Any] | None = None,
    ):
        self.call, self.active, self.passive = call, active, passive
        self.avals = list(avals)
        self.inexact = [dtype.kind in "fc" for _, dtype in avals]
        self.name, self.conjugates = name, conjugates
        self.outs = outs
        self.outs_avals: list[Aval] = []
        self._like = like

    # -- running ------------------------------------------------------------------------------------------

    def structured(self, leaves: Sequence[Any]) -> tuple[tuple, tuple]:
        """The arguments of `call`."""
        plain = [as_plain(x) for x in leaves]
        return built(self.active, plain), built(self.passive, plain)

    def run(self, leaves: Sequence[Any]) -> Arrays:
        """The results for these arrays."""
        return self.flat(self.call(*self.structured(leaves)))

    def run_and_keep(self, leaves: Sequence[Any]) -> Arrays:
        """The same, and `bars_at_kept` is there: for engines that have state of their own for each call."""
        xs, passive = self.structured(leaves)
        if any(self.gives_number) and not self.conjugates and not passive and self.is_simple:
            with contextlib.suppress(ResultError):  # of a number value and gradient come at once
                y, found = withgradient(self.f, *xs)
                if not isinstance(y, tuple):
                    self.kept = xs, lambda y_bar: (scaled(found, y_bar),)
                    return self.flat(y)
        y, back = pullback(self.call, xs, passive=passive)
        self.kept = xs, back
        return self.flat(y)

    keeps = False  # whether that is asked for
    gives_number: Sequence[bool] = ()  # whether the last result was one number
    f: Callable  # what `call` calls
    is_simple = False  # whether ``call(active, passive)`` is ``f(*active)``
    kept: tuple[tuple, Callable] | None = None

    def bars_at_kept(self, seeds: Sequence[Any]) -> Arrays:
        """What `vjp` gives where `run_and_keep` was called last."""
        assert self.kept is not None
        xs, back = self.kept
        node, _ = self._seeds()
        y_bar = built(renumbered(node, 0), [as_plain(s) for s in seeds])
        varying = self.varying
        found = parts_at(varying, filled(varying, back(y_bar)[0], xs), [])
        return [np.asarray(bar) for bar in found]

    vmap_method = "sequential"  # how JAX batches this, see `morula.jax.to_jax`

    def widened(self, avals: Sequence[Aval]) -> Host:
        """The same function of arrays with another axis in front."""
        found = Host(self.call, self.active, self.passive, avals, self.name, self.conjugates, like=self._like)
        found.vmap_method = self.vmap_method
        return found

    def flat(self, y: Any) -> Arrays:
        """The leaves of a result as arrays."""
        leaves: list[Any] = []
        if self.outs is not None and self._is_derivative:
            return [np.asarray(x) for x in parts_at(self.outs, y, leaves)]
        node = flatten(y, is_result, leaves)
        check_result(self.name, node)
        arrays = [np.asarray(x) for x in leaves]
        if any(a.dtype.kind not in "fciub" for a in arrays):
            raise ResultError(
                f"{self.name} returned an array of dtype {next(a for a in arrays).dtype}, which does not hold numbers"
            )
        if self.outs is None:
            self.outs = node
        elif not same(self.outs, node):
            raise ResultError(f"{self.name} returned a result with a different structure than in its first run")
        self.outs_avals = avals_of(arrays)
        return arrays

    _is_derivative = False

    def like(self) -> list[Aval]:
        """Shapes and dtypes of the results, where no arguments are there yet.

        By what the user has told (`out_like`), or by a run on numbers between 0 and 1.
        """
        if not self.outs_avals:
            if self._like is not None:
                leaves: list[Any] = []
                shapes = [Shaped(*aval) for aval in self.avals]
                y = self._like(built(self.active, shapes), built(self.passive, shapes))
                self.outs = flatten(y, lambda v: is_result(v) or hasattr(v, "shape"), leaves)
                self.outs_avals = [
                    (tuple(x.shape), np.dtype(str(x.dtype).removeprefix("torch."))) if hasattr(x, "shape") else
                    ((), np.asarray(x).dtype) for x in leaves
                ]  # fmt: skip
            else:
                rng = np.random.default_rng(0)
                try:
                    self.run([rng.random(shape).astype(dtype) for shape, dtype in self.avals])
                except Exception as error:
                    error.add_note(
                        f"  {self.name} was run on numbers between 0 and 1, to find the shapes of its results "
                        "before there are any arguments; state them with out_like=, a function of the same "
                        "arguments"
                    )
                    raise
        return self.outs_avals

    @property
    def outs_inexact(self) -> list[bool]:
        """Of the leaves of the result, what `inexact` says of the arguments."""
        return [dtype.kind in "fc" for _, dtype in self.like()]

    # -- derivatives --------------------------------------------------------------------------------------

    @property
    def varying(self) -> Node:
        """The structure of a tangent of `active`."""
        return without(self.active, lambda i: self.inexact[i])

    def _seeds(self) -> tuple[Node, list[Aval]]:
        """The structure of a tangent of the result, its leaves numbered after the arguments, and their avals."""
        avals = self.like()
        kept = without(self.outs, lambda i: avals[i][1].kind in "fc")  # type: ignore[arg-type]
        return renumbered(kept, len(self.avals)), [avals[i] for i in leaf_numbers(kept)]

    @functools.cached_property
    def vjp(self) -> Host:
        """(leaves..., cotangents of the inexact results...) -> cotangents of the inexact leaves."""
        call, node, varying = self.call, self.active, self.varying
        seeds, avals = self._seeds()
        is_conjugated = self.conjugates and any(d.kind == "c" for _, d in [*self.avals, *avals])

        def pull(back: Callable, xs: tuple, y_bar: Any) -> Any:
            (bar,) = back(conjugated(seeds, y_bar) if is_conjugated else y_bar)
            found = filled(varying, bar, xs)
            return conjugated(varying, found) if is_conjugated else found

        def vjp(active: tuple, passive: tuple) -> Any:
            xs, y_bar = active
            _, back = pullback(call, xs, passive=passive)
            return pull(back, xs, y_bar)

        active = Branch(tuple, (0, 1), (node, seeds))
        found = self._derivative(vjp, active, avals, varying, [a for a in self.avals if a[1].kind in "fc"], "gradient")
        found.start = lambda xs, passive: (pullback(call, xs, passive=passive)[1], pull)
        found.of = self
        return found

    @functools.cached_property
    def jvp(self) -> Host:
        """(leaves..., tangents of the inexact leaves...) -> tangents of the inexact results."""
        call, varying = self.call, self.varying
        seeds, avals = self._seeds()

        def push(active: tuple, passive: tuple) -> Any:
            xs, xs_dot = active
            return jvp(call, (xs,), (xs_dot,), passive=passive)[1]

        inexact = [a for a in self.avals if a[1].kind in "fc"]
        active = Branch(tuple, (0, 1), (self.active, renumbered(varying, len(self.avals))))
        found = self._derivative(push, active, inexact, seeds, avals, "tangent")
        if isinstance(self, Derivative):
            found.many = self.many_tangents
        return found

    def _derivative(
        self, call: Callable, active: Node, more: list[Aval], outs: Node, outs_avals: list[Aval], what: str
    ) -> Derivative:  # fmt: skip
        found = Derivative(
            call, active, self.passive, [*self.avals, *more], f"the {what} of {self.name}", self.conjugates,
            renumbered(outs, 0),
        )  # fmt: skip
        found.outs_avals = outs_avals
        found.points = len(self.avals)
        return found


class Derivative(Host):
    """The vjp or jvp of a host: linear in all arguments after the first `points`."""

    _is_derivative = True
    points = 0
    start: Callable[..., tuple[Callable, Callable]] | None = None
    of: Host | None = None  # what this is the vjp of
    many: Callable[[Sequence[Any], Sequence[Any]], Arrays | None] | None = None  # the same for rows of the others

    def many_tangents(self, point: Sequence[Any], dots: Sequence[Any]) -> Arrays | None:
        """The tangents of this, a vjp, for rows of tangents of its arguments; None where it takes them one by one.

        Of a number that depends on one array all come from one Hessian.
        """
        f = self.of
        if f is None or f.avals[0][1].kind != "f" or f.inexact != [True] or f.active != Branch(tuple, (0,), (0,)):
            return None
        (x, seed), (rows, seed_rows) = point, dots
        if (
            [shape for shape, _ in f.like()] != [()]
            or f.outs != 0
            or np.any(seed_rows)
            or not 0 < x.size <= 4 * len(rows)
        ):
            return None
        call, passive = f.call, built(f.passive, [])
        found = hessian(lambda x: call((x,), passive), np.array(x))
        table = (found * seed).reshape(x.size, x.size)
        return [(rows.reshape(len(rows), -1) @ table).reshape(rows.shape).astype(x.dtype, copy=False)]

    def at_point(self, leaves: Sequence[Any]) -> Callable[[Sequence[Any]], Arrays]:
        """The linear map at a point, for many calls."""
        first = list(leaves)
        if self.start is None:
            return lambda rest: self.run([*first, *rest])
        assert type(self.active) is Branch
        inner, seeds = self.active.nodes
        plain = [as_plain(x) for x in first]
        xs, passive = built(inner, plain), built(self.passive, plain)
        back, pull = self.start(xs, passive)

        def along(rest: Sequence[Any]) -> Arrays:
            y_bar = built(seeds, [*plain, *[as_plain(x) for x in rest]])
            return self.flat(pull(back, xs, y_bar))

        return along


def inexact_of(inexact: Sequence[bool], values: Sequence[Any]) -> list[Any]:
    """Of one value for each leaf those of the inexact ones."""
    return [v for v, chosen in zip(values, inexact, strict=True) if chosen]


def as_plain(x: Any) -> Any:
    """A leaf as plain programs have it: an array, or a number of NumPy's for one without dimensions."""
    if isinstance(x, ndarray):
        return x[()] if x.ndim == 0 else x
    return x


def is_result(x: Any) -> bool:
    """Whether a part of a result is a number or an array."""
    return isinstance(x, NUMBERS)


def avals_of(arrays: Sequence[Any]) -> list[Aval]:
    return [(tuple(a.shape), np.dtype(a.dtype)) for a in arrays]


def check_result(name: str, node: Node) -> None:
    """Raise where a result holds something that another engine would take for a constant."""
    if type(node) is Branch:
        for part in node.nodes:
            check_result(name, part)
    elif type(node) is Constant and hasattr(type(node.value), "__array__"):
        kind = type(node.value)
        raise ResultError(
            f"{name} returned a {kind.__module__}.{kind.__qualname__}: it must compute with NumPy arrays and numbers"
        )


def same(a: Node, b: Node) -> bool:
    """Whether two structures are equal; of constants only that both are."""
    if type(a) is Branch and type(b) is Branch:
        if (a.kind, a.keys) != (b.kind, b.keys):
            return False
        return all(same(x, y) for x, y in zip(a.nodes, b.nodes, strict=True))
    return type(a) is type(b) and (type(a) is not int or a == b)


class Shaped:
    """Shape and dtype of an argument, for `out_like`."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype):
        self.shape, self.dtype, self.ndim = shape, dtype, len(shape)
