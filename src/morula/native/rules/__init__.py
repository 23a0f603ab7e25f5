"""Adjoints and tangents of whole-array functions, in Numba's subset: what generated code calls, or has inlined."""

from . import choosing as choosing
from . import covariances as covariances
from . import creation as creation
from . import eigen as eigen
from . import extrema as extrema
from . import factorizations as factorizations
from . import joining as joining
from . import linalg as linalg
from . import moments as moments
from . import multiplied as multiplied
from . import norms as norms
from . import ordering as ordering
from . import picking as picking
from . import products as products
from . import reductions as reductions
from . import shapes as shapes
from . import signals as signals
from . import singular as singular
from . import spectral as spectral
from .constants import NON_DIFFERENTIABLE as NON_DIFFERENTIABLE
from .registry import RULES as RULES
from .registry import ArrayRule as ArrayRule
from .registry import array_rule as array_rule
