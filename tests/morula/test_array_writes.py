# ruff: noqa: E501
"""Writes into arrays that are no assignments: ``out=``, ``where=``, ufunc methods, and functions that move elements.

Every program reads before the write, writes, and reads after it, through the array and through another name. It
is run plainly, pulled back three times, and compared with central differences (see `verify`).
"""

import warnings

import numpy as np
import pytest
from morula_helpers import module_of, verify

import chainrules
import morula

V = np.array([0.31, 0.72, 0.55, 0.93, 1.4, -0.3])
M = np.array([[1.3, 0.2, 0.7], [0.45, 1.71, -0.6]])
S = np.array([[1.3, 0.2, 0.7], [0.45, 1.7, -0.6], [0.5, 0.1, 0.9]])
LOG: list = []


def program(source):
    """``def f(x): source``; statements on a line are separated by "; "."""
    lines = source.split("\n") if "\n" in source else source.split("; ")
    text = "def f(x):\n" + "".join(f"    {line}\n" for line in lines)
    return module_of(text, f"program {source}", np=np, V=V, LOG=LOG, rank_of=rank_of).f


def around(write, setup="a = x * 2.0"):
    """A program that reads `a`, and a view of it, before and after it is written."""
    return f"{setup}; b = a[::-1]; s = (a * a).sum() + (b * b * b).sum(); {write}; t = (a * x.reshape(a.shape)).sum(); a *= 1.5; return s + t + (b * b).sum()"


def programs(*tables):
    return pytest.mark.parametrize(("source", "x"), [(source, x) for sources, x in tables for source in sources])


# -- out= and where= ----------------------------------------------------------------------------------------------

OUT_OF_VECTOR = [
    "np.multiply(a, x, out=a)", "np.multiply(a, x, a)", "np.add(a[:-1], a[1:], out=a[1:])", "np.add(a[:-1], a[1:], a[:-1])",
    "np.add(a, 1.0, out=a[::-1])", "np.exp(x, out=(a,))", "np.sin(np.arange(6.0), out=a)", "np.clip(x, 0.4, 1.0, out=a)", "a.clip(0.4, 1.0, a)",
    "np.clip(x, 0.4, 1.0, a)", "np.cumsum(a, out=a)", "a.cumsum(None, None, a)", "np.cumprod(x, out=a)", "np.take(x, [0, 2, 2, 5, 1, 1], out=a)",
    "np.take(x, [0, 2, 2, 9, 1, 1], None, a, 'wrap')", "x.take([0, 2, 2, 9, 1, 1], None, a, 'clip')", "np.concatenate((x[3:], x[:3]), out=a)",
    "np.stack((x[3:], x[:3]), out=a.reshape(2, 3))", "np.abs(x - 0.5, out=a)", "np.modf(x * 3.1, a, np.ones(6))", "np.modf(x * 3.1, out=(a, None))",
    "np.divmod(x * 3.1, 0.7001, out=(None, a))", "np.frexp(x * 3, out=(a, np.zeros(6, int)))", "np.matmul(np.diag(x), a, out=a)", "np.einsum('i,i->i', x, x, out=a)",
    "np.dot(np.diag(x), x, out=a)", "np.dot(np.diag(x), x, a)", "np.compress([True] * 6, x, out=a)", "np.choose([0, 1, 0, 1, 1, 0], [x, x * x], a)", "np.conjugate(x, out=a)", "x.conj(a)",
    "np.add.accumulate(x, out=a)", "np.multiply.accumulate(x, 0, None, a)", "np.logaddexp.accumulate(x, 0, None, a)", "np.nancumsum(x, out=a)",
    "np.sum(np.outer(x, x), 1, out=a)", "np.outer(x, x).sum(1, None, a)", "np.add.reduce(np.outer(x, x), 1, None, a)", "np.maximum.reduce(np.outer(x, V + 1), 0, None, a)",
    "np.std(np.outer(x, x + V), axis=1, out=a)", "np.median(np.outer(x, V), 1, a)", "np.max(np.outer(x, V), 1, a)", "np.prod(np.outer(x, V), 0, out=a)",
    "np.mean(np.outer(x, V), 0, out=a, where=V[:, None] > 0)", "np.sum(np.outer(x, V), 0, out=a, where=V[:, None] > 0, initial=2.0)", "np.add.reduceat(x, [0, 3, 1, 4, 2, 2], out=a)",
]  # fmt: skip
MASKED = [
    "np.sin(a, out=a, where=a > 0.6)", "np.divide(1.0, a, out=a, where=np.array([True, False, True, False, True, True]))", "np.log(x, out=a, where=x > 0)",
    "np.power(x, x[0], out=a, where=x > 0)", "np.power(x, 2, a, where=[True, False] * 3)", "np.exp(a, out=a, where=False)", "np.exp(a, out=a, where=np.zeros(6, bool))",
    "np.exp(a, out=a, where=True)", "np.add(a[:-1], a[1:], out=a[1:], where=V[1:] > 0.6)", "np.modf(x * 2.51, where=V > 0.5, out=(a, np.ones(6)))",
    "np.divmod(x * 2.51, 0.7001, where=V > 0.5, out=(np.ones(6), a))", "np.multiply([x[0], 2.0, x[1], 1, 2, 3], x, out=a, where=V > 0.5)", "np.sin(V, out=a, where=V > 0.5)",
    "m = x > 0.5; np.sin(a, out=a, where=m); m[:] = True",
]  # fmt: skip


@programs(
    ([around(w) for w in OUT_OF_VECTOR + MASKED], V), ([around(w, "a = np.arange(6.0)") for w in OUT_OF_VECTOR], V)
)
def test_results_are_written_into_out(source, x):
    verify(program(source), x)


LAYOUTS = [
    "np.ones((3, 3), order='F')", "np.ones((5, 5))[1:4, 1:4]", "np.ones((3, 3))[::-1, ::-1]", "np.ones((3, 6))[:, ::2]",
    "np.ones((3, 3), complex).real", "np.ones((3, 3), complex).imag", "np.ones((2, 3, 3))[1]",
]  # fmt: skip
FUNCTIONS = [
    "np.exp(x, out=a)", "np.multiply(x, x, out=a)", "np.matmul(x, x, out=a)", "np.tanh(x, out=a); np.sin(a, out=a)", "np.cumsum(x, 0, out=a)",
    "np.sin(x, out=a, where=x > 0.4)", "np.add.at(a, ([0, 0, 1], [1, 1, 2]), x[0])", "np.multiply.at(a, ([0, 0, 1], [1, 1, 2]), x[0])", "np.put(a, [0, 5, 7, 5], x)",
    "np.place(a, x > 0.4, x[0])", "np.putmask(a, x > 0.4, x)", "np.fill_diagonal(a, x[0])", "np.copyto(a, x)", "np.copyto(a, x, where=x > 0.4)",
    "np.put_along_axis(a, np.array([[0], [2], [2]]), x[:, :1], 1)", "a.fill(x[0, 0])", "a.flat[2:5] = x[0]", "a.flat = x[0]", "a[...] = x",
]  # fmt: skip


@programs(
    (
        [
            f"a = {a}; s = (np.abs(a) * x).sum(); {f}; return s + (np.abs(a) * x).sum() + (a.T * x[0]).real.sum()"
            for a in LAYOUTS
            for f in FUNCTIONS
        ],
        S,
    )
)
def test_whatever_the_layout(source, x):
    verify(program(source), x)


EXACT = [
    ("np.multiply(x, x, out=a, casting='same_kind')", np.float32), ("np.sin(x, out=a)", np.float32), ("np.cumsum(x, out=a)", np.float32), ("np.copyto(a, x, casting='unsafe')", np.float32),
    ("np.sum(np.outer(x, x), 0, out=a)", np.float32), ("np.mean(np.outer(x, x), 0, out=a)", np.float32), ("np.add.at(a, [0, 0, 5], x[:3])", np.float32), ("np.put(a, [0, 3], x)", np.float32),
    ("np.sum(np.outer(x, x), 0, out=a)", complex), ("np.sin(x, out=a)", complex), ("np.multiply(x, 10, out=a, casting='unsafe')", int), ("np.put(a, [0, 3], x * 10)", int), ("np.greater(x, 0.5, out=a)", float),
    ("np.sin(x, out=a, where=x > 0.5)", np.float32),
]  # fmt: skip


@pytest.mark.parametrize(("write", "dtype"), EXACT)
@pytest.mark.parametrize("single", [False, True])
def test_values_are_those_of_numpy_in_any_dtype(write, dtype, single):
    """Differences are too coarse here: the gradient is that of the same program in double precision."""
    text = f"a = np.ones(6, {{}}); s = np.abs(a * x).sum(); {write}; return s + np.abs(a * x).sum()"
    x = V.astype(np.float32) if single else V
    f = program(text.format(f"'{np.dtype(dtype).name}'"))
    y, back = morula.pullback(f, x.copy())
    assert y.tobytes() == f(x.copy()).tobytes()
    (g,) = back(1.0)
    if np.dtype(dtype).kind in "fc":
        (want,) = morula.gradient(program(text.format("complex" if dtype is complex else "float")), V)
        if write.startswith("np.greater"):
            want = np.sign(V) + (V > 0.5)
        np.testing.assert_allclose(g, want, rtol=1e-5)
    else:
        a = np.ones(6, int)
        exec(write, {"np": np, "x": x, "a": a})
        np.testing.assert_allclose(g, np.sign(x) + np.sign(a * x) * a, rtol=1e-5)


def test_without_out_what_a_mask_leaves_out_is_no_result():
    def f(x):
        y = np.multiply(x, x, out=None, where=x > 0.5)
        low, high = np.modf(x * 2.51, out=(None, None), where=x > 0.5)
        return y[x > 0.5].sum() + low[x > 0.5].prod() + high[x > 0.5].sum()

    verify(f, V)


def test_what_is_masked_leaks_nothing():
    def f(x):
        a = np.zeros(6)
        np.divide(1.0, x, out=a, where=x != 0.0)
        np.log(a, out=a, where=a > 0.0)
        return (a * a).sum()

    x = np.where(V > 0.6, V, 0.0)
    with np.errstate(all="raise"):
        (g,) = morula.gradient(f, x)
    np.testing.assert_allclose(g, np.where(x > 0, 2 * np.log(np.where(x > 0, x, 1)) / np.where(x > 0, x, 1), 0))


FAILING = [
    "np.multiply(x, x, out=a[:2])", "np.multiply(x, x, out=np.zeros(6, int))", "np.add(a, x, a, out=a)", "np.sum(x, axis=3, out=a)", "np.sum(x, out=a)",
    "np.put(a, [0, 1, 77, 2], x[3:])", "np.put(a, [99], x)", "np.copyto(a, x[:4])", "np.copyto(a, x * 1j)", "np.copyto(np.zeros(6, int), x)", "np.place(a, x > 0, [])",
    "np.fill_diagonal(a, x)", "np.put_along_axis(a, np.array([9]), x[:1], 0)", "np.add.at(a, [0, 77], x[3])", "np.multiply.at(a, [0, 0], 1j * x[:2], 3)", "np.put(a)", "np.copyto(a)",
    "a.sort(7)", "a.partition(9)", "a.fill()", "np.sin(a, out=a, where=[True, False])", "a.setflags(write=False); np.sin(a, out=a)", "a.setflags(write=False); np.put(a, [0], x)",
    "a.setflags(write=False); a.sort()", "a.setflags(write=False); np.copyto(a, x)", "a.setflags(write=False); np.nan_to_num(a, copy=False)",
    "a.setflags(write=False); a.fill(1.0)", "np.vectorize(lambda t: t / 0)(x)", "np.vectorize(lambda t: t)(x[:0])", "np.piecewise(x, [x > 0], [1.0, 2.0, 3.0])", "np.fromiter(x, float, 9)",
]  # fmt: skip


@pytest.mark.parametrize("write", FAILING)
def test_an_error_leaves_memory_as_numpy_leaves_it(write):
    write = write.replace("; ", "\n        ")
    f = program(
        f"a = x * 2.0\ns = (a * a).sum()\nfor attempt in [0]:\n    try:\n        {write}\n        LOG.append('none')\n    except Exception as e:\n        LOG.append(type(e).__name__)\nreturn s + (a * x).sum()"
    )
    verify(f, V, log=LOG)
    assert "none" not in LOG


@pytest.mark.parametrize(
    "write",
    [
        "np.divide(a, V - 0.72, out=a)",
        "np.log(V, out=a)",
        "np.divide(a, V - 0.72, out=a, where=V > 0.6)",
        "np.divide(a, V - 0.72, out=a[:])",
        "a /= V - 0.72",
        "np.divide.at(a, [1, 2, 1], [0.0, 2.0, 2.0])",
    ],
)
@pytest.mark.parametrize("how", ["errstate", "warnings"])
def test_floating_point_errors_come_after_the_write(write, how):
    f = program(
        f"a = x * 2.0\ntry:\n    {write}\nexcept (FloatingPointError, RuntimeWarning) as e:\n    LOG.append(type(e))\nm = np.isfinite(a)\nreturn (a[m] * x[m]).sum()"
    )
    with warnings.catch_warnings(), np.errstate(all="raise" if how == "errstate" else "warn"):
        warnings.simplefilter("error")
        verify(f, V, log=LOG)
    assert LOG


@pytest.mark.parametrize("write", ["np.sin(c, out=c)", "np.modf(c, c, np.zeros(6))", "np.sin(c, out=c, where=c > 2)", "np.add.at(c, [0, 0], 2.0)", "np.multiply.at(c, [0, 0], 2.0)", "np.put(c, [0, 1], 5.0)",
    "np.place(c, c > 0, [3.0, 4.0])", "np.putmask(c, c > 0, [3.0, 4.0])", "c.sort()", "np.ndarray.sort(c)", "c.partition(2)", "np.copyto(c, 3.0)", "np.copyto(c, 3.0, where=c > 2)", "np.nan_to_num(c, copy=False)",
    "np.random.default_rng(0).shuffle(c)", "np.random.default_rng(0).permuted(c, out=c)", "np.random.default_rng(0).random(out=c)", "c.fill(2.0)", "c.flat[:2] = 4.0", "c.flat = 4.0", "c.put([0], 9.0)",
    "np.put_along_axis(c, np.array([1, 2]), 8.0, 0)", "np.cumsum(c, out=c)", "np.concatenate((c[3:], c[:3]), out=c)", "np.take(c, [3, 3, 3, 1, 1, 0], out=c, mode='clip')", "c.__iadd__(2.0)", "np.ndarray.fill(c, 3.0)",
    "c.setfield(3.0, float)", "c.byteswap(True)", "np.median(c, overwrite_input=True)", "np.percentile(c, 30, None, None, True)", "np.fill_diagonal(c.reshape(2, 3), 9.0)", "list(map(c.put, [0, 1], [5.0, 6.0]))",
    "np.lib.stride_tricks.as_strided(c, (5, 2), (8, 8))[...] = 7.0", "np.apply_along_axis(lambda r: r.put(0, 9.0) or 1.0, 0, c)",
    "try:\n    np.put(c, [0, 99], 9.0)\nexcept IndexError:\n    pass"])  # fmt: skip
def test_a_constant_that_is_written_later_counts_as_it_was(write):
    lines = "\n".join(
        ["c = np.array([5.0, 1, 4, 2, 3, 6])", "t = (c * x).sum()", write, "return t + (c * x * x).sum()"]
    )
    verify(program(lines), V)


# -- methods of ufuncs --------------------------------------------------------------------------------------------

FOLDS = [
    "add",
    "multiply",
    "maximum",
    "minimum",
    "subtract",
    "divide",
    "logaddexp",
    "hypot",
    "fmax",
    "fmin",
    "logaddexp2",
]
FOLDING = [
    "np.{}.reduce(p)", "np.{}.reduce(p, axis=1)", "np.{}.reduce(p, 1, keepdims=True)", "np.{}.reduce(p, 0, initial=0.73)", "np.{}.accumulate(p)", "np.{}.accumulate(p, axis=1)",
    "np.{}.reduceat(p, [0, 1, 0], 1)", "np.{}.outer(p, p[0] + 0.13)", "np.{}.outer(p[0, 0], p)", "np.{}.reduce([p[0, 0], 2.0, p[0, 1]])",
]  # fmt: skip


@programs(([f"p = np.abs(x) + 0.5; y = {form.format(name)}; return (y ** 2).sum() * x[0, 0]" for name in FOLDS for form in FOLDING], M), (
    ["f = np.add.reduce; return f(x, axis=None) * x[0, 0] + f(x, axis=(0, 1), where=x > 0.3, initial=1.0)", "return np.maximum.reduce(x, where=x > 0.3, initial=1.0, axis=None) * x[0, 0]",
     "y = np.power.accumulate(np.abs(x) + 0.5, 1); return (y * x).sum() + np.multiply.outer(x, [x[0, 0], 2.0]).prod()"], M))  # fmt: skip
def test_ufunc_methods(source, x):
    verify(program(source), x)


def test_the_first_of_equals_wins_a_running_maximum():
    def f(x):
        return (np.maximum.accumulate(x) * np.array([1.0, 2.0, 4.0, 8.0])).sum() + np.fmin.reduce(x[:2])

    verify(f, np.array([1.0, 1.0, 3.0, 3.0]), want=(np.array([4.0, 0.0, 12.0, 0.0]),), fd=False)


def test_what_is_no_fold_is_refused():
    """NumPy's `power.reduce` is not the fold that its documentation promises."""
    with pytest.raises(morula.NotDifferentiable, match=r"power\.reduce"):
        morula.gradient(lambda x: np.power.reduce(x), V + 1.0)


AT = [
    "np.{}.at(a, [0, 2, 2, 5, 2], x[:5] + 2.0)", "np.{}.at(a, slice(1, 4), x[:3] + 2.0)", "np.{}.at(a, np.array([True, False] * 3), x[0] + 2.0)", "np.{}.at(a[::-2], [1, 1], a[:2])",
    "np.{}.at(a.reshape(2, 3), (slice(None), [0, 0, 1]), x.reshape(2, 3) + 2.0)", "np.{}.at(a.reshape(2, 3), (..., 0), x[1] + 2)", "np.{}.at(a, 3, 2.0)", "np.{}.at(a, [], x[:0])", "np.{}.at(a, [1, 1], [x[0] + 2, 3.0])",
    "f = np.{}.at; f(a, [[0, 0], [1, 0]], x[:4].reshape(2, 2) + 2.0)", "i = np.array([1, 1, 2]); np.{}.at(a, i, x[:3] + 2); i[:] = 0",
]  # fmt: skip


@programs(([around(form.format(name), setup) for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum", "hypot") for form in AT for setup in ("a = x + 3.0", "a = V + 3.0")], V),
          ([around(w) for w in ("np.negative.at(a, [1, 1, 2])", "np.exp.at(a, [1, 2, 1])", "np.sin.at(a, 0)", "np.power.at(a, [0, 0, 3], [2, 1.5, x[3]])")], V))  # fmt: skip
def test_ufuncs_at_indices_that_repeat(source, x):
    verify(program(source), x)


# -- moving elements ----------------------------------------------------------------------------------------------

MOVES = [
    "np.put(a, [0, 2], x[1:3])", "np.put(a, [0, 2, 0, -1], x[1:3])", "np.put(a, [0, 22, 0, -11], x[1:3], mode='wrap')", "np.put(a, [0, 22, 0, -11], x[1:3], 'clip')", "np.put(a, [0, 2], x)", "np.put(a, [[0, 2]], 1.0)",
    "np.put(a, 3, x[1])", "np.put(a, [1, 2], [x[0], 3.0])", "np.put(a, [], x)", "np.put(a, [0, 1], [])", "a.put([0, 2, 4], x[::-1])", "a.put([0, 2], values=x, mode='clip')", "np.put(ind=[0], v=x, a=a)", "np.put(a, [0, 1, 2], a[1:4])", "np.put(a, [1, 2, 3], a[:3])",
    "np.place(a, x > 0.5, x[:2])", "np.place(a, x > 0.5, [x[0], 3.0])", "np.place(a, x > 0.5, 1.0)", "np.place(a, x > 50, [])", "np.putmask(a, x > 0.5, x * 3)", "np.putmask(a, x > 0.5, x[:2])", "np.putmask(a, x > 0.5, 2.0)", "np.putmask(a, a > 1, a[::-1])",
    "np.fill_diagonal(a.reshape(2, 3), x[:2])", "np.fill_diagonal(a.reshape(2, 3).T, x[1])", "np.fill_diagonal(a.reshape(6, 1), x[1:], wrap=True)", "np.fill_diagonal(a.reshape(3, 2), x[1:], True)",
    "np.put_along_axis(a, np.array([0, 2, 2]), x[:3], 0)", "np.put_along_axis(a.reshape(2, 3), np.array([[0], [2]]), x[:2, None], 1)", "np.put_along_axis(a.reshape(2, 3), np.array([0, 2, 2]), 5.0, axis=None)",
    "np.copyto(a, x[::-1])", "np.copyto(a, x[::-1], where=x > 0.5)", "np.copyto(a.reshape(2, 3), x[:3], where=[True, False, True])", "np.copyto(a, 3.0)", "np.copyto(a, x[0])", "np.copyto(a[1:], a[:-1])", "np.copyto(src=x[::-1], dst=a)",
    "np.copyto(a, [x[0], x[1], 3.0, 4.0, x[2], 1])", "np.copyto(a, x[None])", "np.copyto(a, x, 'same_kind', x > 0.5)", "m = x > 0.5; np.copyto(a, x, where=m); m[:] = True", "v = x[:2] * 1; np.put(a, [1, 2], v); v[:] = 0", "i = np.array([1, 1]); np.put(a, i, x); i[:] = 0",
    "a.fill(x[0])", "np.ndarray.fill(a, 3.0)", "a.sort()", "a[::2].sort()", "a.reshape(2, 3).T.sort(0)", "a.reshape(2, 3).sort(axis=0, kind='stable')", "a.sort(stable=True)", "np.ndarray.sort(a)", "a.partition(2)", "a.reshape(2, 3).partition([0, 2], 1)", "a.partition(kth=1)",
    "a.flat[...] = x[::-1]", "a.flat = x[:4]", "a.flat = 7.0", "a.flat[[1, 3, 1]] = x[:3]", "a.reshape(2, 3).T.flat[1:4] = x[:3]", "a.reshape(2, 3).T.flat[-1] = x[0]", "a.flat[:] = x[:4]", "a.flat[x > 0.5] = x[0]",
    "a.T[...] = x * x", "a.real = x * x", "np.ndarray.__setitem__(a, 0, x[1])", "a.__setitem__(slice(2), x[1:3])", "np.ndarray.__iadd__(a, x)", "a.__imul__(x)", "a.__ipow__(3)", "np.nan_to_num(a, copy=False)", "np.nan_to_num(a[1:], False, 7.0)",
    "np.random.default_rng(3).shuffle(a)", "np.random.default_rng(3).shuffle(a[::2])", "np.random.default_rng(3).shuffle(a.reshape(2, 3), axis=1)", "np.random.RandomState(3).shuffle(a.reshape(3, 2))", "np.random.seed(1); np.random.shuffle(a)",
    "np.random.default_rng(3).permuted(x, out=a)", "r = np.random.default_rng(3); a[...] = r.permutation(x) * r.random()", "r = np.random.default_rng(3); a[:4] = r.choice(x, 4) * r.random()", "r = np.random.default_rng(3); a[0] = r.choice(a)", "np.random.seed(3); a[:] = np.random.permutation(list(x))",
    "r = np.random.default_rng(3); a[:] = r.permuted(x.reshape(2, 3), axis=1).ravel() * r.random()",
]  # fmt: skip
# Elements that share memory, with gaps: as many elements as there are cells in the span.
GAPS = "a = np.tile(x, 2) * 2.0; w = np.lib.stride_tricks.as_strided(a, (3, 2), (0, 40)); s = (w ** 2).sum(); {}; return s + (a[:6] * x).sum() + (w ** 3).sum()"
GAPPED = [
    "np.put(w, [0, 5, 2], x)",
    "np.add.at(w, ([0, 1, 2], [0, 0, 1]), x[:3])",
    "np.multiply.at(w, ([0, 1, 2], [0, 0, 1]), x[:3])",
    "np.fill_diagonal(w, x)",
]
WINDOWS = "a = x * 2.0; w = np.lib.stride_tricks.as_strided(a, (4, 3), (8, 8)); s = (w ** 2).sum(); {}; return s + (a * x).sum() + (w ** 3).sum()"
OVERLAPPING = [
    "np.put(w, [0, 5, 7, 1], x)", "np.place(w, w > 1.0, x[:3])", "np.putmask(w, w > 1.0, x[:3])", "np.copyto(w, x[:3])", "np.copyto(w, x[:3], where=[True, False, True])", "np.fill_diagonal(w, x[:3])", "w.fill(x[0])", "w[...] = x[:3]", "w.flat[:5] = x[:5]", "w.flat = x[:5]",
    "np.add.at(w, ([0, 1, 1], [1, 0, 1]), x[:3])", "np.multiply.at(w, ([0, 1, 1], [1, 0, 1]), x[:3])", "np.multiply(x[:3], x[0], out=w)", "np.multiply(w, 2.0, out=w)", "np.multiply(x[:3], x[0], out=w, where=[True, False, True])", "w += x[:3]", "w[::2] *= 2.0",
    "np.put_along_axis(w, np.array([[0], [2], [1], [1]]), x[:4, None], 1)", "np.random.default_rng(1).shuffle(w)", "v = np.lib.stride_tricks.sliding_window_view(a, 3, writeable=True); v[1] = x[:3]",
]  # fmt: skip


@programs(
    ([around(m) for m in MOVES], V),
    ([around(m, "a = np.arange(6.0)") for m in MOVES], V),
    ([WINDOWS.format(o) for o in OVERLAPPING] + [GAPS.format(o) for o in GAPPED], V),
)
def test_elements_that_are_moved(source, x):
    verify(program(source), x)


def test_nan_is_replaced_in_place():
    def f(x):
        a = x * np.array([1, np.nan, 1, np.inf, 1, 1])
        s = np.nansum(a[:3])
        b = np.nan_to_num(a, copy=False, nan=7.0, posinf=9.0)
        return (a * b).sum() + s

    verify(f, V)


REFUSED = [
    "np.place(a, a > 1, a)", "np.concatenate((a[3:], a[:3]), out=a)", "a.resize(2)", "a.setfield(3.0, float)", "a.byteswap(True)", "np.median(a, overwrite_input=True)",
    "np.lib.stride_tricks.as_strided(a, (5, 2), (8, 8)).sort()", "np.random.default_rng(0).random(out=a)", "np.add(a, a, out=a.view(np.recarray))",
    "np.modf(a, out=(a, a))", "np.frompyfunc(abs, 1, 1)(a, dtype=object)", "np.r_[x[0]:3.0:5j]", "np.add.at(a.view(np.recarray), [0], x[0])",
]  # fmt: skip


@pytest.mark.parametrize("write", REFUSED)
def test_what_cannot_be_followed_is_refused(write):
    f = program(around(write))
    if "resize" not in write and "byteswap" not in write:
        f(V.copy())
    with pytest.raises(morula.NotDifferentiable):
        morula.gradient(f, V.copy())


@pytest.mark.parametrize(
    "write",
    [
        "np.sin(x, out=x)",
        "np.sin(x, out=x, where=x > 0)",
        "np.put(x, [0], y)",
        "np.copyto(x, y)",
        "np.add.at(x, [0], 1.0)",
        "np.multiply.at(x, [0], 2.0)",
        "x.sort()",
        "x.partition(2)",
        "np.random.default_rng(0).shuffle(x)",
        "np.nan_to_num(x, copy=False)",
    ],
)
def test_an_array_that_is_two_arguments_is_not_written(write):
    f = module_of(f"def f(x, y):\n    {write}\n    return (x * y).sum()\n", f"aliased {write}", np=np).f
    x = V.copy()
    with pytest.raises(morula.AliasedArgumentsError):
        morula.gradient(f, x, x)


def test_arguments_are_written_and_restored():
    def f(x, y):
        np.add.at(x, [0, 0], y[:2])
        np.multiply(x, y, out=y)
        np.put(y[::2], [0, 1], x[3:])
        y.sort()
        np.exp(x, out=x, where=x > 0.6)
        return (x * y).sum()

    verify(f, V.copy(), V[::-1] * 2.0 + 0.1 * np.arange(6.0))


WHOLE = np.array([0.3, 0.7, 1.1, 0.52, 0.2, 0.95, 1.7, 0.33, 0.44, 0.81, 1.3, 0.6])
PARTS = {
    "every second": lambda a: a[1:11:2],
    "backwards": lambda a: a[::-2],
    "in the middle": lambda a: a[3:9],
    "a column": lambda a: a.reshape(4, 3)[:, 1],
}


@pytest.mark.parametrize("name", PARTS)
def test_an_argument_that_is_part_of_a_larger_array(name):
    def f(x):
        np.add.at(x, [0, 0, 2], x[1] * 2)
        np.put(x, [1, 3], x[:2] * 3)
        np.sin(x, out=x, where=x > 0.5)
        np.multiply(x[::-1], 2.0, out=x[::-1])
        x.sort()
        return (x * np.arange(1.0, 1.0 + x.size)).sum()

    part = PARTS[name]
    mine, plain = WHOLE.copy(), WHOLE.copy()
    y, back = morula.pullback(f, part(mine))
    assert y == f(part(plain)) and mine.tobytes() == plain.tobytes()
    (first,), (second,) = back(1.0), back(1.0)
    assert mine.tobytes() == plain.tobytes() and first.tobytes() == second.tobytes()
    for i in range(first.size):
        up, down = WHOLE.copy(), WHOLE.copy()
        part(up)[i] += 1e-6
        part(down)[i] -= 1e-6
        np.testing.assert_allclose(first[i], (f(part(up)) - f(part(down))) / 2e-6, rtol=1e-6)


def test_arrays_without_elements_and_without_axes():
    def empty(x):
        a = np.zeros((0, 3))
        np.add.at(a, ([], []), x[:0])
        np.put(a, [], x[:0])
        np.copyto(a, x[:3])
        np.sin(a, out=a)
        np.sin(a, out=a, where=a > 0)
        a.sort()
        a.partition(1)
        a.fill(x[0])
        return np.multiply.outer(x, a).sum() + x.prod() + np.add.reduce(a * x[0], axis=None)

    def single(x):
        a = np.array(2.0)
        np.multiply(x[0], x[1], out=a)
        np.put(a, [0], a * x[2])
        a.fill(a * a)
        np.copyto(a, a + x[3])
        np.add.at(a, (), x[4])
        np.multiply.at(a, (), x[5])
        a[...] += 1
        np.place(a, [True], [a * 2.0])
        np.exp(a, out=a, where=a > -9)
        return a * x[0]

    verify(empty, V)
    verify(single, V)


def test_a_program_that_is_recomputed_writes_again():
    def body(a, x):
        b = a * 1.0
        np.sin(b, out=b, where=b > 0.4)
        np.add.at(b, [0, 0], x[:2])
        np.put(b, [3], x[1])
        b.sort()
        return b * x

    verify(lambda x: morula.checkpoint(body, x * 2, x).sum(), V)


@pytest.mark.parametrize(
    "source",
    [
        "a = np.asfortranarray(x * 2.0); r = np.random.default_rng(3); return (r.permuted(a) * M).sum()",
        "a = np.asfortranarray(x * 2.0); np.random.default_rng(3).permuted(a, out=a); return (a * M).sum()",
        "a = (x * 2.0)[::-1, ::-1]; r = np.random.default_rng(3); return (r.permuted(a) * M).sum()",
    ],
)
def test_a_permutation_goes_through_memory_in_its_order(source):
    text = "def f(x):\n" + "".join(f"    {line}\n" for line in source.split("; "))
    verify(module_of(text, f"program {source}", np=np, M=M).f, M)


def rank_of(a):
    return a.ndim


chainrules.non_differentiable(rank_of)


@pytest.mark.parametrize("a", ["np.asfortranarray(x * 2.0)", "np.asfortranarray(x * 2.0)[::-1, ::2]", "(x * 2.0).T"])
def test_code_that_only_reads_may_read_memory_in_any_order(a):
    verify(program(f"a = {a}; n = rank_of(a); return (a * a).sum() * n"), M)


@pytest.mark.filterwarnings("ignore:Setting the shape on a NumPy array:DeprecationWarning")
def test_the_shape_of_an_array_in_use_is_assigned():
    def f(x):
        y = x * 2
        y.shape = (3, 1)
        y[0, 0] = x[1]
        return (y**2).sum()

    x = np.array([0.5, 1.5, -2.0])
    np.testing.assert_allclose(morula.gradient(f, x)[0], [0.0, 10 * x[1], 8 * x[2]])
    with pytest.raises(morula.NotDifferentiable, match="shape"):
        morula.jvp(f, (x,), (x,))


@pytest.mark.parametrize("part", ["a[::-1]", "np.asarray(a[1:])[::-1]", "a.reshape(2, 2).T"])
def test_a_part_of_an_array_is_not_assigned_to_its_own_flat(part):
    """What NumPy makes of that depends on the memory: it may read elements that it has written."""

    def f(x):
        a = x * 1.0
        a.flat = eval(part, {"a": a, "np": np})
        return a @ a

    with pytest.raises(morula.NotDifferentiable, match="assign a copy"):
        morula.gradient(f, np.arange(1.0, 5.0))
