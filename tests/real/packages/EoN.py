import EoN
import numpy as np

CALLS: dict = {}
at_end = lambda found: [x[-1] for x in found[1:]]
CALLS["SIR_homogeneous_meanfield"] = (
    lambda tau, gamma: at_end(EoN.SIR_homogeneous_meanfield(90.0, 10.0, 0.0, 4.0, tau, gamma, tmax=5, tcount=11)),
    0.2,
    0.7,
)
CALLS["SIS_homogeneous_meanfield"] = (
    lambda tau, gamma: at_end(EoN.SIS_homogeneous_meanfield(90.0, 10.0, 4.0, tau, gamma, tmax=5, tcount=11)),
    0.2,
    0.7,
)
CALLS["EBCM"] = (
    lambda tau, gamma: at_end(
        EoN.EBCM(
            100,
            lambda x: 0.9 * np.exp(-4 * (1 - x)),
            lambda x: 3.6 * np.exp(-4 * (1 - x)),
            tau,
            gamma,
            0.9,
            tmax=5,
            tcount=11,
        )
    ),
    0.2,
    0.7,
)
CALLS["Attack_rate_discrete"] = (lambda p: EoN.Attack_rate_discrete({2: 0.5, 4: 0.5}, p), 0.6)
