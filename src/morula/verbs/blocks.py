"""The matrices of a jacobian: one for each leaf of the result and of the arguments, by sweeps or by forward runs.

A complex number `a` counts as its two parts: ``by_re`` has the derivatives with respect to the real one, ``by_im``
those by the imaginary one. All that is said of complex functions follows from these two.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.eager.calls.registry import where_active
from morula.errors import ResultError
from morula.verbs.curvature import Program
from morula.verbs.directional import jvp
from morula.verbs.progress import Progress, ticking
from morula.verbs.structure import Leaf, Structure
from morula.verbs.taped import Taped

ndarray = np.ndarray


class Pushed:
    """A function whose tangents are asked for leaf by leaf; every push is a run of its own.

    Attributes:
        y: the value.
        outs: the structure of that.
    """

    def __init__(self, f: Callable, args: tuple, kwargs: dict, ins: list[Structure]):
        self._call = f, args, kwargs
        self._ins = ins
        self._outs: Structure | None = None
        self._first: list | None = None
        self.y: Any = None
        xs = leaves_of(ins)
        units = [unit(x, 0) if x.count else None for x in xs]
        some = next((j for j, u in enumerate(units) if u is not None), None)
        if some is None:
            self.y = f(*args, **kwargs)
        else:
            self._first = self.push(only(len(xs), some, units[some]))
        self.outs = self._outs or Structure(self.y, "the result")

    def first(self) -> list | None:
        """What came of the first number of the arguments; once."""
        first, self._first = self._first, None
        return first

    def push(self, parts: list) -> list:
        """The tangents of the leaves of the result, for those of the leaves of all arguments."""
        f, args, kwargs = self._call
        tangents: list[Any] = []
        start = 0
        for s in self._ins:
            mine = parts[start : start + len(s.leaves)]
            tangents.append(None if all(p is None for p in mine) else s.tangent(mine))
            start += len(s.leaves)
        tangents += [None] * (len(args) - len(tangents))
        y, y_dot = jvp(f, args, tuple(tangents), **kwargs)
        if self._outs is None:
            self.y, self._outs = y, Structure(y, "the result")
        return self._outs.parts(y_dot)


def columns_of(
    f: Callable, args: tuple, kwargs: dict, ins: list[Structure]
) -> tuple[Any, list[ndarray]] | None:  # fmt: skip
    """The value and the columns of the jacobian, by leaf of the arguments, from a single run.

    None where the function cannot be recorded as a `Program`, or returns anything but a real number or array.
    """
    parts = [p for s, a in zip(ins, args, strict=True) for p in s.values(a)]
    if not parts or not all(type(p) is float or (type(p) is ndarray and p.dtype == float) for p in parts):
        return None
    counts = [len(s.leaves) for s in ins]

    def of_parts(*parts: Any) -> Any:
        given, start = [], 0
        for s, n in zip(ins, counts, strict=True):
            given.append(s.value(parts[start : start + n]))
            start += n
        return f(*given, **kwargs)

    program = Program.of(of_parts, tuple(parts))
    if program is None or not isinstance(program.value, float | ndarray):
        return None
    ends = np.cumsum([0, *[np.size(p) for p in parts]])
    units = np.eye(ends[-1])
    between = list(itertools.pairwise(ends))
    directions = [
        units[:, start:end].reshape(len(units), *np.shape(p)) for p, (start, end) in zip(parts, between, strict=True)
    ]
    rows = program.push(directions).reshape(len(units), np.size(program.value))
    if not np.isfinite(rows).all():
        return None
    return program.value, [rows[start:end] for start, end in between]


@where_active(columns_of)
def _none(*_: Any) -> tuple[Any, Any]:
    return None, None


def leaves_of(structures: list[Structure]) -> list[Leaf]:
    """The leaves of several structures, in order."""
    return [leaf for s in structures for leaf in s.leaves]


def unit(leaf: Leaf, k: int, one: complex = 1.0) -> Any:
    """Zeros in the shape of a leaf, but for `one` as the number `k`."""
    found = np.zeros(leaf.count, leaf.dtype)
    found[k] = one
    return leaf.cast(found.reshape(leaf.shape))


def only(parts: int, i: int, part: Any) -> list:
    """A list of `parts` items, all None but for `part` at index `i`."""
    return [part if j == i else None for j in range(parts)]


def number_dtype(y: Leaf, x: Leaf) -> np.dtype:
    """Of the derivatives of `y` by one part of `x`: as exact as a gradient, complex where `y` is."""
    real = np.zeros(0, x.dtype).real.dtype
    return np.result_type(real, np.complex64) if y.is_complex else real


Matrices = list[list[ndarray]]


class Blocks:
    """The matrices ``by_re[i][j]`` and ``by_im[i][j]`` of result `i` and argument `j`, leaves both.

    ``by_im`` is only for complex arguments, and not known for those of holomorphic functions, where it is
    i times the other.
    """

    def __init__(self, ys: list[Leaf], xs: list[Leaf]):
        self.ys = ys
        self.xs = xs
        self.by_re = self._zeros()
        self.by_im = self._zeros()

    def _zeros(self) -> Matrices:
        return [[np.zeros((y.count, x.count), number_dtype(y, x)) for x in self.xs] for y in self.ys]

    def sweep(self, taped: Taped, holomorphic: bool, progress: Progress | None = None) -> None:
        """Fill row by row."""
        tick = ticking(progress, sum(y.count for y in self.ys))
        both = not holomorphic or any(not x.is_complex for x in self.xs)
        for i, y in enumerate(self.ys):
            for k in range(y.count):
                for one in (1.0, 1.0j)[: 1 + (y.is_complex and both)]:
                    bars = taped.pull(only(len(self.ys), i, unit(y, k, one)))
                    for j, (x, bar) in enumerate(zip(self.xs, bars, strict=True)):
                        if bar is None:
                            continue
                        row = np.ravel(bar).astype(x.dtype)
                        if holomorphic and x.is_complex:
                            if one == 1.0:
                                self.by_re[i][j][k] = row.conj() if y.is_complex else row.real
                                self.by_im[i][j][k] = 1j * row.conj() if y.is_complex else row.imag
                            continue
                        self.by_re[i][j][k] += one * row.real if one != 1.0 else row.real
                        if x.is_complex:
                            self.by_im[i][j][k] += one * row.imag if one != 1.0 else row.imag
                tick()

    def push(self, pushed: Pushed, holomorphic: bool, progress: Progress | None = None) -> None:
        """Fill column by column."""
        tick = ticking(progress, sum(x.count for x in self.xs))
        for j, x in enumerate(self.xs):
            for k in range(x.count):
                for one in (1.0, 1.0j)[: 1 + (x.is_complex and not holomorphic)]:
                    dots = pushed.first() or pushed.push(only(len(self.xs), j, unit(x, k, one)))
                    for i, dot in enumerate(dots):
                        if dot is not None:
                            (self.by_re if one == 1.0 else self.by_im)[i][j][:, k] = np.ravel(dot)
                tick()
        if holomorphic:
            for i, y in enumerate(self.ys):
                for j, x in enumerate(self.xs):
                    if x.is_complex and y.is_complex:
                        self.by_im[i][j] = 1j * self.by_re[i][j]

    def matrix(self) -> ndarray:
        """One real matrix of real results by real numbers; a complex argument has two columns, as in `ravel`."""
        rows = []
        for of_re, of_im in zip(self.by_re, self.by_im, strict=True):
            columns = []
            for x, by_re, by_im in zip(self.xs, of_re, of_im, strict=True):
                columns.append(np.stack([by_re, by_im], -1).reshape(len(by_re), -1) if x.is_complex else by_re)
            rows.append(np.concatenate(columns, 1))
        return np.concatenate(rows).astype(float)

    # -- holomorphic functions ---------------------------------------------------------------------------------

    def probe_sweep(self, taped: Taped) -> None:
        """Raise where the cotangents of an imaginary seed contradict those of real ones."""
        seeds = [np.random.default_rng(i).uniform(1.0, 2.0, y.count) for i, y in enumerate(self.ys)]
        parts = [
            y.cast((1j * s).astype(y.dtype).reshape(y.shape)) if y.is_complex else None
            for y, s in zip(self.ys, seeds, strict=True)
        ]
        bars = taped.pull(parts)
        for j, (x, bar) in enumerate(zip(self.xs, bars, strict=True)):
            if x.is_complex:
                found = np.zeros(x.count, x.dtype) if bar is None else np.ravel(bar)
                rows = [(s, m[j]) for s, m, y in zip(seeds, self.by_re, self.ys, strict=True) if y.is_complex]
                want = sum((1j * (s @ m.conj()) for s, m in rows), np.zeros(x.count, x.dtype))
                size = sum((s @ abs(m) for s, m in rows), np.zeros(x.count))
                _check(found, want, size, x.dtype)
        self._check_real_results()

    def probe_push(self, pushed: Pushed) -> None:
        """Raise where the tangents of an imaginary direction contradict those of real ones."""
        along = [np.random.default_rng(j).uniform(1.0, 2.0, x.count) for j, x in enumerate(self.xs)]
        dots = pushed.push(
            [
                x.cast((1j * v).astype(x.dtype).reshape(x.shape)) if x.is_complex else None
                for x, v in zip(self.xs, along, strict=True)
            ]
        )
        for i, (y, dot) in enumerate(zip(self.ys, dots, strict=True)):
            found = np.zeros(y.count, complex) if dot is None else np.ravel(dot)
            columns = [(m, v) for m, v, x in zip(self.by_re[i], along, self.xs, strict=True) if x.is_complex]
            want = sum((1j * (m @ v) for m, v in columns), np.zeros(y.count, complex))
            size = sum((abs(m) @ v for m, v in columns), np.zeros(y.count))
            _check(found, want, size, min((x.dtype for x in self.xs), key=lambda t: np.finfo(t).precision))
        self._check_real_results()

    def _check_real_results(self) -> None:
        for i, y in enumerate(self.ys):
            for j, x in enumerate(self.xs):
                if x.is_complex and not y.is_complex and (self.by_re[i][j].any() or self.by_im[i][j].any()):
                    raise not_holomorphic()


def _check(found: ndarray, want: ndarray, size: ndarray, dtype: np.dtype) -> None:
    with np.errstate(all="ignore"):
        most = np.max(size, initial=0.0)
        if np.any(abs(found - want) > np.finfo(dtype).eps ** (1 / 3) * most):
            raise not_holomorphic()


def not_holomorphic() -> ResultError:
    """The error for `holomorphic=True` on a function that is not."""
    return ResultError(
        "jacobian with holomorphic=True, and the function is not holomorphic: its derivatives with respect to the "
        "real and the imaginary part contradict each other. Use morula.wirtinger, or differentiate the real and "
        "the imaginary part of the result."
    )
