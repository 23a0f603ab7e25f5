"""Adjoints and tangents of whole-array functions, in Numba's subset: what generated code calls, or has inlined."""

from . import products as products
from .registry import RULES as RULES
from .registry import ArrayRule as ArrayRule
from .registry import array_rule as array_rule
