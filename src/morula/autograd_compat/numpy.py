"""``autograd.numpy``: NumPy itself."""

import sys

import numpy

for _part in ("fft", "linalg", "random"):
    sys.modules[f"{__name__}.{_part}"] = getattr(numpy, _part)
sys.modules[__name__] = numpy
