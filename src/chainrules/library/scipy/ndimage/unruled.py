"""What of `scipy.ndimage` needs no rule: code that engines follow; and what has none, by reason."""

from __future__ import annotations

from typing import Any

from scipy import ndimage as nd  # type: ignore[import-untyped]

from ....declarations import non_differentiable
from ....programs import followed

FOLLOWED = """
    black_tophat center_of_mass distance_transform_bf distance_transform_cdt distance_transform_edt extrema
    generic_gradient_magnitude generic_laplace grey_closing grey_opening labeled_comprehension maximum mean median
    minimum morphological_gradient morphological_laplace standard_deviation sum sum_labels variance vectorized_filter
    white_tophat
"""
CONSTANT = """
    binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss binary_opening
    binary_propagation find_objects generate_binary_structure histogram iterate_structure label maximum_position
    minimum_position value_indices watershed_ift
"""


def _named(names: str) -> list[Any]:
    return [getattr(nd, name) for name in names.split() if hasattr(nd, name)]


followed(*_named(FOLLOWED))
non_differentiable(*_named(CONSTANT))
