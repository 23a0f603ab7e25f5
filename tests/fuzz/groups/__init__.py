"""The table of all groups of constructs; a new group is switched on by its place here."""

from .arrays import ALGEBRA, MATRICES, SHAPES, STRUCTURED
from .classes import CLASSES, IMPLICIT, PROTOCOLS, VALUES
from .control import CHECKPOINTS, EXCEPTIONS, FUNCTIONS, GENERATORS, UNUSUAL
from .core import CORE
from .foreign import LENT, WRITERS
from .library import COLLECTIONS, CONTEXTS, COPIES, FUNCTOOLS, ITERTOOLS, NAMESPACES, ORDER
from .memory import ALIASES, IN_PLACE, INDEXING, OUT, REACHED_OTHERWISE
from .numbers import COMPLEX, EXACT, INTEGERS, PRECISION, SINGLE
from .numpy_values import NUMPY_NUMBERS, OBJECT_ARRAYS, SUBCLASSES
from .objects import CONTAINERS, OBJECTS, WEAK
from .places import LAYOUTS, ORDER_OF_EVALUATION, TARGETS
from .refused import CAUGHT, UNSUPPORTED
from .solvers import CALLBACKS
from .state import ARGUMENTS, GLOBAL_WRITES, GLOBALS
from .views import MASKS, STRIDES, VIEWS

DEFAULT = (
    ALIASES,
    INDEXING,
    MATRICES,
    STRIDES,
    CONTAINERS,
    EXCEPTIONS,
    FUNCTIONS,
    GENERATORS,
    OBJECTS,
    ARGUMENTS,
    GLOBALS,
    COMPLEX,
    SINGLE,
    SHAPES,
    ALGEBRA,
    CONTEXTS,
    ITERTOOLS,
    FUNCTOOLS,
    COPIES,
    TARGETS,
    ORDER_OF_EVALUATION,
    LAYOUTS,
    VIEWS,
    INTEGERS,
    EXACT,
    CLASSES,
    PROTOCOLS,
    UNUSUAL,
    CHECKPOINTS,
    IN_PLACE,
    OUT,
    GLOBAL_WRITES,
    COLLECTIONS,
    ORDER,
    STRUCTURED,
    PRECISION,
    NAMESPACES,
    MASKS,
    REACHED_OTHERWISE,
    NUMPY_NUMBERS,
    OBJECT_ARRAYS,
    SUBCLASSES,
    VALUES,
    WRITERS,
    WEAK,
)

# Refused so far, wholly or where active values meet it (or known to be wrong); ``--all`` mixes them in.
# Active functions in defaults are refused by solvers, so that callbacks are a group of their own.
REFUSED = (UNSUPPORTED, IMPLICIT, CAUGHT, LENT, CALLBACKS)

__all__ = ["CAUGHT", "CORE", "DEFAULT", "REFUSED"]
