"""Texts that a program makes of its numbers, in the static tier: the same ones, whatever the verb."""

import contextlib
import enum
import io
import json
import logging
import os
import re

import numpy as np
import pytest
from static_checks import alike, check_printed

import morula

# ruff: noqa: UP031, UP032
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.31, 0.9, 0.1, 0.6])
LOG = logging.getLogger("morula.tests.texts")


class Phase(enum.Enum):
    GROWTH = "growth"
    END = "end"


class Monitor:
    def __init__(self):
        self.lines = []
        self.best = 10.0

    def note(self, k, y):
        self.best = min(self.best, y)
        if k % 2:
            self.lines.append(f"{k}: {y:.3f}")


def collected(x):
    total, lines = 0.0, []
    for i, v in enumerate(x):
        total += v * v
        lines.append(f"{i:2d} {v:8.3f}")
        if total > 0.5:
            lines.append("above")
    print("\n".join(lines))
    print(len(lines), "lines")
    return total


def formatted(x):
    y = x[0] * x[1]
    print("%.3f and %5.2e, %s %d%%" % (y, x[2], "text", 3))
    print("{:.4f}|{0}|{k:>8.2f}".replace("{0}", "{}").format(y, x[0], k=y * y))
    print("=" * 20 + f" {y!s:>20}", str(y) + "!", format(y, ".2f"))
    print("value %g" % y, "%s" % x, f"{x * 2.0}", f"{x[:2]}")
    return y


def percent(x):
    lines = []
    for k in range(3):
        y = x[k] * x[k + 1]
        lines.append("%d %.5f" % (k, y))
        lines.append("{k}={y:.2g}".format(k=k, y=y))
    print("; ".join(lines))
    return y


def by_phase(x):
    phase, events, y = Phase.GROWTH, [], x[0]
    for k in range(6):
        y = y * 1.5 if phase is Phase.GROWTH else y * 0.5
        if phase is Phase.GROWTH and y > 1.0:
            phase = Phase.END
            events.append(f"{k}: {phase.value} at {y:.3f}")
    if events:
        print("\n".join(events))
    return y * x[1]


def monitored(x):
    monitor, y = Monitor(), x[0]
    for k in range(5):
        y = 0.5 * (y + x[1] / y)
        monitor.note(k, y)
    print(", ".join(monitor.lines))
    return monitor.best + y


def logged(x):
    y = x[0]
    for k in range(5):
        y = 0.5 * (y + x[1] / y)
        LOG.debug("step %d: %s", k, f"{y * y:.3e}")
        LOG.info("mean %.3f", (x * y).mean())
    return y


def joined(x):
    text = ", ".join(f"{v:.2f}" for v in x)
    other = " ".join([f"{v * 2:.1f}" for v in (x[0], x[1])])
    print(text + "; " + other)
    print(f"{'name':<10}{len(text):>4d}")
    return x.sum()


def table(x):
    names, lines = ["a", "b", "c"], ["head"]
    total = 0.0
    for name, v in zip(names, (x[0], x[1], x[2]), strict=True):
        lines.append(name + "\t" + f"{v:.3f}")
        total += v**2
    message = f"total {total:.4f}"
    for k in range(2):
        print(k, message)
    print("\n".join(lines))
    return total


def looked_back(x):
    lines, y = [], x[0]
    for k in range(4):
        y = y * 1.1 + x[1]
        lines.append(f"{k}: {y:.3f}")
        if k:
            print(lines[k - 1], lines[-1], sep=" -> ")
    print(lines[0], lines[1:3], "; ".join(lines[-2:]), lines[::-1])
    return y * len(lines[0])


FORM = """
[run]
steps = 4 # of them
rate = 0.5m
"""


def read_from_a_form(x):
    found, section = {}, ""
    for line in FORM.splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("["):
            section = line.removeprefix("[").removesuffix("]").upper()
        elif line:
            key, _, value = line.rpartition("=")
            key = key.rstrip()
            found[section, key] = float(value.removesuffix("m")) if key.isidentifier() else 0.0
    y = x[0]
    for _ in range(int(found["RUN", "steps"])):
        y = y + found["RUN", "rate"] * x[1] * y
    print(f"{y:.4f}")
    return y


SETTINGS = '{"steps": 6, "dt": 0.1, "weights": [0.5, 0.25], "scheme": "heun", "more": {"on": true, "off": null}}'


def configured(x):
    settings = json.loads(SETTINGS)
    y = x[0]
    for _ in range(settings["steps"]):
        y += settings["dt"] * settings["weights"][1] * x[1]
        settings["weights"][1] += 0.125
    if settings["scheme"] == "heun" and settings["more"]["off"] is None:
        y *= 1.5
    print(re.sub(r"a+", "b", "caat"), os.path.join("runs", "one"))
    return y


PROGRAMS = [
    configured,
    collected,
    formatted,
    percent,
    by_phase,
    monitored,
    logged,
    joined,
    table,
    looked_back,
    read_from_a_form,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_same_texts_are_made(f, capsys):
    check_printed(f, X, capsys)


def quiet(x):
    lines = []
    for k in range(3):
        y = x[k] ** 2 * x[k + 1]
        lines.append(f"{y:.12f}")
    return y * len("".join(lines))


@pytest.mark.parametrize("verb", ["gradient", "jvp", "hvp", "pullback", "hessian"])
def test_texts_are_made_under_every_verb(verb):
    v = np.array([1.0, -0.5, 0.25, 2.0])
    calls = {
        "gradient": lambda: morula.gradient(quiet, X),
        "jvp": lambda: morula.jvp(quiet, (X,), (v,)),
        "hvp": lambda: morula.hvp(quiet, X, v),
        "pullback": lambda: morula.pullback(quiet, X)[1](1.0),
        "hessian": lambda: morula.hessian(quiet, X),
    }
    found = {}
    for tier in ("eager", "static", "static"):
        with morula.tier(tier):
            found[tier] = calls[verb]()
    assert alike(found["static"], found["eager"])


def read_again(text, x):
    return float(text) * x


def read_as_json(text, x):
    return json.loads(text)["a"] * x


def said(x):
    print(f"{x:.17g}")
    return x * x


def through_text(x):
    return read_again(f"{x:.17g}", x)


def through_json(x):
    return read_as_json(json.dumps({"a": x}), x)


def through_what_is_printed(x):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        y = said(x)
    return float(printed.getvalue()) * y


def through_a_text_of_its_own(x):
    text = str(x)
    if text.startswith("-"):
        return -x
    if len(text) > 50:
        return x
    return float(text) * x


@pytest.mark.parametrize(
    "f", [through_text, through_json, through_what_is_printed, through_a_text_of_its_own], ids=lambda f: f.__name__
)
def test_numbers_that_went_through_a_text_have_their_derivatives_where_hot_functions_read_them(f):
    for x in (0.123456789123, 0.987654321123):
        with morula.tier("eager"):
            (eager,) = morula.gradient(f, x)
        assert eager == pytest.approx((f(x * (1 + 1e-6)) - f(x * (1 - 1e-6))) / (2e-6 * x))
        with morula.tier("static"):
            for _ in range(3):
                assert morula.gradient(f, x) == (pytest.approx(eager),)
