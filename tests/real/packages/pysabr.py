from pysabr import Hagan2002LognormalSABR, Hagan2002NormalSABR, black

CALLS: dict = {}
CALLS["lognormal_vol"] = (
    lambda v: Hagan2002LognormalSABR(
        f=0.025, shift=0.03, t=1.0, v_atm_n=v, beta=0.5, rho=-0.2, volvol=0.3
    ).lognormal_vol(0.02),
    0.004,
)
CALLS["normal_vol"] = (
    lambda f: Hagan2002NormalSABR(f=f, shift=0.03, t=1.0, v_atm_n=0.004, beta=0.5, rho=-0.2, volvol=0.3).normal_vol(
        0.02
    ),
    0.025,
)
CALLS["black"] = (lambda v: black.lognormal_call(0.02, 0.025, 1.0, v, 0.01, "call"), 0.2)
