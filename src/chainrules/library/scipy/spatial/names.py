"""What of `scipy.spatial` is followed, as Python or by programs for its methods, and what is refused."""

from __future__ import annotations

from scipy import spatial  # type: ignore[import-untyped]
from scipy.spatial import distance, transform  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, non_differentiable, unsupported
from ..naming import named, refuse

needs_no_rule(*named(spatial, "ConvexHull Delaunay Voronoi distance_matrix geometric_slerp minkowski_distance"))
needs_no_rule(*named(spatial, "minkowski_distance_p procrustes"), *named(transform, "Slerp RotationSpline"))
needs_no_rule(
    *named(
        distance,
        """
        braycurtis canberra chebyshev cityblock correlation cosine euclidean minkowski seuclidean sqeuclidean
        """,
    )
)
non_differentiable(*named(distance, "is_valid_dm is_valid_y num_obs_dm num_obs_y"))
refuse(
    "compares truth values, or counts where elements differ: it has no derivative",
    *named(
        distance, "dice hamming jaccard kulczynski1 rogerstanimoto russellrao sokalmichener sokalsneath yule matching"
    ),
)
unsupported("is not implemented: take a Rotation and a vector", *named(transform, "RigidTransform"))
