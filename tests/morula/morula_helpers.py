"""What the tests of the engine share: comparison by structure, differences, and the check of one program."""

import copy
import linecache
import math
from types import ModuleType, SimpleNamespace

import nestings
import numpy as np
import pytest
from structures import at_path, child, children, is_field_object, is_varied, leaves, replaced  # noqa: F401

import morula
from chainrules import Tangent

STEP = 1e-3


def module_of(source, name, **namespace):
    """The source as a module whose text can be found, as in a notebook cell."""
    filename = f"<{name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    module = ModuleType(name)
    vars(module).update(namespace)
    exec(compile(source, filename, "exec"), vars(module))
    return module


def nothing(x):
    """None, or a structure of nothing but None."""
    if x is None:
        return True
    return isinstance(x, tuple | list | dict | Tangent) and all(nothing(v) for _, v in children(x))


def assert_same(got, want, rtol=1e-12, atol=1e-14, at="gradient"):
    """Equal in structure, and to machine precision in every leaf; None is not zero."""
    if nothing(want) or nothing(got):
        assert nothing(want) and nothing(got), f"{at}: {got!r} is not {want!r}"
        return
    if isinstance(want, dict) and isinstance(got, Tangent):
        got = dict(got.fields())
    if isinstance(want, tuple | list | dict | Tangent):
        assert type(got) is type(want), f"{at}: {got!r} is a {type(got).__name__}, not a {type(want).__name__}"
        keys = [k for k, _ in children(want)]
        assert sorted(map(str, keys)) == sorted(str(k) for k, _ in children(got)), f"{at}: {got!r} against {want!r}"
        for k in keys:
            assert_same(child(got, k), child(want, k), rtol, atol, f"{at}[{k!r}]")
        return
    if children(want):
        for k, v in children(want):
            assert_same(child(got, k), v, rtol, atol, f"{at}.{k}")
        return
    assert np.shape(got) == np.shape(want), f"{at}: shape {np.shape(got)} is not {np.shape(want)}"
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, err_msg=at)
    if isinstance(want, np.ndarray):
        assert isinstance(got, np.ndarray), f"{at}: {type(got).__name__} is no array"


def differences(f, args, step=STEP):
    """Central differences, extrapolated once: {path: gradient of that leaf}; path[0] is the argument."""

    def along(path, leaf, index, unit):
        def value(h):
            moved = copy.deepcopy(args)
            new = leaf + h * unit
            if isinstance(leaf, np.ndarray):
                new = leaf.copy()
                new[index] += h * unit
            return float(np.real(f(*replaced(moved, path, new))))

        def central(h):
            return (value(h) - value(-h)) / (2 * h)

        return (4 * central(step / 2) - central(step)) / 3

    found = {}
    for path, leaf in leaves(args):
        units = (1.0, 1j) if np.iscomplexobj(leaf) else (1.0,)
        if isinstance(leaf, np.ndarray):
            g = np.zeros(leaf.shape, complex if len(units) == 2 else float)
            for index in np.ndindex(leaf.shape):
                g[index] = sum(along(path, leaf, index, u) * u for u in units)
        else:
            g = sum(along(path, leaf, (), u) * u for u in units)
        found[path] = g
    return found


def assert_differences(f, args, g, rtol=1e-6, atol=1e-7):
    for path, want in differences(f, args).items():
        got = at_path(g, path)
        np.testing.assert_allclose(
            0.0 if got is None else got, want, rtol=rtol, atol=atol, err_msg=f"argument path {path}: {got!r}"
        )


def assert_identical(got, want, at="value"):
    """Bit for bit the same, in the same types."""
    assert type(got) is type(want), f"{at}: {got!r} ({type(got).__name__}) is not {want!r} ({type(want).__name__})"
    if isinstance(want, np.ndarray | np.generic):
        assert got.dtype == want.dtype and got.shape == want.shape, f"{at}: {got!r} is not {want!r}"
        if got.dtype.kind != "O":
            assert got.tobytes() == want.tobytes(), f"{at}: {got!r} is not {want!r}"
    elif isinstance(want, tuple | list):
        assert len(got) == len(want), f"{at}: {got!r} is not {want!r}"
        for i, (a, b) in enumerate(zip(got, want, strict=True)):
            assert_identical(a, b, f"{at}[{i}]")
    elif isinstance(want, dict):
        assert list(got) == list(want), f"{at}: {got!r} is not {want!r}"
        for k in want:
            assert_identical(got[k], want[k], f"{at}[{k!r}]")
    elif is_field_object(want):
        assert_identical(vars(got), vars(want), at)
    elif isinstance(want, float):
        assert got == want or (math.isnan(got) and math.isnan(want)), f"{at}: {got!r} is not {want!r}"
    elif isinstance(want, int | complex | str | bytes | bool | None):
        assert got == want, f"{at}: {got!r} is not {want!r}"


def scaled(g, factor):
    if g is None:
        return None
    if isinstance(g, tuple | list):
        parts = [scaled(v, factor) for v in g]
        return g._make(parts) if hasattr(g, "_make") else type(g)(parts)
    if isinstance(g, dict):
        return {k: scaled(v, factor) for k, v in g.items()}
    if isinstance(g, Tangent):
        return Tangent(g.primal_type, **{k: scaled(v, factor) for k, v in g.fields().items()})
    return g * factor


def verify(f, *args, want=None, fd=True, log=None, unchanged=True, smooth=True):
    """All that holds for one program: value and effects as plainly run, gradient, pullback, differences.

    Args:
        f: returns a real number, or an array (then seeds are random and `gradient` is not asked).
        want: the gradient, where it is known exactly.
        fd: compare with central differences too.
        log: a list that `f` appends to; what it appends must not depend on being differentiated.
        smooth: compare second derivatives too, for a part of the programs (see `nestings`).

    Returns: the gradient.
    """

    def logged(call, *a):
        if log is not None:
            log.clear()
        result = call(*a)
        return result, (list(log) if log is not None else None)

    plain_args = copy.deepcopy(args)
    plain, plain_log = logged(f, *plain_args)

    is_array = isinstance(plain, np.ndarray)
    seed = np.random.default_rng(0).uniform(0.5, 1.5, plain.shape) if is_array else 1.0

    mine = copy.deepcopy(args)
    (y, back), my_log = logged(morula.pullback, f, *mine)
    assert_identical(y, plain)
    assert_identical(mine, plain_args, "arguments after pullback")
    if log is not None:
        assert_identical(my_log, plain_log, "log")
    first, second, third = back(seed), back(seed), back(-2.5 * seed)
    assert_identical(mine, plain_args, "arguments after back")
    if log is not None:
        assert_identical(list(log), plain_log, "log after back")
    assert_same(second, first, rtol=0, atol=0, at="the second back")
    assert_same(third, scaled(first, -2.5), rtol=1e-13, at="back of another seed")

    g = first
    if not is_array:
        mine = copy.deepcopy(args)
        g, my_log = logged(morula.gradient, f, *mine)
        if unchanged:
            assert_identical(mine, args, "arguments after gradient")
        if log is not None:
            assert_identical(my_log, plain_log, "log of gradient")
        assert_same(first, g, at="back(1.0)")
    if want is not None:
        assert_same(g, want)
    f_seeded = (lambda *a: (f(*a) * seed).sum()) if is_array else f
    nestings.check_forward(f_seeded, args, g)
    if fd and smooth and nestings.is_chosen():
        nestings.check_second_order(f_seeded, args)
    if fd:
        assert_differences(f_seeded, args, g)
    return g


NS = SimpleNamespace


class Programs(list):
    """Programs to check: a decorator that takes the arguments of each, and the parameters for pytest."""

    def __call__(self, *args):
        def declare(f):
            self.append(pytest.param(f, args, id=f.__name__))
            return f

        return declare


def keys_that_change(x, c):
    """Writes by masks and indices that are themselves written in between."""
    mask = x > 0.5
    y = x * c
    y[mask] = 1.0
    mask[:] = ~mask
    y[mask] *= y[mask]
    index = np.array([0, 1, 1])
    y[index] += 3.0
    index[:] = 2
    y[index] = x[0]
    return (y * y).sum()
