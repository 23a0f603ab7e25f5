"""What the gradient of plain Python costs beside the program itself, by each tier and by central differences.

    python benchmarks/plain.py [--repeat 15] [NAME ...]

The programs stand in `plain_programs.py` as a scientist writes them. All columns are measured in one interleaved run
with the clock of the process; the medians over that of the program are printed. An empty static column means that the
program has no static adjoint, with the reason.
"""

import argparse
import time

import numpy as np
import plain_programs as programs
from timing import interleaved, keep

import morula
from morula.static.python.pairs import record_of

RNG = np.random.default_rng(0)
Y, T = RNG.normal(size=30), RNG.normal(size=30)
X, W = RNG.normal(size=(1000, 20)), RNG.normal(size=20) / 10
LARGEST = 30_000  # numbers of which central differences are measured
LABELS = (RNG.random(1000) > 0.5).astype(float)
CASES = [
    (programs.square, (0.5,)), (programs.chain, (0.5,)), (programs.sir_floats, (2.0, 0.5, 1.0)),
    (programs.oscillators, (0.3, 1.0, 1.2)), (programs.mse, (Y, T)), (programs.kepler, (1.1, 0.3, 0.2)),
    (programs.quadrature, (0.5, 2.0)), (programs.sir, (np.log([2.0, 0.5, 1.0]),)),
    (programs.lotka_volterra, (np.array([1.0, 0.1, 0.1, 1.0]),)), (programs.springs, (10.0, 0.1, 1.0)),
    (programs.chemistry, ({"k1": 1.0, "k2": 0.5, "k3": 0.7, "k4": 0.3, "k5": 0.2},)),
    (programs.diffusion, (np.sin(np.arange(50.0)) + 1.0, 0.1, 0.2)),
    (programs.diffusion, (np.sin(np.arange(1e5)) + 1.0, 0.1, 0.2)), (programs.logistic, (W, X, LABELS)),
    (programs.mixture, (*RNG.normal(size=(2, 5, 3)), RNG.normal(size=5), RNG.normal(size=(200, 3)))),
    (programs.network, (RNG.normal(size=(8, 4)), RNG.normal(size=8), RNG.normal(size=(3, 8)), RNG.normal(size=3),
                        RNG.normal(size=(30, 4)), RNG.normal(size=(30, 3)))),
    (programs.kalman, (0.1, 0.5, RNG.normal(size=100))),
]  # fmt: skip


def differences(f, args, h=1e-6):
    """The gradient with respect to all numbers by central differences; a dict counts by its items."""

    def moved(i, k, step):
        changed = list(args)
        if isinstance(args[i], dict):
            changed[i] = {**args[i], k: args[i][k] + step}
        elif isinstance(args[i], np.ndarray):
            changed[i] = args[i].copy()
            changed[i].flat[k] += step
        else:
            changed[i] = args[i] + step
        return f(*changed)

    places = [
        (i, k)
        for i, a in enumerate(args if f is not programs.logistic else args[:1])
        for k in (a if isinstance(a, dict) else range(np.size(a)))
    ]
    return [(moved(i, k, h) - moved(i, k, -h)) / (2 * h) for i, k in places]


def in_tier(name, f, args):
    """The gradient as a user asks for it, once a static adjoint was made where there is one."""

    def run():
        return morula.grad(f)(*args) if f is programs.logistic else morula.gradient(f, *args)

    def forced():
        with morula.tier(name):
            return run()

    if name == "eager":
        return forced
    forced()
    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--json", metavar="PATH", help="keep the figures for the site")
    options = parser.parse_args()
    rows = {}
    print(f"{'program':16}{'us':>10}{'static':>9}{'eager':>9}{'differences':>13}")
    for f, args in CASES:
        if options.names and f.__name__ not in options.names:
            continue
        columns = {
            "plain": lambda f=f, args=args: f(*args),
            "static": in_tier("static", f, args),
            "eager": in_tier("eager", f, args),
        }
        if sum(np.size(a) for a in args if isinstance(a, np.ndarray)) <= LARGEST:
            columns["differences"] = lambda f=f, args=args: differences(f, args)
        found = interleaved(options.repeat, time.process_time, **columns)
        ratios = {name: t / found["plain"] for name, t in found.items()}
        why = record_of(f).why
        name = f.__name__ if f.__name__ not in rows else f"{f.__name__}, large"
        rows[name] = {name: t for name, t in found.items() if name != "static" or why is None}
        static = f"{ratios['static']:9.2f}" if why is None else f"{'-':>9}"
        by_differences = f"{ratios['differences']:13.1f}" if "differences" in ratios else ""
        print(f"{name:16}{found['plain'] * 1e6:10.1f}{static}{ratios['eager']:9.1f}{by_differences}"
              + (f"   {why}" if why else ""))  # fmt: skip
    keep(options.json, "Plain Python, by tier", "plain", rows, limit=3.0)


if __name__ == "__main__":
    main()
