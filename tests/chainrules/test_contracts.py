"""The rules of the library in other precisions, and for complex numbers where the functions take them.

What `test_rrule` checks of a rule is a promise to every engine: nothing that it was given changes, and a pullback is a
function of its seed. Here it is held for arguments that the cases themselves do not have.
"""

import cases
import numpy as np
import scipy.linalg
from cases import each_function
from test_rules_numerically import CONTINUED
from test_values import plain

from chainrules.testing import find_rule, leaves, test_rrule
from chainrules.testing.comparing import Unjudged
from chainrules.testing.contracts import assert_close, is_single, seed_for
from chainrules.testing.layouts import backwards, changed, frozen, in_fortran_order
from chainrules.testing.leaves import complexified, copied, is_inexact

__all__ = ["assert_close", "backwards", "changed", "frozen", "in_fortran_order", "is_single", "seed_for"]

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


def check(case, how, undefined=False):
    """Hold the contracts for other arguments; `undefined`: a derivative may be NaN where there is none."""
    f, args, kwargs = case
    given = how(args)
    with np.errstate(all="ignore"):
        if all(a is b for (_, a), (_, b) in zip(leaves(args), leaves(given), strict=True)) or not takes(
            f, given, kwargs
        ):
            return
        try:
            test_rrule(f, *given, kwargs=kwargs, constant=CONTINUED.get(f, ()))
        except Unjudged:  # numbers with the same real part, say
            return
        except Exception as error:
            if not (undefined and "the rule says nan" in str(error)):
                raise


@each_function(cases.CASES, one_of=3)
def test_in_single_precision(case):
    if case[0] != np.ldexp.outer and not of_other_signs(*case):
        check(case, single)


@each_function([case for case in cases.CASES if case[0] not in OF_REAL_NUMBERS], one_of=3)
def test_of_complex_numbers(case):
    check(case, made_complex, case[0] in OF_ANY_PHASE)
