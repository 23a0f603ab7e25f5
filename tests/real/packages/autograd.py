import numpy as np
from autograd.misc.optimizers import adam, sgd

CALLS = {
    "sgd": (lambda r: sgd(lambda x, i: 2.0 * x, np.array([1.0, 2.0]), num_iters=3, step_size=r), 0.1),
    "adam": (lambda r: adam(lambda x, i: 2.0 * x, np.array([1.0, 2.0]), num_iters=3, step_size=r), 0.1),
}
