"""Functions of NumPy that give a new array, or a view, whatever numbers they are given: one trial tells which it is."""

import numpy as np

__all__ = ["NEW_ARRAYS"]

NEW_ARRAYS = frozenset([
    *[getattr(np, name) for name in (
        "append average clip convolve corrcoef cov cross cumprod cumsum delete diff ediff1d gradient inner insert",
        "interp kron median outer pad partition percentile polyval quantile repeat roll round sort std take",
        "take_along_axis tensordot tile tril triu unwrap vander var",
    ) for name in name.split()],
    *[getattr(np.ndarray, name) for name in ("std", "var", "cumsum")],
    *[getattr(np.linalg, name) for name in ("inv", "pinv", "solve", "cholesky", "norm")],
    *[getattr(np.fft, f"{i}{r}fft{n}") for i in ("", "i") for r in ("", "r") for n in ("", "2", "n")],
])  # fmt: skip
