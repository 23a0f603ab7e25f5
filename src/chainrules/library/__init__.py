"""The rules themselves, by library and topic."""

from ..registry import when_loaded
from . import numpy, protocol, python

__all__ = ["numpy", "protocol", "python"]


def _numpy_fft() -> None:
    from .numpy import fft as fft


def _numpy_polynomial() -> None:
    from .numpy import polynomial as polynomial


def _numpy_random() -> None:
    from .numpy import draws as draws
    from .numpy import random as random


def _numpy_testing() -> None:
    from .numpy import testing as testing


def _json() -> None:
    from .python import json as json


def _csv() -> None:
    from .python import csv as csv


def _statistics() -> None:
    from .python import statistics as statistics


def _fractions() -> None:
    from .python import fractions as fractions


def _decimal() -> None:
    from .python import decimal as decimal


def _random() -> None:
    from .python import random as random


def _numpy_ma() -> None:
    from .numpy import masked as masked


def _scipy_array_api() -> None:
    from .scipy import array_api  # noqa: F401


def _scipy_special() -> None:
    from .scipy import special as special


def _scipy_linalg() -> None:
    from .scipy import linalg as linalg


def _scipy_fft() -> None:
    from .scipy import fft as fft


def _scipy_fftpack() -> None:
    from .scipy import fftpack as fftpack


def _scipy_signal() -> None:
    from .scipy import signal as signal


def _scipy_ndimage() -> None:
    from .scipy import ndimage as ndimage


def _scipy_optimize() -> None:
    from .scipy import optimize as optimize


def _scipy_integrate() -> None:
    from .scipy import integrate as integrate


def _scipy_sparse() -> None:
    from .scipy import sparse as sparse


def _scipy_sparse_csgraph() -> None:
    from .scipy.sparse import csgraph as csgraph


def _scipy_sparse_linalg() -> None:
    from .scipy.sparse import linalg as linalg


def _scipy_interpolate() -> None:
    from .scipy import interpolate as interpolate


def _scipy_spatial() -> None:
    from .scipy import spatial as spatial


def _scipy_cluster() -> None:
    from .scipy import cluster as cluster


def _scipy_stats() -> None:
    from .scipy import stats as stats


def _bottleneck() -> None:
    from . import bottleneck as bottleneck


when_loaded("bottleneck", _bottleneck)
when_loaded("scipy._lib._array_api", _scipy_array_api)
when_loaded("scipy.special", _scipy_special)
when_loaded("scipy.linalg", _scipy_linalg)
when_loaded("scipy.fft", _scipy_fft)
when_loaded("scipy.fftpack", _scipy_fftpack)
when_loaded("scipy.signal", _scipy_signal)
when_loaded("scipy.ndimage", _scipy_ndimage)
when_loaded("scipy.optimize", _scipy_optimize)
when_loaded("scipy.integrate", _scipy_integrate)
when_loaded("scipy.interpolate", _scipy_interpolate)
when_loaded("scipy.spatial", _scipy_spatial)
when_loaded("scipy.cluster.hierarchy", _scipy_cluster)
when_loaded("scipy.stats", _scipy_stats)
when_loaded("scipy.sparse", _scipy_sparse)
when_loaded("scipy.sparse.linalg", _scipy_sparse_linalg)
when_loaded("scipy.sparse.csgraph", _scipy_sparse_csgraph)
when_loaded("statistics", _statistics)
when_loaded("csv", _csv)
when_loaded("json", _json)
when_loaded("numpy.testing", _numpy_testing)
when_loaded("fractions", _fractions)
when_loaded("decimal", _decimal)
when_loaded("random", _random)
when_loaded("numpy.fft", _numpy_fft)
when_loaded("numpy.ma", _numpy_ma)
when_loaded("numpy.random", _numpy_random)
when_loaded("numpy.polynomial", _numpy_polynomial)
