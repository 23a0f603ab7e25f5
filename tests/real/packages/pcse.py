import datetime as dt

import numpy as np
from pcse import util
from pcse.util import Afgen

CALLS: dict = {}
DAY = dt.date(2020, 6, 4)


def without_memory(function):
    """`astro` remembers what it has computed, and what it remembers is a constant."""

    def call(*args):
        util.astro.__defaults__[0].clear()
        return function(*args)

    return call


CALLS["penman"] = (
    without_memory(lambda tn, tx, r, v, w: util.penman(DAY, 52.0, 3.0, tn, tx, r, v, w, 0.25, 0.5)),
    9.0, 19.0, 18e6, 11.0, 2.5,
)  # fmt: skip
CALLS["penman_monteith"] = (
    lambda tn, tx, r, v, w: util.penman_monteith(DAY, 52.0, 3.0, tn, tx, r, v, w),
    9.0,
    19.0,
    18e6,
    1.1,
    2.5,
)
CALLS["Afgen"] = (lambda x: Afgen([0.0, 1.0, 2.0, 3.0, 4.0, 2.5])(x), 2.7)
CALLS["Afgen table"] = (lambda y: Afgen([0.0, y[0], 2.0, y[1], 4.0, y[2]])(2.7), np.array([1.0, 3.0, 2.5]))
CALLS["astro"] = (lambda r: list(util.astro(DAY, 52.0, r, {})[3:6]), 18e6)
CALLS["wind10to2"] = (lambda w: util.wind10to2(w), 3.4)
CALLS["ea_from_tdew"] = (lambda t: util.ea_from_tdew(t), 11.0)
CALLS["angstrom"] = (lambda s: util.angstrom(DAY, 52.0, s, 0.25, 0.5), 8.0)
CALLS["limit"] = (lambda x: util.limit(0.0, 5.0, x) ** 2, 3.0)
