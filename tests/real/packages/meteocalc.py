from meteocalc import Temp, dew_point, heat_index

CALLS: dict = {}
CALLS["dew_point"] = (lambda t, h: dew_point(temperature=Temp(t, "c"), humidity=h).c, 20.0, 56.0)
CALLS["heat_index"] = (lambda t, h: heat_index(temperature=Temp(t, "c"), humidity=h).c, 33.0, 60.0)
CALLS["fahrenheit"] = (lambda t: Temp(t, "f").c * Temp(t, "k").f, 80.0)
