import datetime

import ppigrf

CALLS: dict = {}
DATE = datetime.datetime(2021, 3, 28)
CALLS["igrf"] = (lambda lon, lat, h: ppigrf.igrf(lon, lat, h, DATE), 5.32, 60.4, 10.0)
CALLS["igrf_gc"] = (lambda r, t, p: ppigrf.igrf_gc(r, t, p, DATE), 6500.0, 30.0, 4.0)
