"""Arrays in a reverse context: their methods, the methods of ufuncs, results written into ``out``, other writes."""

from morula.runtime import array_functions, numpy_compositions, numpy_substitutes, vectorized  # noqa: F401  (they register themselves)
from morula.runtime.array_methods import ArrayMethods
from morula.runtime.array_writes import ArrayWrites
from morula.runtime.outputs import Outputs
from morula.runtime.rearranged import Rearranged
from morula.runtime.ufunc_methods import UfuncMethods


class Arrays(ArrayMethods, ArrayWrites, Outputs, UfuncMethods, Rearranged):
    """All that a reverse context knows of arrays beyond operators and subscripts."""

    __slots__ = ()
