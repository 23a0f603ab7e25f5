"""Random programs of the differential fuzzer (tests/fuzz): a few hundred, the same ones every time."""

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from extent import EVERYTHING, SAMPLED

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fuzz.check import check
from tests.fuzz.groups import CAUGHT, CORE, DEFAULT
from tests.fuzz.survey import checked, smallest, survey

PROGRAMS = 250 if EVERYTHING else 25 if SAMPLED else 60
MOST_REFUSED = 0.02  # of so few programs; a long run is held to half of that
MOST_SKIPPED = 0.02

HEAD = """
import numpy as np
LOG = []
def arguments():
    return (np.array([0.3, -0.7]), 0.4)
"""


def test_random_programs():
    """Right in value, effects and gradient, and seldom refused.

    In a process of its own: what hypothesis draws depends on the modules that have been imported.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as alone:
        _, found = alone.submit(checked, ([g.name for g in DEFAULT], 0, PROGRAMS)).result()
    for source, _ in found.failures.values():
        small, message = smallest(source)
        raise AssertionError(f"{message}\n\n{small}\n{'-' * 40} it was\n{source}")
    assert found.programs >= 0.9 * PROGRAMS, found.report()
    assert found.share("refused") < MOST_REFUSED, found.report()
    assert found.share("skipped") < MOST_SKIPPED, found.report()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # generators that a refusal drops
def test_programs_that_catch_refusals():
    """Every class of handlers around operations that are refused: the program's value, or the refusal."""
    found = survey((CORE, CAUGHT), 0, 60)
    for source, message in found.failures.values():
        raise AssertionError(f"{message}\n\n{source}")
    assert 0.2 < found.share("refused") < 0.95, found.report()


def test_the_fuzzer_finds_a_wrong_gradient():
    wrong = "from chainrules import rrule\ndef half(t):\n    return t / 2\n"
    wrong += "rrule(half)(lambda t: (t / 2, lambda bar: (bar,)))\n"
    verdict = check(HEAD + wrong + "def program(x, s):\n    return s * half(s) + x.sum()\n")
    assert verdict.kind == "wrong" and "by differences" in verdict.message
    small, _ = smallest(HEAD + wrong + "def program(x, s):\n    x[0] = 2.0\n    return s * half(s) + x.sum()\n")
    assert "half(s)" in small and "x[0] = 2.0" not in small


def test_the_fuzzer_finds_a_wrong_effect():
    wrong = "from chainrules import rrule\ndef half(t):\n    return t / 2\n"
    wrong += "rrule(half)(lambda t: (LOG.append(t) or t / 2, lambda bar: (bar / 2,)))\n"
    verdict = check(HEAD + wrong + "def program(x, s):\n    return half(s) + x.sum()\n")
    assert verdict.kind == "wrong" and "LOG" in verdict.message


def test_the_fuzzer_tells_refusals_and_kinks():
    assert check(HEAD + "def program(x, s):\n    exec('s')\n    return s\n").kind == "refused"
    assert check(HEAD + "def program(x, s):\n    return max(s, 0.4)\n").message == "a kink"
    assert check(HEAD + "def program(x, s):\n    return s / x.sum() * float('inf')\n").kind == "skipped"
