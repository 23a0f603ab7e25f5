import forallpeople as si

si.environment("default")
CALLS: dict = {}
CALLS["product"] = (lambda a, b: ((a * si.m) * (b * si.kg) / si.s**2).value, 1.3, 0.7)
CALLS["sum"] = (lambda a: (a * si.m + 2.0 * si.m).value, 1.3)
CALLS["sqrt"] = (lambda a: ((a * si.m**2).sqrt()).value, 1.3)
CALLS["comparison"] = (lambda a: max(a * si.m, 1.1 * si.m).value ** 2, 1.3)
