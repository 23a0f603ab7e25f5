"""What has derivative zero by definition: counts, indices, comparisons, shapes, random draws, text. One
table.
"""

from __future__ import annotations

import numpy as np

from ...rules import non_differentiable


def words(text: str) -> list[str]:
    """The words of a table."""
    return text.split()


NAMES = words("""
zeros ones empty zeros_like ones_like empty_like eye identity arange tri indices fromstring frombuffer
loadtxt genfromtxt shape ndim size broadcast_shapes result_type can_cast promote_types min_scalar_type
common_type dtype finfo iinfo isdtype argmax argmin argsort nanargmax nanargmin argpartition argwhere
lexsort searchsorted digitize nonzero flatnonzero count_nonzero histogram_bin_edges tril_indices
triu_indices diag_indices tril_indices_from triu_indices_from diag_indices_from ix_ ravel_multi_index
unravel_index mask_indices isnan isinf isfinite isneginf isposinf isnat iscomplex isreal iscomplexobj
isrealobj isscalar isfortran signbit spacing equal not_equal less less_equal greater greater_equal
logical_and logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_xor bitwise_not invert
bitwise_count left_shift right_shift gcd lcm all any allclose isclose array_equal array_equiv isin in1d
shares_memory may_share_memory array2string array_repr array_str array_repr format_float_positional
format_float_scientific set_printoptions get_printoptions printoptions save savez savetxt base_repr
binary_repr packbits unpackbits iterable errstate seterr geterr bool bool_ int8 int16 int32 int64 uint8
uint16 uint32 uint64 intp str_ datetime64 timedelta64 issubdtype ndindex
""")

METHODS = words("""
argmax argmin argsort argpartition nonzero searchsorted all any tobytes dump dumps tofile __len__ __bool__
__int__ __index__ __repr__ __str__ __format__ __contains__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ shape
ndim size dtype itemsize nbytes strides flags
""")

RANDOM = words("""
beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric integers
laplace logistic lognormal logseries multinomial multivariate_hypergeometric multivariate_normal
negative_binomial noncentral_chisquare noncentral_f normal pareto permutation permuted poisson power random
rayleigh rand randint random_sample randn seed set_state get_state spawn standard_cauchy
standard_exponential standard_gamma standard_normal standard_t triangular tomaxint uniform vonmises wald
weibull zipf
""")

non_differentiable(*[getattr(np, n) for n in NAMES if hasattr(np, n)])
non_differentiable(*[getattr(np.ndarray, n) for n in METHODS if hasattr(np.ndarray, n)])
non_differentiable(np.random.default_rng, np.random.Generator, np.random.RandomState, np.random.SeedSequence)
for owner in (np.random.Generator, np.random.RandomState):
    non_differentiable(*[getattr(owner, n) for n in RANDOM if hasattr(owner, n)])
# `np.random.normal` is a method bound to the global state.
non_differentiable(*[getattr(np.random, n) for n in [*RANDOM, "sample", "ranf"] if hasattr(np.random, n)])
non_differentiable(np.linalg.matrix_rank)
