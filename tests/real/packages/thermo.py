from thermo import NRTL, PR, PRMIX, SRK, UNIFAC, Wilson
from thermo.nrtl import NRTL_gammas
from thermo.wilson import Wilson_gammas

CALLS = {
    "PR.V_l": (lambda T, P: PR(Tc=507.6, Pc=3025000.0, omega=0.2975, T=T, P=P).V_l, 299.0, 1e6),
    "PR.fugacity_l": (lambda T, P: PR(Tc=507.6, Pc=3025000.0, omega=0.2975, T=T, P=P).fugacity_l, 299.0, 1e6),
    "PR.H_dep_l": (lambda T: PR(Tc=507.6, Pc=3025000.0, omega=0.2975, T=T, P=1e6).H_dep_l, 299.0),
    "PR.Psat": (lambda T: PR(Tc=507.6, Pc=3025000.0, omega=0.2975, T=299.0, P=1e6).Psat(T), 320.0),
    "SRK.V_g": (lambda T, P: SRK(Tc=507.6, Pc=3025000.0, omega=0.2975, T=T, P=P).V_g, 500.0, 1e5),
    "PRMIX.V_l": (
        lambda T: (
            PRMIX(
                T=T,
                P=1e6,
                Tcs=[126.1, 190.6],
                Pcs=[33.94e5, 46.04e5],
                omegas=[0.04, 0.011],
                zs=[0.5, 0.5],
                kijs=[[0.0, 0.0], [0.0, 0.0]],
            ).V_l
        ),
        115.0,
    ),
    "PRMIX.fugacities_l": (
        lambda T: PRMIX(
            T=T,
            P=1e6,
            Tcs=[126.1, 190.6],
            Pcs=[33.94e5, 46.04e5],
            omegas=[0.04, 0.011],
            zs=[0.5, 0.5],
            kijs=[[0.0, 0.0], [0.0, 0.0]],
        ).fugacities_l[0],
        115.0,
    ),
    "NRTL_gammas": (
        lambda x: sum(
            NRTL_gammas(
                [x, 1.0 - x],
                taus=[[0.0, 2.291653777670652], [0.5166949715946564, 0.0]],
                alphas=[[0.0, 0.35], [0.35, 0.0]],
            )
        ),
        0.252,
    ),
    "Wilson_gammas": (lambda x: Wilson_gammas([x, 1.0 - x], [[1.0, 0.154], [0.888, 1.0]])[0], 0.252),
    "NRTL.GE": (
        lambda T: NRTL(
            T=T, xs=[0.252, 0.748], tau_bs=[[0.0, 300.0], [500.0, 0.0]], alpha_cs=[[0.0, 0.3], [0.3, 0.0]]
        ).GE(),
        343.15,
    ),
    "UNIFAC.GE": (
        lambda T: UNIFAC.from_subgroups(chemgroups=[{1: 2, 2: 4}, {1: 1, 2: 1, 18: 1}], T=T, xs=[0.5, 0.5]).GE(),
        330.0,
    ),
    "Wilson.gammas": (
        lambda T: Wilson(
            T=T, xs=[0.25, 0.75], lambda_as=[[0.0, 3.87], [-2.2, 0.0]], lambda_bs=[[0.0, -1351.0], [-11.0, 0.0]]
        ).gammas()[0],
        330.0,
    ),
}
