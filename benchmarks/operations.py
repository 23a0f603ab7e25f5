"""What each operation that a scientist uses in a loop costs in the eager tier, on top of the plain program.

    python benchmarks/operations.py [--repeat 20] [NAME ...]

Each row runs one operation 100 times in a loop, plainly and under `gradient`, interleaved; the figure is the
difference of the medians, per operation. What an operation gives goes into the next one, so that the way back over it
counts as well. The aims are 0.6 us for numbers and 3 us for arrays of three elements.
"""

import argparse
import collections
import copy
import dataclasses
import heapq
import itertools
import linecache
import math
import random
import re
import time
from bisect import bisect
from operator import attrgetter

import numpy as np
from timing import interleaved

import morula

COUNT = 100
MODULES = (collections, copy, heapq, itertools, math, random, re, time)
NUMBERS = {
    "x + c": "x + 0.1", "x * c": "x * 1.01", "x - y": "x - a", "x / c": "x / 1.1", "x ** 2": "x ** 2",
    "x ** 1.5": "x ** 1.5",
    "-x": "-x", "abs": "abs(x)", "float": "float(x)", "int": "int(x) + x", "round": "round(x, 3) + x",
    "min": "min(x, 2.0)", "max": "max(x, 0.1)", "max of three": "max(x, a, 0.1)",
    "math.sin": "math.sin(x)", "math.exp": "math.exp(-x)", "math.sqrt": "math.sqrt(x)", "math.log": "math.log(x + 1.0)",
    "math.atan2": "math.atan2(x, 2.0)", "math.hypot": "math.hypot(x, 2.0)", "math.pow": "math.pow(x, 1.5)",
    "math.fmod": "math.fmod(x, 2.0)", "math.copysign": "math.copysign(x, -1.0) + 1.0",
    "np.sin of a number": "np.sin(x)", "x < c": "x if x < 2.0 else 2.0", "function": "helper(x)",
    "keyword": "helper(x=x)", "attribute": "p.q + x", "item": "l[0] + x", "dict": "d['a'] * x",
    "round to whole": "round(x) + x", "x % c": "x % 2.0", "x // c": "x // 2.0 + x", "divmod": "divmod(x, 2.0)[1] + 0.1",
    "math.floor": "math.floor(x) + x", "math.radians": "math.radians(x) * 57.0", "np.float64": "np.float64(x)",
    "np.hypot of numbers": "np.hypot(x, a)", "np.arctan2 of numbers": "np.arctan2(x, a)",
    "np.maximum of numbers": "np.maximum(x, a)", "np.floor of a number": "np.floor(x) + x",
    "max of a list": "max([x, a])", "math.fsum": "math.fsum([x, a])", "pow": "pow(x, 2)",
    "tuple": "(x, 1.0)[0]", "append": "l.append(x) or x", "sum": "sum([x, 1.0])", "method": "p.get(x)",
}  # fmt: skip
ARRAYS = {
    "v + c": "v + 0.1", "v * w": "v * w", "v[0]": "v[0] * w", "v[1:]": "v[1:].sum() * w", "np.sin": "np.sin(v)",
    "v.sum()": "v.sum() * w", "np.sum": "np.sum(v) * w", "v.mean()": "v.mean() * w", "v.max()": "v.max() * w",
    "np.mean": "np.mean(v) * w", "v.dot(w)": "v.dot(w) * w", "np.dot": "np.dot(v, w) * w", "W @ v": "W @ v",
    "v @ w": "(v @ w) * w",
    "v.T": "v.T", "v.copy()": "v.copy()", "v.reshape": "v.reshape(3)", "v[::-1]": "v[::-1]",
    "np.array([a, b, c])": "np.array([v[0], v[1], 1.0])", "np.concatenate": "np.concatenate([v[:1], w[1:]])",
    "np.stack": "np.stack([v, w])[0]", "np.where": "np.where(v > 0.0, v, w)", "np.maximum": "np.maximum(v, w)",
    "np.clip": "np.clip(v, 0.1, 2.0)", "np.abs": "np.abs(v)", "np.linalg.norm": "np.linalg.norm(v) * w",
    "np.sqrt(sum)": "np.sqrt((v * v).sum()) * w", "np.exp": "np.exp(-v)", "np.outer": "np.outer(v, w)[0]",
    "np.cross": "np.cross(v, w) + w", "np.linalg.solve": "np.linalg.solve(W, v)", "np.cumsum": "np.cumsum(v) * 0.3",
    "np.array of rows": "np.array([[v[0], 1.0], [v[1], v[2]]])[0, 0] * w", "np.array of arrays": "np.array([v, w])[0]",
    "np.array, dtype": "np.array((v[0], v[1], 1.0), dtype=float)",
    "float(v[0])": "float(v[0]) * w", "v.tolist()": "v.tolist()[0] * w",
    "np.einsum": "np.einsum('ij,j->i', W, v)", "np.tensordot": "np.tensordot(W, v, 1)", "np.var": "np.var(v) * w",
    "v.std()": "v.std() * w", "np.std": "np.std(v) * w", "np.prod": "np.prod(v) * w", "np.diff": "np.diff(v)[0] * w",
    "np.append": "np.append(v[:2], w[0])", "np.interp": "np.interp(v, grid, w)",
    "np.linspace": "np.linspace(v[0], 1.0, 3)",
    "np.minimum": "np.minimum(v, w)", "np.min": "np.min(v) * w", "np.vstack": "np.vstack([v, w])[0]",
    "np.hstack": "np.hstack([v[:1], w[1:]])", "np.trace": "np.trace(W) * v", "np.diag": "np.diag(v) @ w",
    "np.roll": "np.roll(v, 1)", "np.sort": "np.sort(v)", "np.power": "np.power(v, 2)", "np.square": "np.square(v)",
    "np.average": "np.average(v, weights=w) * w", "np.zeros_like": "np.zeros_like(v) + v",
    "np.full": "np.full(3, v[0])",
    "np.linalg.inv": "np.linalg.inv(W) @ v", "np.linalg.det": "np.linalg.det(W) * v", "np.inner": "np.inner(v, w) * w",
    "np.matmul": "np.matmul(W, v)", "np.vdot": "np.vdot(v, w) * w", "np.transpose": "np.transpose(W) @ v",
    "np.meshgrid": "np.meshgrid(v, w)[0][0]", "np.tile": "np.tile(v, 2)[:3]", "np.repeat": "np.repeat(v, 2)[:3]",
    "np.gradient": "np.gradient(v)", "np.trapezoid": "np.trapezoid(v) * w", "np.expand_dims": "np.expand_dims(v, 0)[0]",
}  # fmt: skip
STATEMENTS = {
    "v[0] = x": "v[0] = v[1] * 0.9",
    "v[1:] = ...": "v[1:] = v[:-1] * 0.9",
    "v += w": "v += w",
    "v *= c": "v *= 0.9",
}
# what a program also does in its loops: calls that have no derivative, or whose arguments do not move
BESIDE = {
    "rng.normal()": "rng.normal()", "rng.random()": "rng.random()", "rng.poisson": "rng.poisson(3.0)",
    "rng.integers": "rng.integers(5)", "rng.shuffle": "rng.shuffle(order)", "random.random": "random.random()",
    "random.gauss": "random.gauss(0.0, 1.0)", "random.choice": "random.choice(order)",
    "np.random.rand": "np.random.rand(3)", "np.ones": "np.ones((2, 2))", "np.eye": "np.eye(2)",
    "np.arange": "np.arange(4)", "np.argmax": "np.argmax(grid)", "np.all": "np.all(grid > -1.0)",
    "np.array of a list": "np.array(order)", "len": "len(order)", "isinstance": "isinstance(a, float)",
    "sorted by key": "sorted(order, key=lambda k: -k)", "zip": "list(zip(order, order))",
    "map": "list(map(float, order))", "product": "list(itertools.product(order, order))",
    "text": "f'{i:03d} {a:.2f}'", "re.match": "pattern.match('aab')", "time": "time.perf_counter()",
    "dataclass": "Point(1.0)", "class": "Box(1.0)", "heappush": "heapq.heappush(order, 4)",
    "bisect": "bisect(order, 2)",
    "Counter": "counts.update('ab')", "deepcopy": "copy.deepcopy(order[:3])",
}  # fmt: skip


class Box:
    def __init__(self, q):
        self.q = q

    def get(self, x):
        return self.q + x


@dataclasses.dataclass
class Point:
    x: float = 1.0


def program(body: str) -> object:
    """``f(x)`` that runs `body` in a loop; its source is kept as an interpreter keeps it."""
    text = (
        "def f(x):\n"
        "    a, v, w, W = 0.5, x * np.ones(3), x * np.array([0.5, 0.2, 0.1]), np.eye(3) + 0.1\n"
        "    p, l, d, grid = Box(a), [x], {'a': x}, np.array([0.0, 0.5, 1.0])\n"
        "    rng, order, counts = np.random.default_rng(0), [3, 1, 2], collections.Counter()\n"
        "    pattern = re.compile('a+')\n"
        f"    for i in range({COUNT}):\n"
        f"        {body}\n"
        "    return x + v.sum()\n"
    )
    filename = f"<operation {body}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    modules = dict(zip(map(attrgetter("__name__"), MODULES), MODULES, strict=True))
    space = modules | {"np": np, "Box": Box, "Point": Point, "helper": helper, "bisect": bisect}
    exec(compile(text, filename, "exec"), space)
    return space["f"]


def helper(x):
    return x * 1.01


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    rows = {n: f"x = {e}" for n, e in NUMBERS.items()} | {n: f"v = {e}" for n, e in ARRAYS.items()} | STATEMENTS
    rows |= {n: f"y = {e}" for n, e in BESIDE.items()}
    empty = program("pass")
    print(f"{'operation':<24}{'plain us':>10}{'on top us':>11}")
    with morula.tier("eager"), np.errstate(all="ignore"):
        for name, body in rows.items():
            if options.names and name not in options.names:
                continue
            f = program(body)
            columns = {
                "plain": lambda f=f: f(0.7),
                "gradient": lambda f=f: morula.gradient(f, 0.7),
                "no plain": lambda: empty(0.7),
                "no gradient": lambda: morula.gradient(empty, 0.7),
            }
            t = interleaved(options.repeat, time.process_time, **columns)
            plain = (t["plain"] - t["no plain"]) / COUNT
            top = (t["gradient"] - t["no gradient"]) / COUNT - plain
            print(f"{name:<24}{plain * 1e6:10.3f}{top * 1e6:11.3f}", flush=True)


if __name__ == "__main__":
    main()
