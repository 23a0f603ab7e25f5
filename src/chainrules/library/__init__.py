"""The rules themselves, by library and topic."""

from ..registry import when_loaded
from . import numpy, protocol, python

__all__ = ["numpy", "protocol", "python"]


def _numpy_fft() -> None:
    from .numpy import fft as fft


def _numpy_random() -> None:
    from .numpy import random as random


when_loaded("numpy.fft", _numpy_fft)
when_loaded("numpy.random", _numpy_random)
