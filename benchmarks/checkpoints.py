"""What `checkpoint_loop` takes in memory and time, beside storing everything and beside theory.

    python benchmarks/checkpoints.py [--steps 1000] [--cells 20000] [--repeat 3]

The loop is ``u = u + 0.1 * np.sin(u)`` over an array of `cells` numbers of 8 bytes. Peaks are in such arrays, counted
by `tracemalloc` from the moment at which the argument exists; they do not vary from run to run.

theory, steps
    With k snapshots a gradient of n steps runs ``r * (n + 1) - comb(k + r, k + 1)`` steps plainly, where r is the
    smallest number with ``comb(k + r, k) > n`` (Griewank and Walther, Algorithm 799), and each of the n once with a
    tape.
theory, time
    The plain steps, each as long as in the plain loop, and the gradient of the loop that stores everything.
theory, arrays
    The k snapshots, and what a gradient of one step takes with one snapshot.
"""

import argparse
import functools
import gc
import math
import tracemalloc
from array import array
from collections.abc import Callable

import numpy as np
from timing import interleaved

import morula

BAR_ARRAYS = 2  # asked for: arrays beyond theory, at the most
BAR_TIME = 1.5  # times theory
TAKEN = array("q", [0, 0])  # plain steps, steps with a tape


def step(u):
    return u + 0.1 * np.sin(u)


def counted_step(u):
    TAKEN[morula.isderiving()] += 1
    return u + 0.1 * np.sin(u)


def all_stored(u, n):
    for _ in range(n):
        u = step(u)
    return u.sum()


def looped(u, n, k, each=step):
    return morula.checkpoint_loop(each, u, n, snapshots=k).sum()


def some_steps(u, n):
    for _ in range(n):
        u = step(u)
    return u


def in_blocks(u, n):
    """What one does without a schedule: a checkpoint for every sqrt(n) steps."""
    block = math.isqrt(n)
    for start in range(0, n, block):
        u = morula.checkpoint(some_steps, u, min(block, n - start))
    return u.sum()


def promised(n: int, k: int) -> tuple[int, int]:
    """How often a step runs plainly at the most, and all plain steps together."""
    r = next(r for r in range(n + 2) if math.comb(k + r, k) > n)
    return r, r * (n + 1) - math.comb(k + r, k + 1)


def peak_of(f: Callable, *args: object) -> int:
    """The most bytes that are held beyond those that are there before."""
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    f(*args)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak


def steps_of(u: np.ndarray, n: int, k: int) -> tuple[int, int]:
    TAKEN[0] = TAKEN[1] = 0
    morula.gradient(functools.partial(looped, n=n, k=k, each=counted_step), u)
    return TAKEN[0], TAKEN[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--cells", type=int, default=20_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    n = options.steps
    u = np.random.default_rng(0).uniform(0.1, 0.9, options.cells)
    gradient = functools.partial(morula.gradient)
    snapshots = sorted({k for k in (2, 3, 5, 10, 20, 50, 100) if k < n} | {n})

    want = gradient(functools.partial(all_stored, n=n), u)[0]
    columns: dict[str, Callable[[], object]] = {
        "plain": lambda: all_stored(u, n),
        "stored": lambda: gradient(functools.partial(all_stored, n=n), u),
        "blocks": lambda: gradient(functools.partial(in_blocks, n=n), u),
    }
    for k in snapshots:
        columns[f"k{k}"] = functools.partial(gradient, functools.partial(looped, n=n, k=k), u)
        got = columns[f"k{k}"]()[0]  # type: ignore[index]
        assert np.allclose(got, want, rtol=1e-12, atol=0), "another gradient than that of the plain loop"
    seconds = interleaved(options.repeat, **columns)
    stored = peak_of(columns["stored"]) / u.nbytes
    beside = peak_of(gradient, functools.partial(looped, n=1, k=1), u) / u.nbytes - 1

    print(f"{n} steps over {options.cells} cells: one array is {u.nbytes / 1e6:.2f} MB")
    print(f"the plain loop takes {seconds['plain']:.3f} s\n")
    row("", "plain steps", "theory", "r", "arrays", "theory", "seconds", "theory", "of storing all")
    row("store everything", 0, 0, "", stored, "", seconds["stored"], "", 1.0)
    blocks = peak_of(columns["blocks"]) / u.nbytes
    expected = seconds["stored"] + seconds["plain"]
    row("blocks of sqrt n", n, n, 1, blocks, "", seconds["blocks"], expected, seconds["blocks"] / seconds["stored"])
    missed = []
    for k in snapshots:
        r, plain = promised(n, k)
        counted, taped = steps_of(u, n, k)
        arrays = peak_of(columns[f"k{k}"]) / u.nbytes
        time = seconds[f"k{k}"]
        expected = seconds["plain"] * plain / n + seconds["stored"]
        row(f"{k} snapshots", counted, plain, r, arrays, k + beside, time, expected, time / seconds["stored"])
        if taped != n or counted != plain:
            missed.append(f"{k} snapshots: steps")
        if arrays - k - beside > BAR_ARRAYS:
            missed.append(f"{k} snapshots: arrays")
        if time > BAR_TIME * expected:
            missed.append(f"{k} snapshots: time")
    verdict = "MISSED by " + ", ".join(missed) if missed else "met"
    print(f"\n  asked: the steps of theory, {BAR_ARRAYS} arrays more at most, {BAR_TIME} times the time; {verdict}")


WIDTHS = (16, 13, 9, 4, 9, 9, 10, 9, 16)


def row(*cells: object) -> None:
    places = {4: 1, 5: 1, 6: 3, 7: 3, 8: 2}
    texts = [f"{c:.{places[i]}f}" if isinstance(c, float) else str(c) for i, c in enumerate(cells)]
    print("  " + "".join(text.rjust(width) for text, width in zip(texts, WIDTHS, strict=True)))


if __name__ == "__main__":
    main()
