"""The rules of the library in other precisions, and for complex numbers where the functions take them.

What `test_rrule` checks of a rule is a promise to every engine: nothing that it was given changes, and a pullback is a
function of its seed. Here it is held for arguments that the cases themselves do not have.
"""

import cases
import numpy as np
import pytest
import scipy.linalg
from test_rules_numerically import CONTINUED, name_of
from test_values import plain

from chainrules.testing import find_rule, leaves, test_rrule
from chainrules.testing.comparing import Unjudged
from chainrules.testing.contracts import assert_close, is_single, seed_for
from chainrules.testing.layouts import backwards, changed, frozen, in_fortran_order
from chainrules.testing.leaves import complexified, copied, is_inexact

__all__ = ["CASES", "assert_close", "backwards", "changed", "frozen", "in_fortran_order", "is_single", "seed_for"]

CASES: dict = {}  # by function
for case in cases.CASES:
    CASES.setdefault(case[0], []).append(case)

each_rule = pytest.mark.parametrize(
    "cases", CASES.values(), ids=[getattr(f, "__qualname__", None) or f.__name__ for f in CASES]
)


# Complex vectors of these have a phase that is a matter of choice: where the derivative depends on it, it must be NaN.
OF_ANY_PHASE = {f for la in (np.linalg, scipy.linalg) for f in (la.svd, la.eigh, la.eig, la.qr)}
# Spacings and samples, that functions take complex by accident.
OF_REAL_NUMBERS = {np.gradient, np.fft.fftfreq, np.fft.rfftfreq, np.histogramdd, np.arange}


def converted(dtype):
    return lambda a: a.astype(dtype) if a.dtype.kind == "f" else a


def single(args):
    return changed(args, converted(np.float32))


def made_complex(args):
    return tuple(complexified(a, np.random.default_rng(5)) for a in args)


def takes(f, args, kwargs):
    """Whether the function and its rule take such arguments, and the value can vary."""
    try:
        y = plain(f, copied(args), kwargs)
        find_rule(f, copied(args), kwargs)
    except Exception:
        return False
    return any(is_inexact(leaf) for _, leaf in leaves(y))


def of_other_signs(f, args, kwargs):
    """Whether SciPy normalises eigenvectors otherwise in single precision."""
    return f is scipy.linalg.eig and kwargs.get("right", True)


def check(cases, how, undefined=False):
    """Hold the contracts for other arguments; `undefined`: a derivative may be NaN where there is none."""
    with np.errstate(all="ignore"):
        for f, args, kwargs in cases:
            given = how(args)
            if any(a is not b for (_, a), (_, b) in zip(leaves(args), leaves(given), strict=True)):
                if takes(f, given, kwargs):
                    try:
                        test_rrule(f, *given, kwargs=kwargs, constant=CONTINUED.get(f, ()))
                    except Unjudged:  # numbers with the same real part, say
                        continue
                    except Exception as error:
                        if undefined and "the rule says nan" in str(error):
                            continue
                        error.add_note(name_of((f, given, kwargs)))
                        raise


@each_rule
def test_in_single_precision(cases):
    if cases[0][0] != np.ldexp.outer:
        check([case for case in cases if not of_other_signs(*case)], single)


@each_rule
def test_of_complex_numbers(cases):
    f = cases[0][0]
    if f not in OF_REAL_NUMBERS:
        check(cases, made_complex, f in OF_ANY_PHASE)
