"""Texts with shapes, tuples and lists in them, in the static tier."""

import numpy as np
import pytest
from static_checks import check_static, found_by

LINKS = {"logit": 1, "identity": 2}
X = np.array([0.7, 0.3, -0.4, 1.1])


class Model:
    def __init__(self, link):
        message = f"Valid links are {list(LINKS.keys())} but got {link}"
        assert link in LINKS, message
        self.link = link


def modelled(x):
    return x.sum() * LINKS[Model("identity").link]


def logged(x):
    log, y = [], x
    for i in range(5):
        y = np.outer(y, x)[:, 0]
        log.append(f"step {i}: shape {y.shape}")
    return np.sum(y) + len(log) * len(log[0])


def grown(x):
    names, n = ["a"], 0
    for _ in range(3):
        n += len(f"{names}")
        names.append("b")
    numbers = [1, 2]
    before = f"{numbers}"
    numbers.append(3)
    return x[0] * n + len(f"{names}") * x[1] + len(before) * x[2] + len(f"{numbers}") * x[3]


def nested(x):
    return x[0] * len(f"{('a', None, 1)} {[[1], (2,)]} {[]} {()} {(1,)!r:>8}")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f", [modelled, logged, grown, nested])
def test_what_is_known_is_put_into_texts(f):
    check_static(f, (X,))


def of_several_names(x):
    numbers = [1, 2]
    same = numbers
    before = f"{numbers}"
    same.append(3)
    numbers[0] = 100
    return x[0] * len(before) + x[1] * len(f"{numbers} {same}")


def changed_in_a_branch(x):
    d = {"x": [1, 2]}
    n = len(f"{d['x']}")
    if x[0] > 0.5:
        d["x"].append(3)
    return x[0] * n + x[1] * len(f"{d['x']}")


def of_itself(x):
    items = [1]
    items.append(items)
    return x[0] * len(f"{items}")


def with_numbers(x):
    return x[0] * len(f"{(1.5, True)} {[x[0]]} {x.shape[0]:>5}")


@pytest.mark.parametrize("f", [of_several_names, changed_in_a_branch, of_itself, with_numbers])
def test_what_is_not_known_is_right_too(f):
    eager, static = found_by("eager", f, (X,)), found_by("static", f, (X,))
    assert repr(static) == repr(eager)
