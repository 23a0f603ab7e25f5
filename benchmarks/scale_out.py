"""Maps of losses over processes: what a gradient costs there, beside the same work in one process.

Run ``python benchmarks/scale_out.py``. Each shard is a loop of the same length; its time is chosen by ``--seconds``.
"""

import argparse
import functools
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

import morula


def loss(w: Any, shard: Any, steps: int) -> Any:
    """A pendulum whose damping and length are fitted to a shard of data."""
    angle, speed, total = shard[0], 0.0, 0.0
    for k in range(steps):
        speed += 0.01 * (-w[0] * np.sin(angle) - w[1] * speed)
        angle += 0.01 * speed
        total += (angle - shard[k % len(shard)]) ** 2
    return float(total / steps)


def total(map_: Any, shards: Any, steps: int, w: Any) -> Any:
    """The loss over all shards."""
    return sum(map_(functools.partial(loss, w, steps=steps), shards))


def seconds(f: Any, repeat: int = 3) -> float:
    """The shortest of some runs."""
    found = []
    for _ in range(repeat):
        start = time.perf_counter()
        f()
        found.append(time.perf_counter() - start)
    return min(found)


def main() -> None:
    """Print a table: values and gradients, here and in processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=1.0, help="that the gradient of a shard takes here")
    options = parser.parse_args()
    w = np.array([9.81, 0.1])
    shards = [np.linspace(0.1, 1.0, 50) * (k + 1) / options.shards for k in range(options.shards)]
    gradient_of_one = functools.partial(morula.gradient, loss, w)
    gradient_of_one(shards[0], 10_000)
    steps = int(10_000 * options.seconds / seconds(lambda: gradient_of_one(shards[0], 10_000)))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.processes, context) as pool:
        rows = []
        for name, n in (("tiny shards", 10), ("large shards", steps)):
            for place, map_ in (("here", map), (f"{options.processes} processes", pool.map)):
                value = lambda map_=map_, n=n: total(map_, shards, n, w)
                if map_ is map:  # the fastest way in one process: a compiled gradient of each shard
                    gradient = lambda n=n: sum(gradient_of_one(shard, n)[0] for shard in shards)
                else:
                    gradient = lambda map_=map_, n=n: morula.gradient(lambda w: total(map_, shards, n, w), w)
                value(), gradient()
                rows.append((name, place, seconds(value), seconds(gradient)))
    print(f"{options.shards} shards; large ones are loops of {steps} steps")
    for name, place, a, b in rows:
        print(f"{name:14}{place:14} value {a * 1e3:10.1f} ms   gradient {b * 1e3:10.1f} ms")
    print(f"speed-up of the gradient: {rows[2][3] / rows[3][3]:.2f}")
    print(f"a round trip of {options.shards} calls, there and back: {(rows[1][3] - rows[0][3]) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
