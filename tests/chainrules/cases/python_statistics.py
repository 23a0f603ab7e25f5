"""Where the rules for `statistics`, and for fractions, decimal numbers and draws, are checked."""

import random
import statistics
from decimal import Decimal
from fractions import Fraction

import numpy as np

from .points import case

X = [1.3, 0.4, 2.9, 1.1, 0.7]
Y = (0.2, 1.9, -0.6, 0.8, 1.0)
A = np.array(X)
S = np.array([0.3, 1.7, 0.9], np.float32)
W = [0.5, 2.0, 1.0, 0.25, 3.0]

MEANS = [
    *(case(f, x) for f in (statistics.mean, statistics.fmean, statistics.median) for x in (X, Y, A, [2.5], [1, 4.0])),
    *(case(f, x) for f in (statistics.geometric_mean, statistics.harmonic_mean) for x in (X, A, [2.5], [1, 2.5, 4])),
    *(case(f, S) for f in (statistics.mean, statistics.fmean, statistics.median)),
    case(statistics.fmean, X, W), case(statistics.fmean, A, np.array(W)), case(statistics.fmean, X, weights=W),
    case(statistics.fmean, X, None), case(statistics.harmonic_mean, X, W), case(statistics.harmonic_mean, X, weights=W),
    case(statistics.harmonic_mean, tuple(X), None),
]  # fmt: skip

MIDDLES = [
    *(case(f, x) for f in (statistics.median_low, statistics.median_high) for x in (X, X[:4], A, [2.5], Y[:2])),
    case(statistics.median, X[:4]), case(statistics.median, Y[:2]),
    case(statistics.median_grouped, X), case(statistics.median_grouped, X[:4], 0.5),
    case(statistics.median_grouped, A, interval=2.0), case(statistics.median_grouped, [1.5], 0.5),
    *(case(statistics.quantiles, x, n=n, method=m)
      for x in (X, Y[:2], A) for n in (1, 2, 4, 7) for m in ("exclusive", "inclusive")),
    case(statistics.quantiles, X),
    case(statistics.mode, X), case(statistics.multimode, X),
    case(statistics.multimode, []), case(statistics.mode, A),
]  # fmt: skip

SPREAD = [
    *(case(f, x) for f in (statistics.variance, statistics.pvariance, statistics.stdev, statistics.pstdev)
      for x in (X, Y, A, Y[:2])),
    *(case(f, X, 0.9) for f in (statistics.variance, statistics.pvariance, statistics.stdev, statistics.pstdev)),
    *(case(f, X, xbar=0.9) for f in (statistics.variance, statistics.stdev)),
    *(case(f, X, mu=0.9) for f in (statistics.pvariance, statistics.pstdev)),
    case(statistics.pvariance, X, None), case(statistics.pvariance, [1.5]),
]  # fmt: skip

TWO = [
    *(case(f, X, Y) for f in (statistics.covariance, statistics.correlation, statistics.linear_regression)),
    *(case(f, A, np.array(Y)) for f in (statistics.covariance, statistics.correlation, statistics.linear_regression)),
    case(statistics.linear_regression, X, Y, proportional=True),
    *(case(statistics._normal_dist_inv_cdf, p, 0.3, 1.7) for p in (0.2, 0.5, 0.93)),
]  # fmt: skip

NUMBERS = [case(Fraction, 0.75), case(Fraction, 3), case(Fraction, Fraction(1, 3)), case(Decimal, Decimal("1.5"))]

CASES = MEANS + MIDDLES + SPREAD + TWO + NUMBERS
# Finite differences know no decimal numbers, and each draw is another one: these have tests of their own.
ELSEWHERE = [
    Decimal.sqrt, Decimal.exp, Decimal.ln, Decimal.log10,
    random.choice, random.choices, random.sample, random.betavariate, random.expovariate, random.gammavariate,
    random.gauss, random.lognormvariate, random.normalvariate, random.paretovariate, random.triangular, random.uniform,
    random.vonmisesvariate, random.weibullvariate,
]  # fmt: skip
