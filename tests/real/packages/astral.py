import datetime

from astral import Observer, sun

CALLS: dict = {}
t = datetime.datetime(2024, 6, 1, 12, tzinfo=datetime.UTC)
CALLS["elevation"] = (lambda la, lo: sun.elevation(Observer(la, lo, 0.0), t), 48.0, 11.0)
CALLS["azimuth"] = (lambda la, lo: sun.azimuth(Observer(la, lo, 0.0), t), 48.0, 11.0)
CALLS["zenith"] = (lambda la: sun.zenith(Observer(la, 11.0, 0.0), t), 48.0)
CALLS["eq_of_time"] = (lambda c: sun.eq_of_time(c), 0.24)
