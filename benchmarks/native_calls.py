"""Compiled functions that a plain program calls in a loop: microseconds of a gradient for each turn, and of its parts.

    python benchmarks/native_calls.py [--rounds 9]

The parts are the same loop without the call, and the two kernels of the call (the joint one, where the value is a
number) called from Python. What a call costs on top of them should be at most 3 microseconds on an idle machine.
"""

import argparse
import math
import sys
import time
from pathlib import Path

import numpy as np
from numba import njit
from timing import interleaved

from morula.eager.context.run import Run
from morula.static.tiers.kernel_table import kernels_for

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "native"))
from kernels_in_loops import rhs, step

TURNS = 1000
ASKED = 3.0  # microseconds
Y = np.array([1.0, 2.0, 3.0])


@njit
def energy(y):
    return y[0] ** 2 + y[1] ** 2 + y[2] ** 2


@njit
def fill(out, y, p):
    for i in range(3):
        out[i] = p * y[i]


@njit
def turned(a, b, t):
    return a * math.cos(t) - b * math.sin(t), a * math.sin(t) + b * math.cos(t)


def numbers(x, k):
    for _ in range(TURNS):
        x = step(x, k)
    return x


def small_array(y):
    total = 0.0
    for _ in range(TURNS):
        total += energy(y)
    return total


def array_made_anew(a, b):
    total = 0.0
    for _ in range(TURNS):
        total += energy(np.array([a, b, a]))
    return total


def states(y, p):
    for _ in range(TURNS):
        y = y + 0.001 * rhs(y, p)
    return y.sum()


def writes(y, p):
    out = np.zeros(3)
    total = 0.0
    for _ in range(TURNS):
        fill(out, y, p)
        total += out[1]
    return total


def tuples(a, b, t):
    for _ in range(TURNS):
        a, b = turned(a, b, t)
    return a + b


def without_call(kind):
    """The loop without the call."""

    def sums(x, *_):
        total = x
        for _ in range(TURNS):
            total += x
        return total

    def states(y, z):
        for _ in range(TURNS):
            y = y + 0.001 * z
        return y.sum()

    def arrays(a, b):
        total = 0.0
        for _ in range(TURNS):
            total += np.array([a, b, a])[0]
        return total

    def reads(y):
        total = 0.0
        for _ in range(TURNS):
            total += y[1]
        return total

    return {"sums": sums, "states": states, "arrays": arrays, "reads": reads}[kind]


PROGRAMS = [
    (numbers, (0.3, 1.0), step, (0.3, 1.0), None, ()),
    (small_array, (Y,), energy, (Y,), "sums", (0.3,)),
    (array_made_anew, (0.1, 0.2), energy, (Y,), "arrays", (0.1, 0.2)),
    (states, (Y, 10.0), rhs, (Y, 10.0), "states", (Y, Y)),
    (writes, (Y, 0.3), fill, (np.zeros(3), Y, 0.3), "reads", (Y,)),
    (tuples, (0.1, 0.2, 0.3), turned, (0.1, 0.2, 0.3), None, ()),
]


def gradient(f, args):
    """By the eager tier, whatever a static adjoint would do with the loop."""
    return Run(f, args, {}).gradients_once(lambda y: 1.0)


def kernels(f, args):
    """What runs the kernels of a call from Python."""
    made = kernels_for(f, args, (True,) * len(args))
    bars = [np.zeros(3) for leaf in made.leaves if leaf.is_array]
    seeds = [np.ones(3) if leaf.is_array else 1.0 for leaf in made.value_leaves]
    if made.value_kind == "number":
        return lambda: made.plain(*args, *bars, *seeds)
    forward, backward = made.halves

    def both():
        _, kept = forward(*args)
        backward(*args, kept, *bars, *seeds)

    return both


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=9)
    rounds = options.parse_args().rounds
    print(f"{'microseconds':<18}{'gradient':>10}{'loop':>10}{'kernels':>10}{'on top':>10}   asked {ASKED}")
    for f, args, called, given, rest, rest_args in PROGRAMS:
        gradient(f, args)
        run = kernels(called, given)
        columns = {
            "gradient": lambda f=f, args=args: gradient(f, args),
            "kernels": lambda run=run: [run() for _ in range(TURNS)],
        }
        if rest is not None:
            g = without_call(rest)
            columns["loop"] = lambda g=g, args=rest_args: gradient(g, args)
        t = {name: seconds * 1e6 / TURNS for name, seconds in interleaved(rounds, time.process_time, **columns).items()}
        loop = t.get("loop", 0.0)
        on_top = t["gradient"] - loop - t["kernels"]
        print(f"{f.__name__:<18}{t['gradient']:10.2f}{loop:10.2f}{t['kernels']:10.2f}{on_top:10.2f}")


if __name__ == "__main__":
    main()
