"""What of `scipy.linalg` is followed as Python, what is constant, and what is refused."""

from __future__ import annotations

from scipy import linalg as la  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, non_differentiable
from ..naming import named, refuse

non_differentiable(
    *named(la, "bandwidth issymmetric ishermitian find_best_blas_type get_blas_funcs get_lapack_funcs"),
    *named(la, "dft hadamard helmert hilbert invhilbert invpascal pascal"),
)
needs_no_rule(
    *named(la, "clarkson_woodruff_transform companion convolution_matrix diagsvd expm_cond expm_frechet fiedler"),
    *named(la, "fiedler_companion khatri_rao leslie matmul_toeplitz null_space orth orthogonal_procrustes polar"),
    *named(la, "solve_circulant subspace_angles cdf2rdf kron"),
)
refuse("reduces a matrix by reflections without a rule; compute from the matrix itself", la.hessenberg)
refuse("scales a matrix by powers of 2 that it chooses; use the matrix itself", la.matrix_balance)
refuse("pivots with blocks of two rows; use cholesky or lu", la.ldl)
refuse("splits an orthogonal matrix without a rule; use svd of its blocks", la.cossin)
refuse("is a generalised Schur form without a rule; use eig(A, B) or solve", la.qz, la.ordqz)
refuse("turns pairs of real columns into complex ones without a rule; use eig", la.rsf2csf)
refuse("updates factors without a rule; use qr of the new matrix", la.qr_delete, la.qr_insert, la.qr_update)
