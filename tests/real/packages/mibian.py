import mibian

CALLS: dict = {}


def european(s, k, r, days, v):
    c = mibian.BS([s, k, r, days], volatility=v)
    return c.callPrice, c.putPrice, c.callDelta, c.gamma, c.vega, c.callTheta, c.putRho


CALLS["BS"] = (european, 100.0, 97.0, 3.0, 60.0, 25.0)
CALLS["GK"] = (
    lambda s, v: (lambda c: (c.callPrice, c.putPrice, c.callDelta, c.vega))(
        mibian.GK([s, 1.3, 2.0, 3.0, 60], volatility=v)
    ),
    1.32,
    12.0,
)
CALLS["Me"] = (
    lambda s, v: (lambda c: (c.callPrice, c.putPrice, c.gamma))(mibian.Me([s, 97.0, 2.0, 1.0, 60], volatility=v)),
    100.0,
    22.0,
)
