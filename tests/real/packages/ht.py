import ht

CALLS = {
    "LMTD": (lambda a, b: ht.LMTD(a, 60.0, 30.0, b), 100.0, 40.2),
    "Nu_conv_internal": (lambda Re, Pr: ht.Nu_conv_internal(Re=Re, Pr=Pr, eD=1e-4), 1e5, 1.2),
    "Gnielinski": (lambda Re, Pr: ht.conv_internal.turbulent_Gnielinski(Re=Re, Pr=Pr, fd=0.0185), 1e5, 1.2),
    "effectiveness_from_NTU": (
        lambda NTU, Cr: ht.effectiveness_from_NTU(NTU=NTU, Cr=Cr, subtype="counterflow"),
        5.0,
        0.7,
    ),
    "NTU_from_effectiveness": (
        lambda e, Cr: ht.NTU_from_effectiveness(effectiveness=e, Cr=Cr, subtype="counterflow"),
        0.7,
        0.7,
    ),
    "Nu_cylinder": (lambda Re, Pr: ht.conv_external.Nu_cylinder_Zukauskas(Re, Pr), 7992.0, 0.707),
    "Churchill_Bernstein": (ht.conv_external.Nu_cylinder_Churchill_Bernstein, 7992.0, 0.707),
    "Chen_Edelstein": (
        lambda x, D: ht.Chen_Edelstein(
            m=0.106,
            x=x,
            D=D,
            rhol=567.0,
            rhog=18.09,
            mul=156e-6,
            mug=7.11e-6,
            kl=0.086,
            Cpl=2730.0,
            Hvap=2e5,
            sigma=0.02,
            dPsat=1e5,
            Te=3.0,
        ),
        0.2,
        0.0212,
    ),
    "Rohsenow": (
        lambda Te: ht.Rohsenow(
            rhol=957.854,
            rhog=0.595593,
            mul=2.79e-4,
            kl=0.680,
            Cpl=4217.0,
            Hvap=2.257e6,
            sigma=0.0589,
            Te=Te,
            Csf=0.011,
            n=1.26,
        ),
        4.9,
    ),
    "Ntubes_HEDH": (
        lambda L: ht.dP_Kern(
            m=11.0, rho=995.0, mu=0.000803, mu_w=0.000657, DShell=0.584, LSpacing=0.1524, pitch=L, Do=0.019, NBaffles=22
        ),
        0.0254,
    ),
    "R_cylinder": (lambda a, b: ht.R_cylinder(a, b, 20.0, 10.0), 0.9, 1.0),
    "q_rad": (lambda e, T: ht.q_rad(emissivity=e, T=T, T2=300.0), 0.8, 450.0),
    "cylindrical_heat_transfer": (
        lambda Ti, To: ht.cylindrical_heat_transfer(
            Ti=Ti, To=To, hi=1e12, ho=22.697193, Di=0.0779272, ts=[0.0054864, 0.05], ks=[56.045, 0.0598535]
        )["Q"],
        453.15,
        301.15,
    ),
}
