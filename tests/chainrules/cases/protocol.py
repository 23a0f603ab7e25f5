# ruff: noqa: E501
"""What other rules compute with."""

import numpy as np

from chainrules import strong_div, strong_mul, unbroadcast
from chainrules.library.numpy.shared import scatter, spread

from .points import C, M, N, P, T, U, V, case

CASES = [
    case(strong_mul, M, N), case(strong_mul, M, U), case(strong_mul, C, 2.0), case(strong_div, M, N), case(strong_div, C, P), case(strong_div, 2.0, U),
    case(spread, 1.5, (3, 4), None), case(spread, V, (3, 4), (1, 4)), case(scatter, np.array([0, 2, 2, 1]), V, 5), case(scatter, np.array([0, 2, 2, 1]), C[0], 5),
    case(unbroadcast, T, (3, 1)), case(unbroadcast, M, (3, 4)), case(unbroadcast, V, (3, 4)),
]  # fmt: skip
