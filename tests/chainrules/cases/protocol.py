# ruff: noqa: E501
"""What other rules compute with."""

import numpy as np

from chainrules import strong_div, strong_mul, unbroadcast
from chainrules.library.numpy.shared import scatter, spread
from chainrules.library.partials import power_dp, power_dx

from .points import C, M, N, P, T, U, V, case

CASES = [
    case(strong_mul, M, N), case(strong_mul, M, U), case(strong_mul, C, 2.0), case(strong_div, M, N), case(strong_div, C, P), case(strong_div, 2.0, U),
    case(spread, 1.5, (3, 4), None), case(spread, V, (3, 4), (1, 4)), case(scatter, np.array([0, 2, 2, 1]), V, 5), case(scatter, np.array([0, 2, 2, 1]), C[0], 5),
    case(unbroadcast, T, (3, 1)), case(unbroadcast, M, (3, 4)), case(unbroadcast, V, (3, 4)),
    *(case(f, P**q, P, q) for f in (power_dx, power_dp) for q in (2.0, 0.5, np.array([0.0, 1.0, 2.0, 3.0]))), *(case(f, 1.3**q, 1.3, q) for f in (power_dx, power_dp) for q in (0.0, 1.0, 2.0, -0.7)),
    *(case(f, (1.2 + 0.4j) ** q, 1.2 + 0.4j, q) for f in (power_dx, power_dp) for q in (2.0, 1.5 - 0.3j)),
]  # fmt: skip
