"""Names of `scipy.special` that deliberately have no rule, by reason, and those without a derivative."""

from __future__ import annotations

from scipy import special as sp  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, non_differentiable, unsupported
from ..naming import named, refuse_whole

UNKNOWN = "has no closed derivative in terms of SciPy's functions; write a rule for it"
CHARACTERISTIC = "belongs to functions defined by characteristic values, which have no closed derivatives; write a rule"
SEQUENCES = "gives a sequence of values for integer orders; call the function of one order for each"
NODES = "finds nodes and weights, which depend on parameters through an eigenvalue problem; compute them outside"

FUNCTIONS = {
    UNKNOWN: """
        besselpoly tklmbda elliprc elliprd elliprf elliprg elliprj
        modfresnelm modfresnelp ellip_harm ellip_harm_2 ellip_normal bdtrik bdtrin nbdtrik nbdtrin
        pbdv pbvv pbwa
    """,
    CHARACTERISTIC: """
        mathieu_a mathieu_b mathieu_cem mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 mathieu_modsem2 mathieu_sem
        mathieu_even_coef mathieu_odd_coef obl_ang1 obl_ang1_cv obl_cv obl_cv_seq obl_rad1 obl_rad1_cv obl_rad2
        obl_rad2_cv pro_ang1 pro_ang1_cv pro_cv pro_cv_seq pro_rad1 pro_rad1_cv pro_rad2 pro_rad2_cv
    """,
    SEQUENCES: "lqmn lqn pbdn_seq pbdv_seq pbvv_seq riccati_jn riccati_yn lmbda",
    NODES: """
        roots_gegenbauer roots_genlaguerre roots_jacobi roots_sh_jacobi cg_roots la_roots j_roots js_roots
    """,
    "is a product of integers; use gamma, which is what continues it": "factorial2 factorialk",
}
MULTIPLE = "is a family of ufuncs; use the eval_ function of the polynomial, lpmv, or scipy.special.eval_legendre"
FAMILIES = """
    legendre_p legendre_p_all assoc_legendre_p assoc_legendre_p_all sph_legendre_p sph_legendre_p_all sph_harm_y_all
"""
FOLLOWED = """
    assoc_laguerre chebyc chebys chebyt chebyu diric gegenbauer genlaguerre hermite hermitenorm jacobi laguerre legendre
    sh_chebyt sh_chebyu sh_jacobi sh_legendre
"""

# Of integers alone, or settings.
CONSTANT = """
    ai_zeros bei_zeros beip_zeros ber_zeros berp_zeros bi_zeros erf_zeros fresnel_zeros fresnelc_zeros fresnels_zeros
    jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros kei_zeros keip_zeros kelvin_zeros ker_zeros kerp_zeros y0_zeros y1_zeros
    y1p_zeros yn_zeros ynp_zeros roots_chebyc roots_chebys roots_chebyt roots_chebyu roots_hermite roots_hermitenorm
    roots_laguerre roots_legendre roots_sh_chebyt roots_sh_chebyu roots_sh_legendre c_roots h_roots he_roots l_roots
    p_roots ps_roots s_roots t_roots ts_roots u_roots us_roots bernoulli euler stirling2
    errstate geterr seterr
"""


for reason, names in FUNCTIONS.items():
    refuse_whole(reason, *named(sp, names))
unsupported(MULTIPLE, *named(sp, FAMILIES))
needs_no_rule(*named(sp, FOLLOWED))
non_differentiable(*named(sp, CONSTANT))
