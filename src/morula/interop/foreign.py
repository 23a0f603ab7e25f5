"""Functions of another engine inside plain programs: NumPy in, NumPy out, derivatives of every order by that engine.

The first pullback keeps the other engine's residuals. What is differentiated again is its pullback at given arguments,
which is a function of that engine, too: `Flat.pulled` and `Flat.pushed` are as `Flat` is.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import chainrules
from chainrules import frule, is_absent, rrule, unthunk
from morula.interop.layers import global_name
from morula.interop.trees import Branch, Constant, Node, built, flatten, parts_at, without

__all__ = ["Engine", "Foreign"]

ndarray = np.ndarray
LEAVES = (float, complex, np.ndarray, np.number, np.bool_)


class Engine:
    """What has to be known of the other engine. Functions below take and give tuples of its arrays."""

    conjugates = False  # whether its cotangents of complex numbers are the conjugates of Morula's

    def enter(self, x: Any) -> Any:
        """An array or number as its array."""
        raise NotImplementedError

    def leave(self, y: Any) -> ndarray:
        """Its array as one of NumPy's."""
        raise NotImplementedError

    def is_array(self, y: Any) -> bool:
        """Whether a part of a result is its array."""
        raise NotImplementedError

    def is_inexact(self, y: Any) -> bool:
        """Whether its array has derivatives."""
        raise NotImplementedError

    def call(self, flat: Callable, xs: tuple, others: tuple) -> Any:
        """``flat(xs, others)``, a pair: what has derivatives and what has none."""
        raise NotImplementedError

    def vjp(self, flat: Callable, xs: tuple, others: tuple) -> tuple[tuple, tuple, Callable[[tuple], tuple]]:
        """Both, and the pullback of the first."""
        raise NotImplementedError

    def pull(self, flat: Callable, xs: tuple, others: tuple, bars: tuple) -> tuple:
        """The pullback, as a function that the engine can differentiate."""
        raise NotImplementedError

    def push(self, flat: Callable, xs: tuple, others: tuple, dots: tuple) -> tuple:
        """The tangents of the first, as a function that the engine can differentiate."""
        raise NotImplementedError


class Flat:
    """A function of the other engine for arguments of one structure: of its arrays, to its arrays.

    Attributes:
        outs: the structure of the result, once it is known; its leaves are numbers in `kinds`.
        kinds: for each leaf of the result whether it has derivatives.
        lost: the structure of the arguments with the cotangents of constants, once it was needed.
    """

    lost: Node | None = None

    def __init__(self, engine: Engine, f: Callable, node: Node, inexact: tuple[bool, ...]):
        self.engine, self.f, self.node, self.inexact = engine, f, node, inexact
        self.outs: Node | None = None
        self.kinds: list[bool] = []

    def __call__(self, xs: tuple, others: tuple) -> tuple[tuple, tuple]:
        """Both kinds of results."""
        one, other = iter(xs), iter(others)
        args, kwargs = built(self.node, [next(one) if inexact else next(other) for inexact in self.inexact])
        found: list[Any] = []
        self.outs = flatten(self.f(*args, **kwargs), self.engine.is_array, found)
        self.kinds = [self.engine.is_inexact(y) for y in found]
        return split(found, self.kinds)

    @functools.cached_property
    def pulled(self) -> Flat:
        """(xs..., cotangents of the results...) -> cotangents of xs."""
        return Pulled(self)

    @functools.cached_property
    def pushed(self) -> Flat:
        """(xs..., tangents of xs...) -> tangents of the results."""
        return Pushed(self)


class Pulled(Flat):
    """See `Flat.pulled`."""

    def __init__(self, flat: Flat):
        super().__init__(flat.engine, flat.f, None, ())  # type: ignore[arg-type]
        self.of = flat

    def __call__(self, xs: tuple, others: tuple) -> tuple[tuple, tuple]:
        """The cotangents."""
        n = self.arguments
        return tuple(self.engine.pull(self.of, xs[:n], others, xs[n:])), ()

    @property
    def arguments(self) -> int:
        """How many arguments the function has that this is the derivative of."""
        return arguments_of(self.of)


class Pushed(Pulled):
    """See `Flat.pushed`."""

    def __call__(self, xs: tuple, others: tuple) -> tuple[tuple, tuple]:
        """The tangents."""
        n = self.arguments
        return tuple(self.engine.push(self.of, xs[:n], others, xs[n:])), ()


def arguments_of(flat: Any) -> int:
    """How many arrays with derivatives it takes."""
    if isinstance(flat, Pushed):
        return 2 * arguments_of(flat.of)
    if isinstance(flat, Pulled):
        return arguments_of(flat.of) + results_of(flat.of)
    return sum(flat.inexact)


def results_of(flat: Any) -> int:
    """How many it gives."""
    if isinstance(flat, Pushed):
        return results_of(flat.of)
    return arguments_of(flat.of) if isinstance(flat, Pulled) else sum(flat.kinds)


def split(values: Any, chosen: Any) -> tuple[tuple, tuple]:
    pairs = list(zip(values, chosen, strict=True))
    return tuple([v for v, c in pairs if c]), tuple([v for v, c in pairs if not c])


class Foreign:
    """A function of the other engine as a plain one."""

    def __init__(self, f: Callable, engine: Engine):
        self.f, self.engine = f, engine
        self.flats: dict[Any, Flat] = {}
        functools.update_wrapper(self, f, updated=())
        with contextlib.suppress(TypeError, ValueError):  # of one written in C: active keywords are refused then
            self.__signature__ = inspect.signature(f)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The value."""
        flat, leaves = of_arguments(self, args, kwargs)
        xs, others = split(leaves, flat.inexact)
        ys, aux = run(flat, xs, others)
        return result(flat, ys, aux)

    def __repr__(self) -> str:
        return f"<{self.f!r} as a plain function>"

    def __reduce__(self) -> Any:
        return global_name(self) or (type(self), (self.f, self.engine))


class Residuals:
    """What the other engine keeps between a value and its pullback."""

    def __init__(self, back: Callable):
        self.back = back


chainrules.opaque(Foreign, Flat, Engine, Residuals)


def is_leaf(x: Any) -> bool:
    """Whether an argument becomes an array of the other engine; integers, booleans and strings stay what they are."""
    return isinstance(x, LEAVES)


def of_arguments(function: Foreign, args: tuple, kwargs: dict) -> tuple[Flat, list[Any]]:
    """The function for arguments of this structure, and their leaves."""
    if not kwargs and all(type(x) is ndarray for x in args):  # most calls: there is no structure to look for
        leaves = list(args)
        made = function.flats.get(len(args))
        if made is not None and made.inexact == tuple(map(is_inexact, leaves)):
            return made, leaves
    leaves = []
    return flat_for(function, flatten((args, kwargs), is_leaf, leaves), leaves), leaves


def flat_for(function: Foreign, node: Any, leaves: list[Any]) -> Flat:
    """The function for arguments of this structure: the same object for the same structure, since engines keep it."""
    inexact = tuple([is_inexact(x) for x in leaves])
    key = (key_of(node), inexact)
    try:
        found = function.flats.get(key)
    except TypeError:  # a constant that has no hash
        return Flat(function.engine, function.f, node, inexact)
    if found is None:
        found = function.flats.setdefault(key, Flat(function.engine, function.f, node, inexact))
    if [part.nodes for part in node.nodes] == [tuple(range(len(leaves))), ()]:  # arrays and numbers by position
        function.flats[len(leaves)] = found
    return found


def is_inexact(x: Any) -> bool:
    return not hasattr(x, "dtype") or x.dtype.kind in "fc"


def key_of(node: Node) -> Any:
    if type(node) is Branch:
        return (node.kind, node.keys, tuple(map(key_of, node.nodes)))
    return (type(node.value), node.value) if type(node) is Constant else node


def entered(flat: Flat, xs: tuple) -> tuple:
    return tuple([flat.engine.enter(x) for x in xs])


def left(flat: Flat, ys: tuple) -> tuple:
    return tuple([flat.engine.leave(y) for y in ys])


def run(flat: Flat, xs: tuple, others: tuple) -> tuple[tuple, tuple]:
    """The results."""
    ys, aux = flat.engine.call(flat, entered(flat, xs), entered(flat, others))
    return left(flat, ys), left(flat, aux)


def start(flat: Flat, xs: tuple, others: tuple) -> tuple[tuple, tuple, Residuals]:
    """The results, and what the pullback needs."""
    ys, aux, back = flat.engine.vjp(flat, entered(flat, xs), entered(flat, others))
    return left(flat, ys), left(flat, aux), Residuals(back)


def run_back(flat: Flat, residuals: Residuals, xs: tuple, others: tuple, bars: tuple) -> tuple:
    """The cotangents of `xs`; the residuals are those at `xs`."""
    return left(flat, residuals.back(entered(flat, bars)))


chainrules.non_differentiable(flat_for)


@rrule(start)
def start_rule(flat: Flat, xs: tuple, others: tuple) -> Any:
    ys, aux, residuals = start(flat, xs, others)

    def start_pullback(bars: Any) -> tuple:
        y_bars = seeds(ys, None if is_absent(bars) or bars is None else bars[0])
        return None, run_back(flat, residuals, xs, others, y_bars), None

    return (ys, aux, residuals), start_pullback


@rrule(run_back)
def run_back_rule(flat: Flat, residuals: Residuals, xs: tuple, others: tuple, bars: tuple) -> Any:
    found, _, again = start(flat.pulled, (*xs, *bars), others)
    n = len(xs)

    def run_back_pullback(found_bar: Any) -> tuple:
        given = run_back(flat.pulled, again, (*xs, *bars), others, seeds(found, found_bar))
        return None, None, given[:n], None, given[n:]

    return found, run_back_pullback


@rrule(run)
def run_rule(flat: Flat, xs: tuple, others: tuple) -> Any:
    ys, aux, residuals = start(flat, xs, others)

    def run_pullback(bars: Any) -> tuple:
        y_bars = seeds(ys, None if is_absent(bars) or bars is None else bars[0])
        return None, run_back(flat, residuals, xs, others, y_bars), None

    return (ys, aux), run_pullback


@frule(run)
def run_frule(primals: tuple, tangents: tuple) -> Any:
    flat, xs, others = primals
    ys, aux = run(flat, xs, others)
    dots, _ = run(flat.pushed, (*xs, *seeds(xs, tangents[1])), others)
    return (ys, aux), (dots, None)


@frule(start)
def start_frule(primals: tuple, tangents: tuple) -> Any:
    flat, xs, others = primals
    ys, aux, residuals = start(flat, xs, others)
    dots, _ = run(flat.pushed, (*xs, *seeds(xs, tangents[1])), others)
    return (ys, aux, residuals), (dots, None, None)


@frule(run_back)
def run_back_frule(primals: tuple, tangents: tuple) -> Any:
    flat, residuals, xs, others, bars = primals
    found = run_back(flat, residuals, xs, others, bars)
    dots, _ = run(flat.pulled.pushed, (*xs, *bars, *seeds(xs, tangents[2]), *seeds(bars, tangents[4])), others)
    return found, dots


def seeds(ys: tuple, bars: Any) -> tuple:
    """Cotangents or tangents without gaps, of the shape and dtype of the values."""
    gap = bars is None or is_absent(bars)
    return tuple([seed(y, None if gap else bars[i]) for i, y in enumerate(ys)])


def seed(y: Any, bar: Any) -> Any:
    if bar is None or is_absent(bar):
        return np.zeros_like(y)
    bar = unthunk(bar)
    return bar if getattr(bar, "dtype", None) == np.asarray(y).dtype else np.asarray(bar).astype(np.asarray(y).dtype)


def result(flat: Flat, ys: tuple, aux: tuple) -> Any:
    """The result in its structure, with numbers for arrays without dimensions."""
    one, other = iter(ys), iter(aux)
    leaves = [next(one) if inexact else next(other) for inexact in flat.kinds]
    assert flat.outs is not None
    return built(flat.outs, [y[()] if y.ndim == 0 else y for y in leaves])


@rrule(Foreign, instances=True)
def foreign_rule(function: Foreign, *args: Any, **kwargs: Any) -> Any:
    flat, leaves = of_arguments(function, args, kwargs)
    xs, others = split(leaves, flat.inexact)
    ys, aux, residuals = start(flat, xs, others)

    def foreign_pullback(y_bar: Any) -> Any:
        bars = run_back(flat, residuals, xs, others, seeds(ys, y_bars(flat, y_bar)))
        return x_bars(flat, bars)

    return result(flat, ys, aux), foreign_pullback


def y_bars(flat: Flat, y_bar: Any) -> list[Any]:
    assert flat.outs is not None
    found = parts_at(flat.outs, None if is_absent(y_bar) else y_bar, [])
    return [bar for bar, inexact in zip(found, flat.kinds, strict=True) if inexact]


def x_bars(flat: Flat, bars: tuple) -> tuple:
    """Cotangents of the positional arguments in their structure."""
    one = iter(bars)
    leaves = [next(one) if inexact else LOST for inexact in flat.inexact]
    if type(flat.lost) is not Branch:
        flat.lost = lost(flat.node)
    return built(flat.lost, leaves)[0]


LOST = chainrules.NotImplementedTangent(
    "another library treats an integer or an object as a constant; pass floating-point numbers and arrays, also "
    "in tuples, lists and dicts"
)


def lost(node: Node) -> Node:
    """The structure with the cotangent of each constant; it is an error only where somebody asks for it."""
    if type(node) is Branch:
        return Branch(node.kind, node.keys, tuple(map(lost, node.nodes)))
    is_plain = type(node) is Constant and isinstance(node.value, str | bool | None)
    return Constant(None if is_plain else LOST) if type(node) is Constant else node


def refuse_lost(node: Node, dots: Any) -> None:
    """Raise where a constant has a tangent."""
    if type(node) is Branch:
        if dots is not None:
            for key, part in zip(node.keys, node.nodes, strict=True):
                refuse_lost(part, dots.get(key) if isinstance(dots, dict) else dots[key])
    elif type(node) is Constant and not (dots is None or is_absent(dots)):
        raise chainrules.NotImplementedDerivative(LOST.reason)


@frule(Foreign, instances=True)
def foreign_frule(primals: tuple, tangents: tuple, **kwargs: Any) -> Any:
    function, *args = primals
    flat, leaves = of_arguments(function, tuple(args), kwargs)
    xs, others = split(leaves, flat.inexact)
    given = tuple([None if t is None or is_absent(t) else t for t in tangents[1:]])
    refuse_lost(flat.node, (given, {}))
    dots = parts_at(flat.node, (given, {}), [])
    if any(t is not None and not inexact for t, inexact in zip(dots, flat.inexact, strict=True)):
        raise chainrules.NotImplementedDerivative(LOST.reason)
    xs_dot = seeds(xs, [t for t, inexact in zip(dots, flat.inexact, strict=True) if inexact])
    ys, aux = run(flat, xs, others)
    ys_dot, _ = run(flat.pushed, (*xs, *xs_dot), others)
    one = iter(ys_dot)
    assert flat.outs is not None
    y_dots = [next(one) if inexact else None for inexact in flat.kinds]
    return result(flat, ys, aux), built(without(flat.outs, lambda i: flat.kinds[i]), y_dots)
