import chainladder as cl

CALLS: dict = {}
CALLS["clrd"] = (lambda s: (cl.load_sample("raa") * s).sum().values.sum(), 1.3)
