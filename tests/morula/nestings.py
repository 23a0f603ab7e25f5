"""Forward mode and second derivatives of one program, each in every nesting that there is, and differences."""

import copy
import os
import zlib

import numpy as np
from structures import at_path, child, children, is_varied, leaves, replaced

import morula
from extent import EVERYTHING


def direction(x, rng):
    """A random tangent for every float and complex number in `x`; None for the rest."""
    if is_varied(x):
        t = rng.uniform(0.5, 1.5, np.shape(x)) * rng.choice([-1.0, 1.0], np.shape(x))
        if np.iscomplexobj(x):
            t = t + 1j * rng.uniform(0.5, 1.5, np.shape(x))
        return t.astype(x.dtype) if isinstance(x, np.ndarray) else type(x)(t)
    if isinstance(x, tuple):
        parts = [direction(v, rng) for v in x]
        return x._make(parts) if hasattr(x, "_make") else tuple(parts)
    if isinstance(x, list):
        return [direction(v, rng) for v in x]
    parts = {k: direction(v, rng) for k, v in children(x)}
    return {k: t for k, t in parts.items() if t is not None} or None


def moved(args, v, h):
    """`args` along `v` by the step `h`."""
    args = copy.deepcopy(args)
    for path, leaf in list(leaves(args)):
        args = replaced(args, path, leaf + h * at_path(v, path))
    return args


def inner(g, v):
    """The real inner product of a gradient with a direction."""
    if g is None or v is None:
        return 0.0
    if isinstance(v, tuple | list):
        total = 0.0
        for i in range(len(v)):
            total = total + inner(g[i], v[i])
        return total
    if isinstance(v, dict):
        total = 0.0
        for k in v:
            total = total + inner(child(g, k), v[k])
        return total
    return np.real(np.sum(np.conj(g) * v))


REFUSED = [  # of programs that have first derivatives
    "writes into captured variables",
    "an array of records with tangents is used as a whole",
    "differentiates a function that it receives",
    "into an array of dtype object",
    "was given active values",
]


def is_chosen(one_of=8):
    """Whether the test that runs is one of those whose second derivatives are compared: all of them take minutes."""
    name = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0]
    return EVERYTHING or zlib.crc32(name.encode()) % one_of == 0


def check_forward(f, args, g, rtol=1e-9, atol=1e-10):
    """The jvp of `f` against its gradient."""
    v = direction(args, np.random.default_rng(1))
    mine = copy.deepcopy(args)
    try:
        y, y_dot = morula.jvp(f, mine, v)
    except morula.NotDifferentiable as refusal:
        assert any(reason in str(refusal) for reason in REFUSED), refusal
        return
    np.testing.assert_array_equal(y, f(*copy.deepcopy(args)))
    np.testing.assert_allclose(np.sum(y_dot), inner(g, v), rtol=rtol, atol=atol, err_msg="jvp against gradient")


def second_order(f, args, v):
    """The derivative of the gradient along `v`, in all nestings."""
    yield "reverse over forward", lambda *a: morula.gradient(lambda *b: morula.jvp(f, b, v)[1], *a)
    yield "reverse over reverse", lambda *a: morula.gradient(lambda *b: inner(morula.gradient(f, *b), v), *a)
    yield "forward over reverse", lambda *a: morula.jvp(lambda *b: morula.gradient(f, *b), a, v)[1]


def check_second_order(f, args, rtol=1e-5, atol=1e-6):
    """The second derivatives of `f` along two directions, from all nestings and from differences."""
    try:
        _check_second_order(f, args, rtol, atol)
    except morula.NotDifferentiable as refusal:
        assert any(reason in str(refusal) for reason in REFUSED), refusal


def _check_second_order(f, args, rtol, atol):
    rng = np.random.default_rng(2)
    v, w = direction(args, rng), direction(args, rng)

    def difference(h):
        plus, minus = (inner(morula.gradient(f, *moved(args, v, s * h)), w) for s in (1, -1))
        return (plus - minus) / (2 * h)

    want = (4 * difference(1e-3 / 2) - difference(1e-3)) / 3
    for name, nesting in second_order(f, args, v):
        got = inner(nesting(*copy.deepcopy(args)), w)
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, err_msg=name)
    recorded = morula.hvp(lambda parts: f(*parts), tuple(copy.deepcopy(args)))
    if recorded._program is not None:
        np.testing.assert_allclose(inner(recorded(v), w), want, rtol=rtol, atol=atol, err_msg="recorded")
    _, twice = morula.jvp(lambda *a: morula.jvp(f, a, v)[1], copy.deepcopy(args), w)
    np.testing.assert_allclose(twice, want, rtol=rtol, atol=atol, err_msg="forward over forward")
    if is_chosen(one_of=32):
        check_third_order(f, args, v, w)


def check_third_order(f, args, v, w):
    """Third derivatives along three directions, from nestings that have nothing but the rules in common."""
    u = direction(args, np.random.default_rng(3))

    def second(*a):
        return morula.jvp(lambda *b: morula.jvp(f, b, v)[1], a, w)[1]

    want = morula.jvp(second, copy.deepcopy(args), u)[1]
    for name, got in (
        ("reverse over two forward", lambda *a: inner(morula.gradient(second, *a), u)),
        ("forward over reverse over forward", lambda *a: inner(
            morula.jvp(lambda *b: morula.gradient(lambda *c: morula.jvp(f, c, v)[1], *b), a, w)[1], u)),
        ("reverse over reverse over forward", lambda *a: inner(
            morula.gradient(lambda *b: inner(morula.gradient(lambda *c: morula.jvp(f, c, v)[1], *b), w), *a), u)),
        ("reverse over reverse over reverse", lambda *a: inner(morula.gradient(
            lambda *b: inner(morula.gradient(lambda *c: inner(morula.gradient(f, *c), v), *b), w), *a), u)),
    ):  # fmt: skip
        np.testing.assert_allclose(got(*copy.deepcopy(args)), want, rtol=1e-7, atol=1e-7, err_msg=name)
