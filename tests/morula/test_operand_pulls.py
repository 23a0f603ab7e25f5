"""Rules that give the cotangent of each operand by itself: the bits, dtypes and errors of the rules as they stand."""

import subprocess
import sys

import numpy as np
import pytest

import morula
from chainrules.library.numpy import linear, reductions, select
from morula.eager.context.entries import OperandPull

RNG = np.random.default_rng(3)
V, U, A, B = RNG.normal(size=4), RNG.normal(size=4), RNG.normal(size=(4, 4)), RNG.normal(size=(4, 3))
STACK = RNG.normal(size=(2, 4, 4))
RULES = [linear.matmul_rule, linear.dot_rule, reductions.sum_rule, select.where_rule]
PROGRAMS = {
    "vectors": (lambda x, y: (x @ y) * (x @ x), (V, U)),
    "matrix and vector": (lambda x, y: (x @ y).sum(), (A, V)),
    "vector and matrix": (lambda x, y: (x @ y).sum(), (V, B)),
    "matrices": (lambda x, y: ((x @ y) ** 2).sum(), (A, B)),
    "transposed": (lambda x, y: (x.T @ y[::-1]).sum(), (A, B)),
    "stacks": (lambda x, y: ((x @ y) ** 2).sum() + (y @ x).sum(), (STACK, A)),
    "a stack and a vector": (lambda x, y: (x @ y).sum() + (y @ x).sum() ** 2, (STACK, V)),
    "repeated stack": (lambda x, y: ((x[:1] @ y) ** 2).sum(), (STACK, STACK + 1)),
    "dot": (lambda x, y: np.dot(x, y).sum() + x.dot(y).sum() ** 2, (A, V)),
    "dot of a number": (lambda x, y: np.dot(x, y).sum() + np.dot(y, x[0, 0]).sum(), (A, 0.7)),
    "dot of a stack": (lambda x, y: np.dot(x, y).sum() + (np.dot(y, x) ** 2).sum(), (STACK, A)),
    "one operand twice": (lambda x: (x @ x).sum() + np.dot(x, x).sum(), (A,)),
    "a constant operand": (lambda x: (A @ x).sum() + (x @ B).sum() ** 2, (V,)),
    "where": (lambda x, y: (np.where(x > 0, x * y, y) ** 2).sum(), (V, U)),
    "where, repeated": (lambda x, y: (np.where(A > 0, x, y) ** 2).sum(), (V, 0.3)),
    "where of numbers": (lambda x, y: np.where(V > 0, x, y).sum() ** 2, (0.4, 0.3)),
    "where, lists": (lambda x, y: (np.where(V > 0, [x, y, x, y], y) ** 2).sum(), (0.4, 0.3)),
    "sum": (lambda x: x.sum() * np.sum(x[1:]), (A,)),
    "written before": (lambda x, y: written(x, y), (A.copy(), V)),
    "complex": (lambda x, y: ((x * (1 + 2j)) @ y).sum().real + abs(np.dot(x, y * 1j)).sum(), (A, V)),
    "complex arguments": (lambda x, y: abs((x @ y).sum() + np.where(V > 0, y, 1j).sum()), (A + 1j * A.T, V - 0.5j * U)),
    "no dimensions": (lambda x: np.where(True, x.sum(), 0.0) * np.asarray(x[0]).sum(), (V,)),
    "no elements": (lambda x, y: (x[:0] @ y[:0]).sum() + np.dot(x, y), (V, U)),
}


def written(x, y):
    """Operands that change after they were used."""
    z = x @ y
    total = np.where(z > 0, z, 0.5 * z).sum()
    x[0] = 2.0 * z
    z *= 0.5
    return total + (x @ z).sum() + np.dot(x, x)[0].sum()


@pytest.fixture
def by_rules(monkeypatch):
    """Run something without the short way."""

    def run(f, *args):
        with monkeypatch.context() as patched:
            for rule in RULES:
                while rule is not None:
                    patched.delattr(rule, "by_operand", raising=False)
                    rule = getattr(rule, "__wrapped__", None)
            return f(*args)

    return run


def eagerly(f, args):
    with morula.tier("eager"):
        return morula.withgradient(f, *[a.copy() if isinstance(a, np.ndarray) else a for a in args])


@pytest.mark.parametrize("kind", ["double", "single"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bits_of_the_rules(name, kind, by_rules, monkeypatch):
    f, args = PROGRAMS[name]
    if kind == "single":
        smaller = {"f": np.float32, "c": np.complex64}
        args = tuple([a.astype(smaller[a.dtype.kind]) if isinstance(a, np.ndarray) else a for a in args])
    made = []
    monkeypatch.setattr(OperandPull, "__init__", lambda self, *given, init=OperandPull.__init__: [
        made.append(given), init(self, *given)][1])  # fmt: skip
    found = eagerly(f, args)
    assert made or kind == "single"  # whose numbers are left to the rule
    wanted, count = by_rules(eagerly, f, args), len(made)
    assert len(made) == count  # none were made without
    assert found.value == wanted.value
    for bar, other in zip(found.gradient, wanted.gradient, strict=True):
        assert type(bar) is type(other)
        np.testing.assert_array_equal(bar, other, strict=isinstance(bar, np.ndarray))


@pytest.mark.parametrize("name", [n for n in PROGRAMS if "complex arguments" not in n])
def test_against_differences(name):
    f, args = PROGRAMS[name]
    for i, (a, bar) in enumerate(zip(args, eagerly(f, args).gradient, strict=True)):
        direction = np.cos(np.arange(np.size(a))).reshape(np.shape(a))

        def moved(h, i=i, a=a, direction=direction):
            return f(*[a + h * direction if k == i else np.copy(b) if np.ndim(b) else b for k, b in enumerate(args)])

        difference = (moved(1e-6) - moved(-1e-6)) / 2e-6
        assert np.sum(bar * direction) == pytest.approx(difference, rel=1e-6, abs=1e-8)


def test_a_pullback_is_used_twice_and_a_hessian_is_taken():
    f = lambda x: np.where(x > 0, A @ x, B @ x[:3]) @ x
    with morula.tier("eager"):
        _, back = morula.pullback(f, V)
        first, second = back(1.0)[0], back(2.0)[0]
        np.testing.assert_array_equal(2 * first, second)
        h = morula.hessian(f, V)
    gradient = lambda x: eagerly(f, (x,)).gradient[0]
    for i, e in enumerate(np.eye(4)):
        np.testing.assert_allclose(h[i], (gradient(V + 1e-5 * e) - gradient(V - 1e-5 * e)) / 2e-5, rtol=1e-6, atol=1e-8)


def test_what_was_not_chosen_does_not_leak():
    with np.errstate(all="ignore"):
        bars = eagerly(lambda x: np.where(x > 0, np.log(x), x).sum(), (np.array([-1.0, 0.0, 2.0]),)).gradient
    np.testing.assert_array_equal(bars[0], [1.0, 1.0, 0.5])


@pytest.mark.parametrize("f", [lambda x: (x @ B).sum(), lambda x: np.dot(x, B), lambda x: np.where(x > 0, x, B)])
def test_errors_are_those_of_numpy(f):
    x = np.ones(5)
    with pytest.raises(ValueError) as plain:
        f(x)
    with pytest.raises(ValueError) as found:
        eagerly(f, (x,))
    assert str(found.value) == str(plain.value)


def test_integers_have_no_derivative():
    found = eagerly(lambda x: (np.arange(3) @ np.arange(3) + np.where(x > 0, 1, 2).sum()) * x.sum(), (np.ones(3),))
    np.testing.assert_array_equal(found.gradient[0], np.full(3, 8.0))


OF_THE_USER = """
import numpy as np
import morula

A, V = np.arange(16.0).reshape(4, 4), np.ones(4)
product = lambda x: np.matmul(A, x).sum()
with morula.tier("eager"):
    before = morula.gradient(product, V)[0]

@morula.adjoint(np.matmul)
def doubled(a, b):
    return np.matmul(a, b), lambda y_bar: (None, 2 * (a.T @ y_bar))

with morula.tier("eager"):
    after = morula.gradient(product, V)[0]
np.testing.assert_array_equal(before, A.sum(axis=0))
np.testing.assert_array_equal(after, 2 * before)
"""


def test_a_rule_of_the_user_comes_first():
    """In a process of its own: adjoints of NumPy's functions are not taken back."""
    subprocess.run([sys.executable, "-c", OF_THE_USER], check=True)
