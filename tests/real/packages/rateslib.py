from datetime import datetime as dt

from rateslib import Curve

CALLS: dict = {}


def curve(a, b):
    return Curve({dt(2024, 1, 1): 1.0, dt(2025, 1, 1): a, dt(2026, 1, 1): b}, interpolation="log_linear")


CALLS["Curve"] = (lambda a, b: float(curve(a, b)[dt(2025, 7, 1)]), 0.97, 0.93)
