"""Rules for Python and its standard library."""

from . import builtins, cmath, math, operator

__all__ = ["builtins", "cmath", "math", "operator"]
