"""Random programs for the native tier (`tests/fuzz/numeric*.py`): a few, always the same; and the oracle itself.

The long run is ``python -m tests.fuzz --numeric --programs 5000 --jobs 2``.
"""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from extent import EVERYTHING, SAMPLED

pytest.importorskip("numba")

sys.path.insert(0, str(Path(__file__).parents[2]))

import native_helpers as native
import programs_data
import programs_loops
from structures import at_path, leaves
from tests.fuzz import numeric_check, numeric_frozen
from tests.fuzz.numeric_check import check
from tests.fuzz.numeric_grammar import program

import morula

COMPILED = (2,)


@pytest.mark.parametrize("seed", range(12) if EVERYTHING else (0, 1, 4))
def test_random_program(seed, tmp_path, monkeypatch):
    monkeypatch.setattr(numeric_check, "LIMIT", None)
    verdict = check(program(seed), tmp_path, (5,) if SAMPLED else (5, 1, 0), compiled=seed in COMPILED)
    assert verdict.kind in ("right", "refused"), f"{verdict.message}\n\n{program(seed)}"


@pytest.mark.parametrize("seed", range(6))
def test_surroundings_that_change_around_compilation(seed, tmp_path):
    verdict = numeric_frozen.check(numeric_frozen.program(seed), tmp_path)
    assert verdict.kind in ("right", "refused"), f"{verdict.message}\n\n{numeric_frozen.program(seed)}"


def test_a_derivative_of_what_is_no_longer_compiled_is_found(tmp_path, monkeypatch):
    """With Python's function in the place of the compiled one, rebound globals show."""
    source = f"{numeric_frozen.HEAD}A = 2.0\n@njit\ndef f(x): return A * x\nevents = ['f(0.7)', 'A = 5.0', 'judge()']\n"
    assert numeric_frozen.check(source, tmp_path).kind == "refused"
    withgradient = morula.withgradient
    monkeypatch.setattr(numeric_frozen.morula, "withgradient", lambda f, x: withgradient(f.py_func, x))
    assert numeric_frozen.check(source, tmp_path).kind == "wrong"


# -- the oracle finds what is wrong ----------


class EagerKernels:
    """The kernels of a function as the eager tier would have them, with one fault."""

    def __init__(self, f, args, fault):
        self.plain = native.twin(f)
        self.fault = fault
        y = self.plain(*native.copied(args))
        self.leaves = tuple(
            SimpleNamespace(argument=p[0], path=p[1:], is_array=isinstance(x, np.ndarray)) for p, x in leaves(args)
        )
        self.value_leaves = tuple(
            SimpleNamespace(argument=0, path=p, is_array=isinstance(x, np.ndarray)) for p, x in leaves(y)
        )
        self.written = frozenset(() if fault == "written" else range(len(args)))
        self.source = "def joint(): ..."

    def joint(self, args, array_bars, seeds):
        y, before = self.forward(args)
        return y, self.backward(args, before, array_bars, seeds)

    def forward(self, args):
        before = native.copied(args)
        y = self.plain(*args)
        if self.fault == "value":
            y = y + 1e-9
        return y, before

    def backward(self, args, tape, array_bars, seeds):
        by_path = dict(zip((leaf.path for leaf in self.value_leaves), seeds, strict=True))
        arrays = iter(array_bars)
        bars = {(leaf.argument, *leaf.path): next(arrays) for leaf in self.leaves if leaf.is_array}
        at = native.Point(None, self.plain, tape, None, (), by_path, {p: bar.copy() for p, bar in bars.items()}, 0.0)
        g = morula.gradient(at.loss(self.plain), *native.copied(tape))
        scalars = []
        for leaf in self.leaves:
            bar = at_path(g, (leaf.argument, *leaf.path))
            if leaf.is_array:
                bars[leaf.argument, *leaf.path][...] = 0.0 if bar is None else bar
            else:
                scalars.append(0.0 if bar is None else bar)
        if self.fault == "array gradient":
            array_bars[0][-1] *= 1.0 + 1e-6
        if self.fault == "number gradient":
            scalars[-1] += 1e-6
        if self.fault == "consumed":
            tape[0][0] += 1.0
        if self.fault == "trace":
            args[0][0] += 1e-9
        return tuple(scalars)


FAULTS = {
    "": None,
    "value": "value of joint",
    "array gradient": "against",
    "number gradient": "other seeds",
    "consumed": "second backward",
    "trace": "arguments after",
    "written": "writes into",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_oracle_finds(fault, monkeypatch):
    monkeypatch.setattr(native, "kernels_of", lambda f, args, active: EagerKernels(f, args, fault))
    written = np.array([0.3, -0.7, 1.1, 0.4])
    for f, args in (
        (programs_loops.left_by_break, (programs_loops.x4, 0.9)),
        (programs_data.writes_into_its_argument, (written, programs_loops.y4)),
    ):
        shows = {"number gradient": f is programs_loops.left_by_break, "written": f is not programs_loops.left_by_break}
        if not fault:
            native.check(f, *args)
        if not fault or not shows.get(fault, True):
            continue
        with pytest.raises(AssertionError, match=FAULTS[fault]):
            native.check(f, *args)


def test_the_oracle_finds_a_fallback_that_was_not_expected(monkeypatch):
    def outside(f, args, active):
        raise native.Unsupported("a generator", 3, "f")

    monkeypatch.setattr(native, "kernels_of", outside)
    with pytest.raises(AssertionError, match="falls back"):
        native.check(programs_loops.collatz, 0.9)
    native.check(programs_loops.collatz, 0.9, native=False)


def test_the_oracle_finds_what_both_tiers_have_wrong(monkeypatch):
    monkeypatch.setattr(native, "eager_gradient", lambda at, same_value=True: {(0,): 1.0})
    monkeypatch.setattr(native, "native_gradients", lambda at, inactive=(): {"joint": {(0,): 1.0}})
    with pytest.raises(AssertionError, match="finite differences"):
        native.check(programs_loops.collatz, 0.9)
