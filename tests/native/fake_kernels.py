"""Compiled functions with kernels that were written by hand: what the engine does with kernels, tested apart."""

from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import numba
import numpy as np

from morula.static.numba.kernels import Leaf
from morula.static.unsupported import Unsupported

Spring = namedtuple("Spring", "stiffness weights")


@numba.njit
def weighted(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i] * y[i]
    return total


@numba.njit
def product(x, y=2.0):
    return (x * y * y).sum()


@numba.njit
def relax(x, k):
    for i in range(1, len(x)):
        x[i] = x[i] + k * x[i - 1] * x[i - 1]
    return x.sum()


@numba.njit
def energy(spring, t):
    total = 0.0
    for i in range(len(spring.weights)):
        total += spring.stiffness * spring.weights[i] * t * t
    return total


@numba.njit
def scaled(x, s):
    return x * s


@numba.njit
def fill(out, x):
    for i in range(len(x)):
        out[i] = 2.0 * x[i] * x[i]
    return out


@numba.njit
def fill_sum(out, x):
    for i in range(len(x)):
        out[i] = 2.0 * x[i] * x[i]
    return out.sum()


@numba.njit
def tail(x):
    return x[1:]


@numba.njit
def both(x):
    return x.sum(), x * x


@numba.njit
def guarded(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            raise ValueError("too large")
        x[i] = x[i] * x[i]
    return x.sum()


@numba.njit
def powers(x, n):
    y = 1.0
    for _ in range(n):
        y *= x
    return y


@numba.njit
def mean(x, n):
    return x.sum() / n


@numba.njit
def unknown(x):
    return x * x * x


@numba.njit
def calls_unknown(x):
    return unknown(x) + x


@dataclass
class FakeKernels:
    """What `kernels_of` gives, in plain Python; counts its runs."""

    leaves: tuple
    value_leaves: tuple
    written: frozenset
    forward: object
    back: object
    source: str = "written by hand"
    may_burst: bool = False
    value_kind = ""
    lengths = ()
    frozen = ()
    is_repeatable = False
    watch = SimpleNamespace(is_idle=True, holds=lambda: True, settle=lambda: True)

    def backward(self, args, tape, array_bars, seeds):
        assert all(b.shape == a.shape for b, a in zip(array_bars, self.arrays(args), strict=True))
        assert len(seeds) == len(self.value_leaves)
        return self.back(args, tape, array_bars, seeds)

    def arrays(self, args):
        for leaf in self.leaves:
            if leaf.is_array:
                a = args[leaf.argument]
                for i in leaf.path:
                    a = a[i]
                yield a


class Runner:
    """`forward` with the arguments as one tuple, as the interface has it."""

    def __init__(self, function, log):
        self.function = function
        self.log = log

    def __call__(self, args):
        self.log.append(self.function.__name__)
        return self.function(*args)


def weighted_forward(x, y):
    return weighted(x, y), None


def weighted_backward(args, tape, bars, seeds):
    x, y = args
    bars[0][...] += seeds[0] * y * y
    bars[1][...] += seeds[0] * 2 * x * y
    return ()


def product_forward(x, y):
    return product(x, y), None


def product_backward(args, tape, bars, seeds):
    x, y = args
    bars[0][...] += seeds[0] * y * y
    if isinstance(y, np.ndarray):
        bars[1][...] += seeds[0] * 2 * x * y
    return () if isinstance(y, np.ndarray) else (seeds[0] * (2 * x * y).sum(),)


def relax_forward(x, k):
    tape = []
    for i in range(1, len(x)):
        tape.append(x[i - 1])
        x[i] = x[i] + k * x[i - 1] * x[i - 1]
    return float(x.sum()), tape


def relax_backward(args, tape, bars, seeds):
    x, k = args
    (x_bar,) = bars
    k_bar = 0.0
    x_bar[...] += seeds[0]
    for i in range(len(x) - 1, 0, -1):
        before = tape[i - 1]
        k_bar += x_bar[i] * before * before
        x_bar[i - 1] += x_bar[i] * k * 2 * before
    return (k_bar,)


def energy_forward(spring, t):
    return energy(spring, t), None


def energy_backward(args, tape, bars, seeds):
    spring, t = args
    bars[0][...] += seeds[0] * spring.stiffness * t * t
    return seeds[0] * spring.weights.sum() * t * t, seeds[0] * spring.stiffness * spring.weights.sum() * 2 * t


def scaled_forward(x, s):
    return scaled(x, s), None


def scaled_backward(args, tape, bars, seeds):
    x, s = args
    bars[0][...] += seeds[0] * s
    return ((seeds[0] * x).sum(),)


def fill_forward(out, x):
    return fill(out, x), x.copy()


def fill_backward(args, tape, bars, seeds):
    out_bar, x_bar = bars
    out_bar += seeds[0]
    n = len(tape)
    x_bar += out_bar[:n] * 4 * tape
    out_bar[:n] = 0.0
    return ()


def fill_sum_forward(out, x):
    return fill_sum(out, x), x.copy()


def fill_sum_backward(args, tape, bars, seeds):
    return fill_backward(args, tape, bars, seeds)


def tail_forward(x):
    return tail(x), None


def tail_backward(args, tape, bars, seeds):
    bars[0][1:] += seeds[0]
    return ()


def both_forward(x):
    return both(x), x.copy()


def both_backward(args, tape, bars, seeds):
    bars[0][...] += seeds[0] + 2 * tape * seeds[1]
    return ()


def guarded_forward(x, limit):
    before = x.copy()
    return guarded(x, limit), before


def guarded_backward(args, tape, bars, seeds):
    (x_bar,) = bars
    x_bar += seeds[0]
    x_bar *= 2 * tape
    return (0.0,)


def powers_forward(x, n):
    return powers(x, n), None


def powers_backward(args, tape, bars, seeds):
    x, n = args
    return (seeds[0] * n * x ** (n - 1),)


def mean_forward(x, n):
    return mean(x, n), None


def mean_backward(args, tape, bars, seeds):
    x, n = args
    bars[0][...] += seeds[0] / n
    return (-seeds[0] * x.sum() / n**2,)


A, N = True, False
NUMBER = (Leaf(0, (), N),)
ARRAY = (Leaf(0, (), A),)
KERNELS = {  # leaves when all is active, leaves of the value, what is written
    "weighted": ((Leaf(0, (), A), Leaf(1, (), A)), NUMBER, ()),
    "product": ((Leaf(0, (), A), Leaf(1, (), A)), NUMBER, ()),
    "relax": ((Leaf(0, (), A), Leaf(1, (), N)), NUMBER, (0,)),
    "energy": ((Leaf(0, (0,), N), Leaf(0, (1,), A), Leaf(1, (), N)), NUMBER, ()),
    "scaled": ((Leaf(0, (), A), Leaf(1, (), N)), ARRAY, ()),
    "fill": ((Leaf(0, (), A), Leaf(1, (), A)), ARRAY, (0,)),
    "fill_sum": ((Leaf(0, (), A), Leaf(1, (), A)), NUMBER, (0,)),
    "tail": ((Leaf(0, (), A),), ARRAY, ()),
    "both": ((Leaf(0, (), A),), (Leaf(0, (0,), N), Leaf(0, (1,), A)), ()),
    "guarded": ((Leaf(0, (), A), Leaf(1, (), N)), NUMBER, (0,)),
    "powers": ((Leaf(0, (), N),), NUMBER, ()),
    "mean": ((Leaf(0, (), A), Leaf(1, (), N)), NUMBER, ()),
}
RUNS = []  # the forward kernels that ran


def kernels_of(f, args, active):
    """Kernels with the leaves of the active arguments only."""
    name = f.py_func.__name__
    if name == "calls_unknown":
        raise Unsupported("a construct of a test", 7, "unknown")
    if name not in KERNELS:
        raise Unsupported("a construct of a test", 7, name)
    every, value_leaves, written = KERNELS[name]
    if name == "product" and not isinstance(args[1], np.ndarray):
        every = (Leaf(0, (), A), Leaf(1, (), N))
    chosen = [leaf for leaf in every if active[leaf.argument]]
    back = globals()[f"{name}_backward"]

    def backward(args, tape, bars, seeds):
        given = iter(bars)
        whole = []
        for leaf in every:
            if leaf.is_array:
                a = args[leaf.argument]
                for i in leaf.path:
                    a = a[i]
                whole.append(next(given) if leaf in chosen else np.zeros_like(a))
        numbers = iter(back(args, tape, tuple(whole), seeds))
        found = [(leaf, next(numbers)) for leaf in every if not leaf.is_array]
        return tuple([float(bar) for leaf, bar in found if leaf in chosen])

    forward = Runner(globals()[f"{name}_forward"], RUNS)
    kernels = FakeKernels(tuple(chosen), value_leaves, frozenset(written), forward, backward)
    kernels.joint = lambda args, bars, seeds: (
        lambda y_tape: (y_tape[0], kernels.backward(args, y_tape[1], bars, seeds))
    )(forward(args))

    def plain(*given):
        n, m = len(args), len(value_leaves)
        return kernels.joint(given[:n], given[n : len(given) - m], given[len(given) - m :])

    kernels.plain = plain
    return kernels
