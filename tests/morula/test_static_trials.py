"""Static adjoints with calls that the eager tier follows answer only if they are faster than that tier alone."""

import itertools
from types import SimpleNamespace

import pytest
from scipy import integrate

import morula
from morula.static.python import trials
from morula.static.python.pairs import new_pair
from morula.static.python.runs import NotNow


def calls_of(static, eager, monkeypatch):
    """What comes of calls: by whom they are answered, if the two take so many seconds."""
    clock = itertools.count()
    monkeypatch.setattr(trials, "perf_counter", lambda: next(clock) * static)
    pair = SimpleNamespace(run=lambda x: x, seconds=0.03)
    record = SimpleNamespace(pairs={(0,): (pair,)}, fastest=1e-6, why=None, lost=0.0)  # as it was some time before
    pair.run = trials.on_trial(record, (0,), pair)
    answered = ""
    while len(answered) < 12 and record.pairs[0,]:
        try:
            assert pair.run(1.5) == 1.5
            answered += "s"
        except NotNow:
            record.fastest = min(record.fastest, eager)
            answered += "e"
    assert record.lost == (0.03 if record.why else 0.0)  # it was made in vain
    return answered, record.why


@pytest.mark.parametrize(
    ("static", "eager", "expected"),
    [
        (0.001, 0.002, ("sss" + "eee" + "s" * 6, None)),
        (0.002, 0.001, ("sss" + "eee" + "e", trials.SLOWER)),
        (1.0, 0.5, ("s" * 12, None)),  # nobody is to wait for the eager tier
    ],
)
def test_the_faster_one_answers(static, eager, expected, monkeypatch):
    assert calls_of(static, eager, monkeypatch) == expected


def test_texts_with_followed_calls_are_tried():
    def f(a):
        return integrate.quad(lambda t: a * t, 0.0, 1.0)[0]

    def g(a):
        return a * a

    assert new_pair(f, (0.7,), (0,)).follows
    assert not new_pair(g, (0.7,), (0,)).follows


def test_answers_are_the_same_during_the_trial():
    def f(a, b):
        total = b
        for k in range(50):
            total = total + 0.01 * a * k
        return integrate.quad(lambda t: total * t, 0.0, 1.0)[0]

    with morula.tier("eager"):
        expected = morula.gradient(f, 0.7, 0.2)
    for _ in range(60):
        assert morula.gradient(f, 0.7, 0.2) == pytest.approx(expected, rel=1e-12)
