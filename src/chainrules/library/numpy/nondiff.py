"""What has derivative zero by definition: counts, indices, comparisons, shapes, windows, text. One table.

Functions that return the data itself, sorted, moved or read back, are not here, whatever else they do. What
is drawn at random is in `random`, which waits for that module to be imported.
"""

from __future__ import annotations

import numpy as np

from ...declarations import constant_instances, non_differentiable


def words(text: str) -> list[str]:
    """The words of a table."""
    return text.split()


NAMES = words("""
zeros ones empty zeros_like ones_like empty_like eye identity tri indices loadtxt genfromtxt shape ndim
size broadcast_shapes result_type can_cast promote_types min_scalar_type common_type dtype finfo iinfo
isdtype argmax argmin argsort nanargmax nanargmin argpartition argwhere lexsort searchsorted digitize
nonzero flatnonzero count_nonzero tril_indices triu_indices diag_indices tril_indices_from
triu_indices_from diag_indices_from ravel_multi_index unravel_index mask_indices isnan isinf isfinite
isneginf isposinf isnat iscomplex isreal iscomplexobj isrealobj isscalar isfortran signbit spacing equal
not_equal less less_equal greater greater_equal logical_and logical_or logical_not logical_xor bitwise_and
bitwise_or bitwise_xor bitwise_not invert bitwise_count left_shift right_shift gcd lcm all any allclose
isclose array_equal array_equiv isin in1d shares_memory may_share_memory array2string array_repr array_str
array_repr format_float_positional format_float_scientific set_printoptions get_printoptions printoptions
savetxt base_repr binary_repr packbits unpackbits iterable errstate seterr geterr bool bool_
int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp str_ datetime64 timedelta64 issubdtype ndindex
bartlett blackman hamming hanning busday_count busday_offset busdaycalendar is_busday datetime_as_string
datetime_data einsum_path get_include getbufsize setbufsize geterrcall seterrcall
show_config show_runtime info typename test ufunc generic number integer
signedinteger unsignedinteger inexact floating complexfloating flexible character bytes_ longlong ulonglong
""")

METHODS = words("""
argmax argmin argsort argpartition nonzero searchsorted all any __len__ __bool__
__int__ __index__ __repr__ __str__ __format__ __contains__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ shape
ndim size dtype itemsize nbytes strides flags setflags __sizeof__ __array_priority__
__array_namespace__ __dlpack_device__
""")

non_differentiable(*[getattr(np, n) for n in NAMES if hasattr(np, n)])
non_differentiable(*[getattr(np.ndarray, n) for n in METHODS if hasattr(np.ndarray, n)])
non_differentiable(np.linalg.matrix_rank)
if hasattr(np, "_CopyMode"):  # what SciPy passes as ``copy=``
    constant_instances(np._CopyMode)
