"""What the tests of the native tier share: one program, in every way that its derivatives can be had, compared.

A program is an ``@njit`` function in a file. Its *twin* is the same source with a decorator that does nothing: what
the eager tier differentiates, and what says how Python would have gone.
"""

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[1] / "morula"))

from morula_helpers import module_of
from structures import at_path, children, leaves, replaced

import morula
from chainrules.testing.comparing import Tolerance, Unjudged, judge
from chainrules.testing.leaves import doubled

try:
    from morula.static.numba.kernels import kernels_of
    from morula.static.unsupported import Unsupported
except ImportError:  # without Numba, or before there is a generator
    kernels_of = None

    class Unsupported(Exception):
        """Never raised."""


GAP = 7.0  # what lies between the elements of arrays that are not contiguous
RTOL, RTOL_SINGLE = 1e-9, 2e-3


# -- programs and their twins ----------


def undecorated(*args: Any, **kwargs: Any) -> Any:
    """`njit` as the twin has it: the function itself."""
    return args[0] if args and callable(args[0]) else lambda f: f


UNDECORATED = {"njit": undecorated, "jit": undecorated, "prange": range}


@functools.cache
def twin_of(filename: str, **replacements: Any) -> SimpleNamespace:
    """The module of a file, undecorated. Its lines are where they were."""
    source = Path(filename).read_text(encoding="utf-8")
    lines = [
        "\n" * line.count("\n") if line.startswith("from numba import") else line
        for line in source.splitlines(keepends=True)
    ]
    names = {**UNDECORATED, "__name__": "twin", "__file__": filename, "__package__": None}
    module = module_of("".join(lines), f"twin of {filename} {replacements or ''}", **names)
    vars(module).update(replacements)
    return module


def twin(f: Any, **replacements: Any) -> Callable:
    """The plain Python function that a dispatcher was made of, whose callees are plain too."""
    return getattr(twin_of(f.py_func.__code__.co_filename, **replacements), f.py_func.__name__)


class Programs(list):
    """Programs to check: a decorator that takes the arguments of each.

    Args of the decorator:
        args: the arguments to differentiate at.
        native: whether a native adjoint is expected; otherwise falling back is right too.
        options: those of `check`.
    """

    def __call__(self, *args: Any, **options: Any) -> Callable:
        def declare(f: Any) -> Any:
            name = getattr(f, "py_func", f).__name__
            number = sum(p.values[0] is f for p in self)
            self.append(pytest.param(f, args, options, id=name if not number else f"{name}-{number}"))
            return f

        return declare


# -- values, copies, directions ----------


def A(*values: Any) -> np.ndarray:
    x = np.array(values)
    return x if x.dtype.kind == "c" else x.astype(float)


def copied(x: Any) -> Any:
    """A copy that is laid out alike; between the elements of an array that is not contiguous there is memory."""
    if isinstance(x, np.ndarray):
        if x.flags.c_contiguous:
            made = x.copy()
        elif x.flags.f_contiguous:
            made = x.copy(order="F")
        else:
            made = with_gaps(x)
        made.flags.writeable = x.flags.writeable
        return made
    if isinstance(x, tuple):
        parts = [copied(v) for v in x]
        return x._make(parts) if hasattr(x, "_make") else tuple(parts)
    return [copied(v) for v in x] if isinstance(x, list) else x


def with_gaps(x: np.ndarray) -> np.ndarray:
    """An equal array that is neither C- nor Fortran-contiguous; its `base` shows writes beside it."""
    owner = np.full((*x.shape[:-1], 2 * x.shape[-1] + 3), GAP).astype(x.dtype)
    view = owner[..., 1 : 1 + 2 * x.shape[-1] : 2]
    view[...] = x
    return view


def gaps_are_left(x: np.ndarray) -> bool:
    owner = x.base
    if owner is None or owner.shape[:-1] != x.shape[:-1] or owner.shape[-1] != 2 * x.shape[-1] + 3:
        return True
    between = np.ones(owner.shape[-1], bool)
    between[1 : 1 + 2 * x.shape[-1] : 2] = False
    return bool(np.all(owner[..., between] == GAP))


def weights_of(x: Any, rng: np.random.Generator) -> dict[tuple, Any]:
    """A random cotangent for every leaf, by its path."""

    def one(leaf: Any) -> Any:
        shape = np.shape(leaf)
        made = rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
        if np.iscomplexobj(leaf):
            made = made + 1j * rng.uniform(0.5, 1.5, shape)
        if isinstance(leaf, np.ndarray):
            return made.astype(leaf.dtype)
        return complex(made) if np.iscomplexobj(leaf) else float(made)

    return {path: one(leaf) for path, leaf in leaves(x)}


def contraction(x: Any, weights: dict[tuple, Any]) -> Any:
    """``Re <weight, leaf>``, summed. The eager tier differentiates this, too."""
    total = 0.0
    for path, weight in weights.items():
        leaf = x
        for key in path:
            leaf = leaf[key]
        total = total + np.real(np.sum(np.conj(weight) * leaf))
    return total


# -- one point, judged ----------


class Point(NamedTuple):
    """A function at some arguments, and the number whose gradient is compared.

    That number is the value weighted by `seeds`, plus what the arrays of the arguments hold *afterwards* weighted by
    `bars`. So for a written argument the bar that goes in is the cotangent of its contents after the call, and what
    comes out that of its contents before.
    """

    f: Any
    plain: Callable
    args: tuple
    y: Any
    after: tuple
    seeds: dict[tuple, Any]
    bars: dict[tuple, Any]
    rtol: float

    def loss(self, f: Callable) -> Callable:
        seeds, bars = self.seeds, self.bars

        def loss(*args: Any) -> Any:
            y = f(*args)
            return contraction(y, seeds) + contraction(args, bars)

        return loss


def point(f: Any, args: tuple, plain: Callable | None = None, rtol: float | None = None) -> Point:
    after = copied(args)
    y = f(*after)
    rng = np.random.default_rng(len(args))
    bars = {p: w for p, w in weights_of(args, rng).items() if isinstance(at_path(args, p), np.ndarray)}
    single = any(np.asarray(leaf).dtype in ("f4", "c8") for _, leaf in leaves((args, y)))
    if rtol is None:
        rtol = RTOL_SINGLE if single else RTOL
    return Point(f, plain or twin(f), args, copied(y), after, weights_of(y, rng), bars, rtol)


def check(
    f: Any, *args: Any, native: bool = True, want: Any = None, eager: bool = True, fd: bool = True,
    rtol: float | None = None, plain: Callable | None = None, inactive: tuple[int, ...] = (), twin_value: bool = True,
) -> dict[tuple, Any]:  # fmt: skip
    """Compare everything that differentiates a Numba function at one point.

    Args:
        f: the dispatcher.
        args: its arguments, by position.
        native: a native adjoint is expected: falling back is a failure.
        want: the gradient of the value itself, where it is known exactly.
        eager: compare with the eager tier on the twin.
        fd: compare with central differences of the compiled function.
        inactive: arguments that are constants in one more run, besides the one with all of them.
        twin_value: the twin computes the same value as the compiled function.

    Returns: the gradient with respect to the path of each leaf.
    """
    at = point(f, args, plain, rtol)
    found: dict[str, dict[tuple, Any]] = {}
    if eager:
        found["eager"] = eager_gradient(at, twin_value)
    try:
        found.update(native_gradients(at, inactive))
    except Unsupported as outside:
        if native and kernels_of is not None:
            raise AssertionError(f"falls back: {outside}") from outside
    first = next(iter(found.values()), None)
    for name, g in found.items():
        compare(g, first, at.rtol, f"{name} against {next(iter(found))}")
    if fd and first is not None:
        compare_with_differences(at, first)
    if want is not None:
        compare_with_known(at, want, bool(eager), "native" if native else "")
    return first or {}


def compare_with_known(at: Point, want: tuple, eager: bool, native: str) -> None:
    """The gradient of the value alone against one that was found by other means, argument by argument."""
    only = at._replace(seeds={(): 1.0}, bars={p: 0.0 * b for p, b in at.bars.items()})
    known = {path: zero_if_none(at_path(want, path), leaf) for path, leaf in leaves(at.args)}
    found = {"eager": eager_gradient(only)} if eager else {}
    found.update(native_gradients(only) if native else {})
    for name, g in found.items():
        compare(g, known, at.rtol, name)


def compare(got: dict[tuple, Any], want: dict[tuple, Any], rtol: float, at: str) -> None:
    """Equal within `rtol` of the largest finite number of all; infinite ones are the same."""
    assert list(got) == list(want), f"{at}: leaves {list(got)} are not {list(want)}"
    finite = {path: np.isfinite(w) for path, w in want.items()}
    size = max((float(np.max(np.abs(w), initial=0.0, where=finite[path])) for path, w in want.items()), default=0.0)
    for path, w in want.items():
        g = got[path]
        assert np.shape(g) == np.shape(w), f"{at}: shape {np.shape(g)} at {path} is not {np.shape(w)}"
        with np.errstate(invalid="ignore"):  # infinite less infinite, which is not looked at
            off = np.abs(np.asarray(g) - np.asarray(w))
        same = np.where(finite[path], off <= rtol * (1.0 + size), np.asarray(g) == np.asarray(w))
        assert np.all(same), f"{at}: {g!r} at {path} is not {w!r}"


def compare_values(got: Any, want: Any, at: str, rtol: float = 1e-12) -> None:
    """Alike in structure and dtype, equal within rounding; integers exactly."""
    if isinstance(want, tuple | list):
        assert isinstance(got, tuple | list) and len(got) == len(want), f"{at}: {got!r} is not {want!r}"
        for k, (g, w) in enumerate(zip(got, want, strict=True)):
            compare_values(g, w, f"{at}[{k}]", rtol)
        return
    if want is None:
        assert got is None, f"{at}: {got!r} is not None"
        return
    if isinstance(want, np.ndarray):
        assert isinstance(got, np.ndarray) and got.dtype == want.dtype, f"{at}: {got!r} is not {want!r}"
    assert np.shape(got) == np.shape(want), f"{at}: {got!r} is not {want!r}"
    exact = np.asarray(want).dtype.kind in "iub"
    ok = np.allclose(got, want, rtol=0 if exact else rtol, atol=0 if exact else rtol, equal_nan=True)
    assert ok, f"{at}: {got!r} is not {want!r}"


# -- the tiers ----------


def eager_gradient(at: Point, same_value: bool = True) -> dict[tuple, Any]:
    """By the eager tier on the twin, with its value and effects compared with those of the compiled function."""
    args = copied(at.args)
    if same_value:
        mine = copied(at.args)
        rtol = 1e-4 if at.rtol > RTOL else 1e-9
        compare_values(at.plain(*mine), at.y, "value of the twin", rtol)
        compare_values(mine, at.after, "arguments after the twin", rtol)
    g = morula.gradient(at.loss(at.plain), *args)
    compare_values(args, at.args, "arguments after an eager gradient", 0.0)
    return {path: zero_if_none(at_path(g, path), leaf) for path, leaf in leaves(at.args)}


def zero_if_none(bar: Any, leaf: Any) -> Any:
    return leaf * 0 if bar is None else bar


def native_gradients(at: Point, inactive: tuple[int, ...] = (), is_split: bool = True) -> dict[str, dict[tuple, Any]]:
    """By the generated code: joint, split (backward run twice), with bars that are not contiguous, with constants.

    Raises:
        Unsupported: outside of the subset.
    """
    if kernels_of is None:
        return {}
    kernels = kernels_of(at.f, copied(at.args), by_floats(at.args))
    check_leaves(kernels, at)
    found = {"joint": joint(kernels, at)}
    if is_split:
        found["split"] = split(kernels, at)
    if inactive:
        chosen = tuple(k not in inactive and moves for k, moves in enumerate(by_floats(at.args)))
        fewer = kernels_of(at.f, copied(at.args), chosen)
        for name, g in {"joint": joint(fewer, at), "split": split(fewer, at)}.items():
            all_of_them = {**found["joint"], **g}
            found[f"{name} without {inactive}"] = {p: all_of_them[p] for p in found["joint"]}
            assert not any(p[0] in inactive for p in g), f"{name}: cotangents of constants {list(g)}"
    return found


def by_floats(args: tuple) -> tuple[bool, ...]:
    """Which arguments programs are differentiated by: all that are no integers."""
    return tuple(not isinstance(a, int | np.integer) or isinstance(a, bool) for a in args)


def check_leaves(kernels: Any, at: Point) -> None:
    mine = [((leaf.argument, *leaf.path), leaf.is_array) for leaf in kernels.leaves]
    want = [(p, isinstance(leaf, np.ndarray)) for p, leaf in leaves(at.args)]
    assert mine == want, f"leaves of the arguments: {mine} are not {want}"
    mine = [(leaf.path, leaf.is_array) for leaf in kernels.value_leaves]
    want = [(p, isinstance(leaf, np.ndarray)) for p, leaf in leaves(at.y)]
    assert mine == want, f"leaves of the value: {mine} are not {want}"
    changed = {p[0] for p, leaf in arrays_in(at.args) if leaf.tobytes() != at_path(at.after, p).tobytes()}
    assert changed <= set(kernels.written), f"writes into {changed}, says {set(kernels.written)}"
    assert isinstance(kernels.source, str) and kernels.source


def arrays_in(x: Any, path: tuple = ()) -> list[tuple[tuple, np.ndarray]]:
    if isinstance(x, np.ndarray):
        return [(path, x)]
    return [found for k, v in children(x) for found in arrays_in(v, (*path, k))]


def seeds_of(kernels: Any, at: Point, factor: float = 1.0) -> tuple:
    return tuple(at.seeds[leaf.path] * factor for leaf in kernels.value_leaves)


def bars_of(kernels: Any, at: Point, factor: float = 1.0, gaps: bool = False) -> list[np.ndarray]:
    made = []
    for leaf in kernels.leaves:
        if leaf.is_array:
            bar = copied(at.bars[(leaf.argument, *leaf.path)] * np.asarray(factor))
            bar = bar.astype(at_path(at.args, (leaf.argument, *leaf.path)).dtype)
            made.append(with_gaps(bar) if gaps else bar)
    return made


def gradient_of(kernels: Any, at: Point, array_bars: list, scalar_bars: tuple) -> dict[tuple, Any]:
    """Array and scalar bars, by path. Constants that hold no weight of their own are left out."""
    arrays, scalars = iter(array_bars), iter(scalar_bars)
    found = {}
    for leaf in kernels.leaves:
        found[(leaf.argument, *leaf.path)] = next(arrays if leaf.is_array else scalars)
    assert next(scalars, None) is None, f"{len(scalar_bars)} scalar bars for {kernels.leaves}"
    floats = by_floats(at.args)  # for integers, infinite slopes are true ones: 0.0 ** k jumps at k = 0
    for path, bar in found.items():
        assert not floats[path[0]] or np.all(np.isfinite(bar)) or not at_is_finite(at), f"{bar!r} at {path}"
    return found


def at_is_finite(at: Point) -> bool:
    return all(np.all(np.isfinite(leaf)) for _, leaf in leaves((at.args, at.y, at.after)))


def joint(kernels: Any, at: Point, gaps: bool = False) -> dict[tuple, Any]:
    args, bars, seeds = copied(at.args), bars_of(kernels, at, gaps=gaps), seeds_of(kernels, at)
    kept = copied(seeds)
    y, scalar_bars = kernels.joint(args, bars, seeds)
    compare_values(y, at.y, "value of joint", value_rtol(at))
    compare_values(args, at.after, "arguments after joint", value_rtol(at))
    compare_values(seeds, kept, "seeds after joint", 0.0)
    assert all(gaps_are_left(a) for _, a in arrays_in((args, tuple(bars)))), "joint wrote between the elements"
    return gradient_of(kernels, at, bars, scalar_bars)


def value_rtol(at: Point) -> float:
    return 1e-12 if at.rtol == RTOL else 1e-4


def split(kernels: Any, at: Point, gaps: bool = False) -> dict[tuple, Any]:
    """Forward, then backward three times: the same twice, bit for bit, and linear in seeds and bars."""
    args = copied(at.args)
    y, tape = kernels.forward(args)
    compare_values(y, at.y, "value of forward", value_rtol(at))
    compare_values(args, at.after, "arguments after forward", value_rtol(at))
    after = copied(args)
    found = []
    for factor in (1.0, 1.0, -2.0):
        bars, seeds = bars_of(kernels, at, factor, gaps), seeds_of(kernels, at, factor)
        kept = copied(seeds)
        scalar_bars = kernels.backward(args, tape, bars, seeds)
        compare_values(args, after, "arguments after backward", 0.0)
        compare_values(seeds, kept, "seeds after backward", 0.0)
        assert all(gaps_are_left(a) for _, a in arrays_in((args, tuple(bars)))), "backward wrote between the elements"
        found.append(gradient_of(kernels, at, bars, scalar_bars))
    first, second, third = found
    for path, bar in first.items():
        same = np.asarray(bar).tobytes() == np.asarray(second[path]).tobytes()
        assert same, f"the second backward gives {second[path]!r} at {path}, the first {bar!r}"
    compare(third, {p: -2.0 * np.asarray(b) for p, b in first.items()}, at.rtol, "backward of other seeds")
    return first


def tangent_of(at: Point, direction: dict[tuple, Any], gaps: bool = False) -> tuple[float, Any]:
    """The weighted tangent of all that the function leaves, along a direction; and the kernels."""
    kernels = kernels_of(at.f, copied(at.args), by_floats(at.args))
    args = copied(at.args)
    dots = []
    for leaf in kernels.leaves:
        dot = direction[leaf.argument, *leaf.path]
        x = at_path(args, (leaf.argument, *leaf.path))
        dots.append(np.array(dot, x.dtype) if leaf.is_array else dot)
        if leaf.is_array and gaps:
            dots[-1] = with_gaps(dots[-1])
    before = copied(tuple(dots))
    y, y_dots = kernels.tangent(args, tuple(dots))
    compare_values(y, at.y, "value", value_rtol(at))
    compare_values(args, at.after, "arguments", value_rtol(at))
    assert len(y_dots) == len(kernels.value_leaves)
    found = sum(contraction(d, {(): at.seeds[leaf.path]}) for leaf, d in zip(kernels.value_leaves, y_dots, strict=True))
    for leaf, dot, old in zip(kernels.leaves, dots, before, strict=True):
        if leaf.is_array:
            found += contraction(dot, {(): at.bars[leaf.argument, *leaf.path]})
            assert leaf.argument in kernels.written or np.array_equal(dot, old), "a tangent was written into"
    return float(found), kernels


# -- differences ----------


def moved(args: tuple, direction: dict[tuple, Any], h: float) -> tuple:
    made = copied(args)
    for path, d in direction.items():
        leaf = at_path(made, path)
        if isinstance(leaf, np.ndarray):
            readonly = not leaf.flags.writeable
            leaf.flags.writeable = True
            leaf += (h * d).astype(leaf.dtype)
            leaf.flags.writeable = not readonly
        else:
            made = replaced(made, path, type(leaf)(leaf + h * d))
    return made


def along(g: dict[tuple, Any], direction: dict[tuple, Any]) -> float:
    return float(sum(np.real(np.sum(np.conj(np.asarray(g[p])) * d)) for p, d in direction.items()))


def compare_with_differences(at: Point, g: dict[tuple, Any], rtol: float = 1e-6) -> None:
    """Along two random directions: of the compiled function, or of the twin in double precision of a single one."""
    single = at.rtol > RTOL
    tolerance = Tolerance(RTOL_SINGLE, RTOL_SINGLE, 1e-2) if single else Tolerance(rtol, 1e-8, 1e-2)
    loss = at.loss(in_double(at) if single else at.f)
    args = doubled(at.args) if single else at.args
    for k in range(2):
        direction = weights_of(args, np.random.default_rng(k))
        if direction:
            judge("along a direction", along(g, direction), lambda h, d=direction: float(loss(*moved(args, d, h))),
                  tolerance, who="it")  # fmt: skip


def in_double(at: Point) -> Callable:
    """The twin, whose module may call its precision `F32` and `C64`."""
    return twin(at.f, F32=np.float64, C64=np.complex128)


__all__ = ["A", "Programs", "Unjudged", "Unsupported", "check", "point", "twin"]


def check_lanes(at: Point, which: str = "lanes8") -> None:
    """Tangents along several directions at once are those along one after the other.

    Raises:
        Unsupported: there is no such code.
    """
    kernels = kernels_of(at.f, copied(at.args), by_floats(at.args))
    text, names, namespace = kernels._text(which)
    width = int(which.removeprefix("lanes"))
    rng = np.random.default_rng(8)
    leaves = [(leaf, at_path(at.args, (leaf.argument, *leaf.path))) for leaf in kernels.leaves]
    seeds = [
        rng.normal(size=(*(np.shape(x) if leaf.is_array else (1,)), *[2] * np.iscomplexobj(x), width))
        * (rng.random(width) < 0.7)
        for leaf, x in leaves
    ]
    given = [f"a{i}" for i in range(len(at.args))]
    kinds = ["complex_" * np.iscomplexobj(x) for _, x in leaves]
    dots = [
        f"d{k}" if leaf.is_array else f"{kinds[k]}lanes_at(d{k}, (0,), {width})" for k, (leaf, _) in enumerate(leaves)
    ]
    lines = [f"def several({', '.join([*given, *[f'd{k}' for k in range(len(leaves))]])}):"]
    lines.append(f"y, dots = {names[-1]}({', '.join([*given, *dots])})")
    for k, leaf in enumerate(kernels.value_leaves):
        is_complex = np.iscomplexobj(at_path(at.y, leaf.path))
        shape = (1, 2, width) if is_complex else (1, width)
        lines.append(f"r{k} = dots[{k}]" if leaf.is_array else f"r{k} = np.empty({shape})")
        lines += [] if leaf.is_array else [f"set_{'complex_' * is_complex}lanes(r{k}, (0,), dots[{k}])"]
    lines.append(f"return y, ({''.join([f'r{k}, ' for k in range(len(kernels.value_leaves))])})")
    made = kernels.chained(f"{text}\n\n" + "\n    ".join(lines) + "\n", (*names, "several"), namespace)[-1]
    args = copied(at.args)
    moving = [s.copy() for s in seeds]
    y, found = made(*args, *moving)
    compare_values(y, at.y, "value", value_rtol(at))
    compare_values(args, at.after, "arguments", value_rtol(at))
    rtol = 1e-9 if at.rtol <= RTOL else 1e-3  # lanes are doubles
    for k in range(width):
        one = [lane(s, k, x, leaf.is_array) for s, (leaf, x) in zip(seeds, leaves, strict=True)]
        _, want = kernels.tangent(copied(at.args), tuple(one))
        for several, single in zip(found, want, strict=True):
            compare_values(lane(several, k, single, np.ndim(single) > 0), single, f"lane {k}", rtol)
        for (leaf, x), several, single in zip(leaves, moving, one, strict=True):
            if leaf.argument in kernels.written and leaf.is_array:
                compare_values(lane(several, k, x, True), single, f"lane {k} of an argument", rtol)


def lane(dots: np.ndarray, k: int, x: Any, is_array: bool) -> Any:
    """One lane of tangents, as a tangent of `x`."""
    kind = getattr(x, "dtype", type(x))
    found = dots[..., k]
    found = found[..., 0] + 1j * found[..., 1] if np.iscomplexobj(x) else found
    return np.ascontiguousarray(found).astype(kind) if is_array else type(x)(found[0])


def check_products(at: Point) -> tuple[dict[tuple, Any], dict[tuple, Any], Any]:
    """Products of the Hessian with several directions at once are those with one after the other.

    Returns:
        A direction and the product with it, by leaf, and the kernels.

    Raises:
        Unsupported: there is no such code.
    """
    kernels = kernels_of(at.f, copied(at.args), by_floats(at.args))
    if len(kernels.value_leaves) != 1 or kernels.value_leaves[0].is_array or kernels.value_leaves[0].path:
        raise Unsupported("a value that is not one number")
    if kernels.value_kind != "number":
        raise Unsupported("a value that is not real")
    from morula.static.numba.second_order import MANY, second_order

    second = second_order(kernels, copied(at.args))
    paths = [(leaf.argument, *leaf.path) for leaf in kernels.leaves]
    rng = np.random.default_rng(9)
    directions = [rng.normal(size=(MANY, *np.shape(at_path(at.args, path)))) for path in paths]
    found = second.several(copied(at.args), directions)
    if found is None:
        raise Unsupported("products with one direction at a time")
    for k in range(0, MANY, 5):
        single = second.product(copied(at.args), tuple([d[k] for d in directions]))
        for several, one in zip(found, single, strict=True):
            compare_values(np.reshape(several[k], np.shape(one)), np.asarray(one), f"product {k}", 1e-9)
    first = [np.reshape(part[0], d.shape[1:]) for part, d in zip(found, directions, strict=True)]
    return dict(zip(paths, [d[0] for d in directions], strict=True)), dict(zip(paths, first, strict=True)), kernels


def slope_of(at: Point, kernels: Any, direction: dict[tuple, Any]) -> Callable[[float], float]:
    """The derivative along a direction, as a function of a step along it."""

    def slope(h: float) -> float:
        args = copied(moved(at.args, direction, h))
        bars = [np.zeros_like(at_path(args, (leaf.argument, *leaf.path))) for leaf in kernels.leaves if leaf.is_array]
        _, numbers = kernels.fresh(args, bars, (1.0,))
        arrays, others = iter(bars), iter(numbers)
        found = {(leaf.argument, *leaf.path): next(arrays if leaf.is_array else others) for leaf in kernels.leaves}
        return float(along(found, direction))

    return slope
