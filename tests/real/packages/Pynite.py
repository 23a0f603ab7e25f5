from Pynite import FEModel3D


def beam(length=10.0, E=29000.0, load=-0.2, inertia=100.0):
    m = FEModel3D()
    m.add_node("N1", 0, 0, 0)
    m.add_node("N2", length, 0, 0)
    m.add_material("Steel", E, 11200.0, 0.3, 2.836e-4)
    m.add_section("S", 20.0, 100.0, inertia, 250.0)
    m.add_member("M1", "N1", "N2", "Steel", "S")
    m.def_support("N1", True, True, True, True, False, False)
    m.def_support("N2", True, True, True, False, False, False)
    m.add_member_dist_load("M1", "Fy", load, load)
    return m


def solved(*args, **kw):
    m = beam(*args, **kw)
    m.analyze_linear()
    return m


CALLS = {
    "reaction": (lambda w: solved(load=w).nodes["N1"].RxnFY["Combo 1"], -0.2),
    "rotation": (lambda E, I: solved(E=E, inertia=I).nodes["N1"].RZ["Combo 1"], 29000.0, 100.0),
    "deflection": (lambda L, E: solved(L, E).members["M1"].deflection("dy", L / 2), 10.0, 29000.0),
    "moment": (lambda L, w: solved(L, load=w).members["M1"].moment("Mz", 3.0), 10.0, -0.2),
    "min_deflection": (lambda E: solved(E=E).members["M1"].min_deflection("dy"), 29000.0),
}
