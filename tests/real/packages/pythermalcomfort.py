from pythermalcomfort import models as m
from pythermalcomfort import utilities as u

CALLS: dict = {}
CALLS["pmv"] = (
    lambda t: (
        m.pmv_ppd_iso(tdb=t, tr=25.0, vr=0.1, rh=50.0, met=1.4, clo=0.5, limit_inputs=False, round_output=False).pmv
    ),
    25.0,
)
CALLS["heat_index"] = (lambda t: m.heat_index_rothfusz(tdb=t, rh=60.0, round_output=False).hi, 32.0)
CALLS["wbgt"] = (lambda t: m.wbgt(twb=t, tg=32.0, round_output=False).wbgt, 25.0)
CALLS["utci"] = (lambda t: m.utci(tdb=t, tr=25.0, v=1.0, rh=50.0, round_output=False).utci, 25.0)
CALLS["psy_ta_rh"] = (lambda t: u.psy_ta_rh(tdb=t, rh=50.0).h, 21.0)
CALLS["set"] = (lambda t: m.set_tmp(tdb=t, tr=25.0, v=0.1, rh=50.0, met=1.2, clo=0.5, round_output=False).set, 25.0)
