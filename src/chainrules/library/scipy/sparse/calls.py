from __future__ import annotations
from typing import Any
import numpy as np
from scipy.sparse._base import _spbase
from ....programs import program
from ....structured import varying_in
from ....declarations import non_differentiable
from .products import product

varying_in(("data",), _spbase)

def direct(a, x):
    return type(x) is np.ndarray and a.format in ("csr","csc") and a.ndim == 2 and x.ndim in (1,2) and x.shape[0]==a.shape[1] and x.dtype.kind in "fc"
non_differentiable(direct)

@program(_spbase.__matmul__)
def matmul(config, a, x):
    if direct(a, x):
        return product(a.data, x, a.format, a._shape, a.indptr, a.indices)
    return a._matmul_dispatch(x)
