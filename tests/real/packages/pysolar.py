import datetime

from pysolar import radiation, solar

CALLS: dict = {}
t = datetime.datetime(2020, 6, 1, 12, tzinfo=datetime.UTC)
CALLS["get_altitude"] = (lambda la, lo: solar.get_altitude(la, lo, t), 48.0, 11.0)
CALLS["get_azimuth"] = (lambda la, lo: solar.get_azimuth(la, lo, t), 48.0, 11.0)
CALLS["radiation_direct"] = (lambda a: radiation.get_radiation_direct(t, a), 40.0)
CALLS["altitude_fast"] = (lambda la: solar.get_altitude_fast(la, 11.0, t), 48.0)
