from pyXSteam.XSteam import XSteam

CALLS: dict = {}
TABLE = XSteam(XSteam.UNIT_SYSTEM_MKS)
CALLS["h_pt"] = (lambda p, t: TABLE.h_pt(p, t), 1.0, 20.0)
CALLS["steam"] = (lambda p, t: TABLE.h_pt(p, t), 10.0, 300.0)
CALLS["tsat_p"] = (lambda p: TABLE.tsat_p(p), 5.0)
CALLS["psat_t"] = (lambda t: TABLE.psat_t(t), 120.0)
CALLS["rho_pt"] = (lambda p, t: TABLE.rho_pt(p, t), 10.0, 300.0)
CALLS["s_ph"] = (lambda h: TABLE.s_ph(10.0, h), 2900.0)
CALLS["t_ph"] = (lambda h: TABLE.t_ph(10.0, h), 2900.0)
CALLS["t_hs"] = (lambda s: TABLE.t_hs(2900.0, s), 6.9)
CALLS["wet"] = (lambda h: TABLE.x_ph(10.0, h), 1500.0)
CALLS["w_pt"] = (lambda t: TABLE.w_pt(10.0, t), 300.0)
CALLS["Cp_pt"] = (lambda t: TABLE.Cp_pt(10.0, t), 300.0)
CALLS["my_pt"] = (lambda t: TABLE.my_pt(10.0, t) * 1e5, 300.0)
CALLS["tc_pt"] = (lambda t: TABLE.tc_pt(10.0, t), 300.0)
CALLS["st_t"] = (lambda t: TABLE.st_t(t), 80.0)
CALLS["pmelt"] = (lambda t: TABLE.pmelt_t(t, TABLE.TYPE_ICE_Ih), -5.0)
