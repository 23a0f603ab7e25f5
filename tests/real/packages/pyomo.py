import pyomo.environ as pe

CALLS: dict = {}


def f(v):
    m = pe.ConcreteModel()
    m.x = pe.Var(initialize=1.0)
    m.p = pe.Param(initialize=v, mutable=True)
    return pe.value(pe.sin(m.x) * m.p**2)


CALLS["value"] = (f, 1.3)
