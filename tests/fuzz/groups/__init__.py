"""The table of all groups of constructs; a new group is switched on by its place here."""

from .control import EXCEPTIONS, FUNCTIONS, GENERATORS
from .core import CORE
from .library import COLLECTIONS, CONTEXTS, COPIES, FUNCTOOLS, ITERTOOLS, NAMESPACES, ORDER
from .memory import ALIASES, IN_PLACE, INDEXING, OUT, STRIDES
from .numbers import ALGEBRA, COMPLEX, MATRICES, SHAPES, SINGLE, STRUCTURED
from .objects import CONTAINERS, OBJECTS
from .places import LAYOUTS, ORDER_OF_EVALUATION, TARGETS
from .refused import UNSUPPORTED
from .state import ARGUMENTS, GLOBAL_WRITES, GLOBALS

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
)

# Refused so far, wholly or where active values meet it; ``--all`` mixes them in.
REFUSED = (IN_PLACE, OUT, COLLECTIONS, ORDER, STRUCTURED, GLOBAL_WRITES, UNSUPPORTED, NAMESPACES)

__all__ = ["CORE", "DEFAULT", "REFUSED"]
