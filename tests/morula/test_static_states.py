"""Static adjoints of programs whose variables, attributes and results hold one constant or another."""

import sys
from enum import Enum
from pathlib import Path

import pytest
from static_checks import check_programs, check_static, found_by

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.fuzz import plain_states


class Mode(Enum):
    RUN = 1
    COAST = 2


def cruise(power, drag):
    v, mode, used = 0.0, Mode.RUN, 0.0
    for _ in range(150):
        if mode is Mode.RUN:
            v += 0.1 * (power - drag * v)
            used += power * 0.1
            if v > 5.0:
                mode = Mode.COAST
        else:
            v -= 0.1 * drag * v
            if v < 3.0:
                mode = Mode.RUN
    return used + v


def thermostat(heat, cool):
    mode, t, cost = "heat", 15.0, 0.0
    for _ in range(100):
        if mode == "heat":
            t += heat * (30.0 - t) * 0.05
            cost += heat
            if t > 22.0:
                mode = "idle"
        elif mode == "idle":
            t -= cool * 0.3
            if t < 18.0:
                mode = "heat"
    return cost + t


class Machine:
    def __init__(self, x):
        self.state, self.x = "grow", x

    def step(self, r):
        if self.state == "grow":
            self.x *= 1 + r
            if self.x > 2.0:
                self.state = "shrink"
        elif self.state in ("shrink", "stay"):
            self.x *= 1 - r
            if self.x < 1.0:
                self.state = "grow"


def machine(x, r):
    m = Machine(x)
    for _ in range(17):
        m.step(r)
    return m.x + (1.0 if m.state == "grow" else 2.0) * x


def kind(x):
    if x < 0.3:
        return "low"
    elif x < 0.6:
        return "mid"
    return "high"


RATES = {"low": 0.1, "mid": 0.3, "high": 0.2}


def by_kind(x, a):
    seen = {"low": 0.0, "mid": 0.0, "high": 0.0}
    for _ in range(6):
        k = kind(x)
        x = x + a * RATES[k] if k != "high" else x * 0.3
        seen[k] += x
    return x + seen["low"] * seen["mid"] + seen["high"]


def matched(x, a):
    label = "a" if x > 0.5 else "b"
    for _ in range(10):
        x = x * a if label == "a" else x + a
        match label:
            case "a":
                label = "b" if x < 0.5 else label
            case _:
                label = "a"
    return x


def best_of(x):
    best, m = None, 0.0
    for name, v in [("p", x), ("q", 2 * x), ("r", x * x)]:
        if best is None or v > m:
            best, m = name, v
    return m * (3.0 if best == "q" else 1.0)


PROGRAMS = [(cruise, (1.2, 0.15)), (thermostat, (0.8, 1.1)), (machine, (0.5, 0.2)), (by_kind, (0.13, 0.4)),
            (matched, (0.9, 0.6)), (best_of, (0.7,))]  # fmt: skip


@pytest.mark.parametrize("f, args", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_constants_of_several(f, args):
    check_static(f, args)


def test_variables_that_hold_other_things_as_well():
    def f(x):
        state = "a"
        for i in range(4):
            if state == "a":
                state = "b"
            elif i == 2:
                state = x
            else:
                x = x * 2.0
        return state * x

    def g(x):
        key = "a"
        for _ in range(3):
            key = key + "b"
        return x * len(key)

    def h(x):
        table, key = {"a": x, "b": 2.0 * x}, "a"
        for _ in range(3):
            x += table[key]
            key = "b" if key == "a" else "c"
        return x

    for each in (f, g, h):
        assert found_by("static", each, (0.7,)) == found_by("eager", each, (0.7,))


def test_random_programs_of_constants():
    check_programs(plain_states.Writer, range(30), 8)
