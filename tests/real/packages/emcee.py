import numpy as np
from emcee.autocorr import function_1d

CALLS = {
    "function_1d": (function_1d, np.array([1.0, 2.0, 1.5, 0.3, 0.8])),
}
