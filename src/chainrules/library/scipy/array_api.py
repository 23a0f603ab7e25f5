"""What SciPy asks of arrays to find the library that they belong to: no answer depends on their numbers."""

from __future__ import annotations

import sys

from scipy._lib import _array_api  # type: ignore[import-untyped]

from ...declarations import non_differentiable
from .naming import named

QUESTIONS = """
    array_namespace is_array_api_obj is_lazy_array is_numpy_array is_cupy_array is_torch_array is_jax_array
    is_dask_array is_pydata_sparse_array is_jax is_array_api_strict is_marray xp_size xp_device xp_result_type
    xp_default_dtype xp_result_device xp_device_type is_complex _compat_module_name
"""
OF_COMPAT = """
    array_namespace get_namespace device size is_numpy_array is_cupy_array is_torch_array is_ndonnx_array is_dask_array
    is_jax_array is_pydata_sparse_array is_array_api_obj is_writeable_array is_lazy_array is_numpy_namespace
    is_cupy_namespace is_torch_namespace is_ndonnx_namespace is_dask_namespace is_jax_namespace
    is_pydata_sparse_namespace is_array_api_strict_namespace
"""

non_differentiable(*named(_array_api, QUESTIONS))
if hasattr(_array_api, "is_numpy_array"):
    non_differentiable(*named(sys.modules[_array_api.is_numpy_array.__module__], OF_COMPAT))
