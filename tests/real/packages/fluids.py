import fluids

CALLS = {
    "Reynolds": (lambda V, D: fluids.Reynolds(V=V, D=D, nu=1e-6), 2.5, 0.25),
    "friction_factor": (lambda Re, eD: fluids.friction_factor(Re=Re, eD=eD), 1e5, 1e-4),
    "Colebrook": (lambda Re, eD: fluids.friction.Colebrook(Re, eD), 1e5, 1e-4),
    "dP_from_K": (lambda K, rho, V: fluids.dP_from_K(K, rho=rho, V=V), 10.0, 1000.0, 3.0),
    "bend_rounded": (
        lambda Di, angle: fluids.fittings.bend_rounded(Di=Di, angle=angle, fd=0.01, bend_diameters=5),
        4.0,
        30.0,
    ),
    "contraction_sharp": (lambda a, b: fluids.fittings.contraction_sharp(Di1=a, Di2=b), 1.0, 0.4),
    "drag_sphere": (fluids.drag.drag_sphere, 200.0),
    "v_terminal": (lambda D, rhop: fluids.v_terminal(D=D, rhop=rhop, rho=1.2, mu=1.78e-5), 70e-6, 2600.0),
    "isothermal_gas": (
        lambda P1, m: fluids.isothermal_gas(rho=11.3, fd=0.00185, P1=P1, L=1000.0, D=0.5, m=m),
        1e6,
        145.5,
    ),
    "ATMOSPHERE_1976": (lambda Z: fluids.ATMOSPHERE_1976(Z).rho, 5000.0),
    "Ergun": (lambda dp, v: fluids.packed_bed.Ergun(dp=dp, voidage=v, vs=1e-3, rho=1e3, mu=1e-3, L=1.0), 8e-4, 0.4),
    "TANK": (
        lambda D, h: fluids.geometry.TANK(
            D=D, L=5.0, horizontal=False, sideA="torispherical", sideB="torispherical"
        ).V_from_h(h),
        2.0,
        1.5,
    ),
    "nozzle": (
        lambda a, b: fluids.flow_meter.C_Reader_Harris_Gallagher(
            D=a, Do=b, rho=1.165, mu=1.85e-5, m=0.12, taps="flange"
        ),
        0.07391,
        0.0222,
    ),
    "roughness_Farshad": (lambda D: fluids.roughness_Farshad("Cr13, bare", D), 0.05),
    "control_valve": (
        lambda P1, P2: fluids.control_valve.size_control_valve_l(
            rho=965.4, Psat=70.1e3, Pc=22120e3, mu=3.1472e-4, P1=P1, P2=P2, Q=0.1
        ),
        680e3,
        220e3,
    ),
}
