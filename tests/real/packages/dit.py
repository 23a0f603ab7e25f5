import dit
import numpy as np

CALLS: dict = {}
P = np.array([0.2, 0.3, 0.1, 0.4])


def of(measure):
    return lambda p: measure(dit.Distribution(["00", "01", "10", "11"], p / p.sum()))


CALLS["entropy"] = (of(lambda d: dit.shannon.entropy(d)), P)
CALLS["mutual_information"] = (of(lambda d: dit.shannon.mutual_information(d, [0], [1])), P)
CALLS["conditional_entropy"] = (of(lambda d: dit.shannon.conditional_entropy(d, [0], [1])), P)
CALLS["renyi_entropy"] = (of(lambda d: dit.other.renyi_entropy(d, 2)), P)
CALLS["extropy"] = (of(lambda d: dit.other.extropy(d)), P)
