from iapws import IAPWS95, IAPWS97
from iapws._iapws import _Dielectric, _ThCond, _Viscosity
from iapws.iapws97 import _PSat_T, _Region1, _Region2

CALLS = {
    "IAPWS97.h": (lambda T, P: IAPWS97(T=T, P=P).h, 300.0, 3.0),
    "IAPWS97.s": (lambda T, P: IAPWS97(T=T, P=P).s, 700.0, 0.5),
    "Region1": (lambda T, P: _Region1(T, P)["v"], 300.0, 3.0),
    "Region2": (lambda T, P: _Region2(T, P)["cp"], 700.0, 0.3),
    "PSat": (_PSat_T, 400.0),
    "saturated": (lambda T: IAPWS97(T=T, x=0.5).rho, 400.0),
    "Viscosity": (_Viscosity, 900.0, 500.0),
    "ThCond": (_ThCond, 900.0, 500.0),
    "Dielectric": (_Dielectric, 900.0, 500.0),
    "IAPWS95.rho": (lambda T: IAPWS95(T=T, rho=996.0).P, 300.0),
}
