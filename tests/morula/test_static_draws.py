"""Random numbers of the generators that all programs share, in the static tier: drawn as the program draws them."""

import random

import numpy as np
import pytest
from static_checks import alike, check_static

import morula
from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.linspace(0.3, 1.1, 5)


def seeded(x):
    np.random.seed(3)
    total = 0.0
    for i in range(5):
        total += x[i] * np.random.normal() + np.random.rand()
    return total


def seeded_of_python(x):
    random.seed(4)
    level = x[0]
    for _ in range(20):
        level *= 1.0 + 0.1 * random.gauss(0, 1)
        if random.random() < 0.3:
            level += x[1]
    return level


def unseeded(x):
    noise = np.random.randn(5)
    np.random.normal(0, 1)  # which nobody needs
    return (noise * x).sum() * np.random.uniform(1, 2) + x[np.random.randint(0, 5)] + random.uniform(0.5, 2)


def of_both(x):
    return sum(v * random.random() * np.random.random() for v in x)


def at_integers(x):
    total = 0.0
    for _ in range(6):
        i = np.random.randint(5)
        total += x[i] ** 2 * i * x[random.randint(0, 4)] * x[random.randrange(5)]
    return total + x[np.random.randint(0, 5, size=7)].sum()


def at_integers_of_its_own(x):
    rng = np.random.default_rng(0)
    total = 0.0
    for _ in range(6):
        i = rng.integers(5)
        total += x[i] ** 2 * i
    return total + x[rng.integers(0, 5, size=3)].prod() + x[np.argsort(rng.standard_normal(5))][0] * rng.random()


def in_a_function(x):
    def step(v):
        return v + 0.1 * random.gauss(0, 1)

    return step(step(x[0])) * x[1]


def through_a_comparison(x):
    rng = np.random.default_rng(2)
    total = 0.0
    for _ in range(8):
        z = rng.standard_normal(4)
        total += max((z * x[0]).mean() - 0.1, 0.0) + min(x[1], float(z[0]))
    return total / 8


PROGRAMS = [
    seeded, seeded_of_python, unseeded, of_both, at_integers, at_integers_of_its_own, in_a_function,
    through_a_comparison,
]  # fmt: skip


def states():
    found = np.random.get_state(legacy=False)
    return found["state"]["key"].tolist(), found["state"]["pos"], found["has_gauss"], random.getstate()


def begin(seed):
    np.random.seed(seed)
    random.seed(seed)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_the_program_draws(f):
    """The same value to the bit, the gradient of the eager tier, and the generators where the program leaves them."""
    for seed in range(4):
        begin(seed)
        y, after = f(X), states()
        begin(seed)
        with morula.tier("eager"):
            expected = morula.gradient(f, X)
        begin(seed)
        with morula.tier("static"):
            found = morula.withgradient(f, X)
        assert repr(found.value) == repr(y)
        assert alike(found.gradient, expected)
        assert states() == after
    record = record_of(f)
    assert any(pair.calls for pair in record.all_pairs), record.why


@pytest.mark.parametrize("verb", ["hvp", "jvp", "pullback"])
def test_other_verbs(verb):
    run = {
        "hvp": lambda: morula.hvp(seeded_of_python, X, np.ones(5)),
        "jvp": lambda: morula.jvp(seeded_of_python, (X,), (np.ones(5),)),
        "pullback": lambda: morula.pullback(unseeded, X)[1](1.0),
    }[verb]
    begin(1)
    with morula.tier("eager"):
        expected, after = run(), states()
    begin(1)
    with morula.tier("static"):
        assert np.allclose(np.ravel(run()[-1]), np.ravel(expected[-1]))
    assert states() == after


def drawing_then_failing(x):
    step = random.random() + np.random.random()
    return x / (x - 0.5) * step if x < 0.6 else x * step


def test_what_gives_way_draws_once():
    """Where a text is left, the eager tier finds the generators as the program would."""
    with morula.tier("static"):
        for x in (0.3, 0.7):
            morula.gradient(drawing_then_failing, x)
        begin(5)
        with pytest.raises(ZeroDivisionError):
            morula.gradient(drawing_then_failing, 0.5)
        found = states()
    begin(5)
    with pytest.raises(ZeroDivisionError):
        drawing_then_failing(0.5)
    assert states() == found


def noisy(x):
    return (x * np.random.standard_normal(x.size)).cumsum()


def test_callees_that_draw():
    """A hot function that an eager run calls draws once, also where its way back has to be run again."""

    def outer(x, scale):
        total = 0.0
        for _ in range(3):
            total = total + (noisy(x) * scale).sum()
        return [total][0]

    for k in range(40):
        begin(k)
        morula.gradient(outer, X, 1.0)
    for scale in (1.0, 0.0, 2.0):
        begin(7)
        expected, after = outer(X, scale), states()
        begin(7)
        found = morula.withgradient(outer, X, scale)
        assert found.value == expected and states() == after
        begin(7)
        with morula.tier("eager"):
            assert alike(found.gradient, morula.gradient(outer, X, scale))


def test_making_a_text_draws_nothing():
    """The first call in the static tier, which makes the text, draws what the call draws."""

    def f(x):
        z = np.random.standard_normal(6)
        return x[z > 0.2].sum() if z.size < 5 else (x * z[:5]).sum() + x[: np.count_nonzero(z > 0)].sum()

    begin(6)
    y, after = f(X), states()
    begin(6)
    with morula.tier("static"):
        assert morula.withgradient(f, X).value == y
    assert states() == after


def layers_by_zip(x):
    rng, sizes = np.random.default_rng(1), [5, 4, 2]
    weights = [rng.normal(size=(m, n)) * 0.5 for m, n in zip(sizes[:-1], sizes[1:], strict=True)]  # noqa: RUF007
    h = x
    for w in weights:
        h = np.tanh(h @ w)
    return float(h @ h)


def layers_by_places(x):
    rng, sizes = np.random.default_rng(1), (5, 4, 2)
    weights = [rng.standard_normal((sizes[i], sizes[i + 1])) * 0.5 for i in range(len(sizes) - 1)]
    shifts = [np.zeros(n) for n in sizes[1:]]
    h = x
    for w, b in zip(weights, shifts, strict=True):
        h = np.tanh(h @ w + b)
    return float(h @ h)


def layers_of_a_dict(x):
    given = {"n": 5, "m": 3, "steps": 4}
    w, h = np.random.default_rng(2).normal(size=(given["n"], given["m"])), x
    for _ in range(given["steps"]):
        h = np.tanh(w @ (w.T @ h))
    return float(h @ h)


@pytest.mark.parametrize("f", [layers_by_zip, layers_by_places, layers_of_a_dict], ids=lambda f: f.__name__)
def test_shapes_that_lists_and_dicts_have(f):
    check_static(f, (X,))


def test_counters_in_lists_and_dicts():
    def f(x):
        n, d, t = [0, 0], {"n": 2, "k": 0}, 0.0
        for v in x.tolist():
            n[int(v > 0.6)] += 1
            d["k"] += d["n"]
            t += v * n[0] * d["k"]
        return t + n[1]

    check_static(f, (X,))
