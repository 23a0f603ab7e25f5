"""The module `functools`: decorators, and what engines of Python follow."""

from __future__ import annotations

import functools
import operator

from ...declarations import needs_no_rule, non_differentiable, unsupported

non_differentiable(
    functools.wraps, functools.update_wrapper, functools.total_ordering, functools.lru_cache, functools.cache,
)  # fmt: skip
unsupported("makes keys that a function compares, and computes nothing", functools.cmp_to_key)
unsupported(
    "makes a descriptor or a dispatcher, whose calls are those of the functions that it was given",
    functools.partialmethod, functools.singledispatch, functools.singledispatchmethod, functools.cached_property,
)  # fmt: skip
needs_no_rule(functools.partial, functools.reduce, operator.call)
