import isacalc

CALLS: dict = {}
ISA = isacalc.Atmosphere()
CALLS["calculate"] = (lambda h: ISA.calculate(h)[1:], 8123.0)
CALLS["stratosphere"] = (lambda h: ISA.calculate(h)[1:], 15300.0)
