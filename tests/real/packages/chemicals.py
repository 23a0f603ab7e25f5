import chemicals
from chemicals.rachford_rice import Rachford_Rice_solution

CALLS = {
    "Antoine": (lambda T, A, B, C: chemicals.Antoine(T=T, A=A, B=B, C=C), 100.0, 8.7687, 395.744, -6.469),
    "lee_kesler": (chemicals.vapor_pressure.Lee_Kesler, 347.2, 617.1, 36e5, 0.299),
    "Ambrose_Walton": (chemicals.vapor_pressure.Ambrose_Walton, 347.25, 617.15, 36.09e5, 0.304),
    "Wagner": (chemicals.Wagner, 100.0, 190.53, 4596420.0, -6.00435, 1.1885, -0.834082, -1.22833),
    "Rackett": (chemicals.volume.Rackett, 272.03889, 369.83, 4248000.0, 0.2763),
    "COSTALD": (chemicals.volume.COSTALD, 272.03889, 369.83333, 0.20008161e-3, 0.1532),
    "Rachford_Rice": (lambda z, K: Rachford_Rice_solution(zs=[z, 0.3, 0.7 - z], Ks=[K, 0.77, 3.0])[0], 0.2, 1.8),
    "iapws95_rho": (lambda T, P: chemicals.iapws95_rho(T, P), 300.0, 1e5),
    "iapws95_P": (lambda T, rho: chemicals.iapws95_P(T, rho), 300.0, 990.0),
    "mu_Yaws": (lambda T: chemicals.viscosity.mu_Yaws(T, -6.4406, 1117.6, 0.0137, -1.5465e-05), 300.0),
    "Brock_Bird": (chemicals.interface.Brock_Bird, 293.15, 404.75, 633.0, 4.786e6),
    "TRCCp": (
        lambda T: chemicals.heat_capacity.TRCCp(T, 4.0, 7.65e5, 720.0, 3.565, -0.052, -1.55e6, 52.0, 201.0),
        300.0,
    ),
    "Poling": (lambda T: chemicals.heat_capacity.Poling(T, 4.568, -0.008975, 3.631e-05, -3.407e-08, 1.091e-11), 300.0),
    "Lucas_gas": (
        lambda T: chemicals.viscosity.Lucas_gas(T=T, Tc=512.6, Pc=80.9e5, Zc=0.224, MW=32.042, dipole=1.7),
        550.0,
    ),
    "Wilke": (lambda a, b: chemicals.viscosity.Wilke([0.05, 0.95], [a, b], [64.06, 46.07]), 1.34e-5, 9.5029e-06),
}
