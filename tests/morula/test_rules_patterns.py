"""Every case of the rule library: the derivatives by jvp lie within the patterns, of the value and of second order."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "chainrules"))

import cases
from structures import leaves
from test_rules_numerically import name_of

import chainrules
import morula
from extent import EVERYTHING
from morula.verbs.scipy_problem import weighted_sum
from morula.verbs.structure import Structure

pytest.importorskip("scipy.sparse")
CHUNKS = 20
SOME = 1 if EVERYTHING else 8  # all cases take minutes
MOST = 24  # numbers of the arguments


def own(x):
    """`x` without memory that it shares with another argument, or with itself."""
    if isinstance(x, np.ndarray):
        return np.array(x)
    if isinstance(x, list | tuple):
        return x._make(map(own, x)) if hasattr(x, "_make") else type(x)(map(own, x))
    return x


def real_parts(y):
    """A value in which complex numbers are pairs."""
    if isinstance(y, tuple | list):
        return [real_parts(v) for v in y]
    if isinstance(y, dict):
        return [real_parts(v) for v in y.values()]
    return (np.real(y), np.imag(y)) if np.iscomplexobj(y) else y


def check(case):
    """None where there is nothing to compare, True where all is as it should be, else what is wrong."""
    f, args, kwargs = case
    args = list(map(own, args))
    rounding = 1e-14 if getattr(f, "__name__", "") in ("fftconvolve", "oaconvolve") else 0.0  # of transforms
    if not callable(f) or not list(leaves(args)) or any(hasattr(a, "rvs") for a in args):
        return None  # SciPy's distributions cannot be copied

    def value(a):
        return real_parts(f(*a, **kwargs))

    with np.errstate(all="ignore"):
        try:
            structure = Structure(args)
            if not 0 < structure.size <= MOST or any(leaf.is_complex for leaf in structure.leaves):
                return None
            pattern = morula.jacobian_sparsity(value, args).toarray()
            for k, unit in enumerate(np.eye(structure.size)):
                y, y_dot = morula.jvp(value, (args,), (structure.tangent(structure.split(unit)),))
                outs = Structure(y)
                parts = outs.parts(y_dot)
                if any(isinstance(p, chainrules.NotImplementedTangent) for p in parts):
                    return None
                found = outs.joined(parts)
                seen = abs(found) > rounding * np.max(abs(found), initial=0.0)
                lacking = np.flatnonzero(seen & ~pattern[:, k])
                if len(lacking):
                    return f"{name_of(case)}: the results {lacking} depend on the number {k}"
            if (
                chainrules.pattern_of(f) is None
                and chainrules.scalar_rule_for(f) is None
                and not isinstance(f, np.ufunc)
            ):
                return True
            weights = np.arange(1.0, outs.size + 1)

            def total(a):
                return weighted_sum(value(a), weights)

            pairs = morula.hessian_sparsity(total, args).toarray()
            product = morula.hvp(total, args)
            rows = [structure.vector(product(structure.tangent(structure.split(v)))) for v in np.eye(structure.size)]
            matrix = np.reshape(rows, pairs.shape)
            matrix = np.where(np.isfinite(matrix), matrix, 0.0)
            lacking = np.argwhere((abs(matrix) > 1e-5 * (abs(matrix).max(initial=0.0))) & ~pairs)
            if len(lacking):
                return f"{name_of(case)}: the numbers {lacking.tolist()} meet"
        except (morula.MorulaError, chainrules.NotImplementedDerivative):
            return None
        except TypeError as error:
            if "NotImplementedTangent" in str(error):  # a tangent that nobody worked out is no number
                return None
            raise
    return True


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_derivatives_lie_within_patterns(chunk):
    found = [check(case) for case in cases.CASES[chunk :: CHUNKS * SOME]]
    wrong = [x for x in found if isinstance(x, str)]
    assert not wrong, "\n".join(wrong)
    assert found.count(True) > 0.2 * len(found)
