"""Arrays in a reverse context: their methods, the methods of ufuncs, results written into ``out``, other writes."""

from morula.eager.memory.array_writes import ArrayWrites
from morula.eager.memory.outputs import Outputs
from morula.eager.numpy import (  # noqa: F401  (they register themselves)
    array_functions,
    keyword_operands,
    numpy_compositions,
    numpy_iterators,
    numpy_substitutes,
    vectorized,
)
from morula.eager.numpy.array_likes import ArrayLikes
from morula.eager.numpy.array_methods import ArrayMethods
from morula.eager.numpy.rearranged import Rearranged
from morula.eager.numpy.ufunc_methods import UfuncMethods


class Arrays(ArrayLikes, ArrayMethods, ArrayWrites, Outputs, UfuncMethods, Rearranged):
    """All that a reverse context knows of arrays beyond operators and subscripts."""

    __slots__ = ()
