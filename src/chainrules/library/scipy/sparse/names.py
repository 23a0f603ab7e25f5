"""What of `scipy.sparse` is followed as Python, and what is constant."""

from __future__ import annotations

from scipy import sparse  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, non_differentiable
from .refusing import named, refuse

needs_no_rule(
    *named(
        sparse,
        """
        bsr_array bsr_matrix coo_array coo_matrix csc_array csc_matrix csr_array csr_matrix dia_array dia_matrix
        dok_array dok_matrix lil_array lil_matrix sparray spmatrix block_array block_diag bmat diags diags_array
        expand_dims eye eye_array find hstack identity kron kronsum permute_dims rand random random_array spdiags
        matrix_transpose swapaxes tril triu vstack
        """,
    )
)
non_differentiable(
    *named(
        sparse,
        """
        issparse isspmatrix isspmatrix_bsr isspmatrix_coo isspmatrix_csc isspmatrix_csr isspmatrix_dia isspmatrix_dok
        isspmatrix_lil get_index_dtype safely_cast_index_arrays load_npz
        """,
    )
)
refuse(sparse.save_npz, "writes to a file, from where no derivative comes back")
