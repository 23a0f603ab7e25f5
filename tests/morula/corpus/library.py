"""The standard library: math, statistics, text, random numbers, logging."""

import inspect
import io
import json
import logging
import math
import pickle
import random
import re
import statistics
import sys

from corpus import NUMBERS, THREE, TWO, VECTOR, Programs, X, Y, Z

program = Programs()


@program(VECTOR)
def fsum_of_a_generator(a):
    return math.fsum(v * v for v in a)


@program(VECTOR)
def prod_of_a_generator(a):
    return math.prod(v * v for v in a)


@program(X, Y)
def dist_of_tuples(x, y):
    return math.dist((x, y), (1.0, 2.0))


@program(X, Y)
def dist_of_lists(x, y):
    return math.dist([x, y], [1.0, x])


@program(X, Y, Z)
def hypot_of_three(x, y, z):
    return math.hypot(x, y, z)


@program(X, Y)
def hypot_of_stars(x, y):
    return math.hypot(*[x, y])


@program(X)
def functions_of_math(x):
    return (
        math.sqrt(x)
        + math.copysign(x, -1.0)
        + math.fmod(x, 0.3)
        + math.ldexp(x, 2)
        + math.modf(x)[0]
        + math.frexp(x)[0]
        + math.atan2(x, 2.0)
        + math.hypot(x, 1.0)
        + math.pow(x, 3)
        + math.log(x, 2)
        + math.log2(x)
        + math.log10(x)
        + math.erf(x)
        + math.gamma(x)
        + math.lgamma(x)
        + math.cbrt(x)
        + math.exp2(x)
        + math.degrees(x)
        + math.radians(x)
        + math.fabs(-x)
        + math.remainder(x, 0.3)
        + math.tanh(x)
        + math.acosh(1 + x)
    )


@program(X, Y)
def fmean(x, y):
    return statistics.fmean([x, y, x * y])


@program(X)
def json_of_constants(x):
    return json.loads(json.dumps({"a": 3.0}))["a"] * x


@program(X)
def logging_calls(x):
    logging.getLogger("zz").debug("v %s", x)
    logging.getLogger("zz").info(f"{x}")
    return x * x


@program(X, VECTOR)
def printing(x, a):
    f = io.StringIO()
    print(x, a, file=f)
    f.write(str(a))
    sys.stdout.flush()
    return x * x


@program(X, VECTOR)
def pickle_of_constants(x, a):
    pickle.dumps(3)
    return x * a.sum()


@program(X)
def signatures(x):
    def g(a, b=2):
        return a

    return len(inspect.signature(g).parameters) * x + len(g.__name__) + g.__code__.co_argcount * x


@program(X)
def regular_expression(x):
    return float(re.match("(\\d)", f"{3.2}").group(1)) * x


@program(THREE)
def string_methods(x):
    return float("%.3f" % 2.5) * x[0] + len(f"{x[1]:.2f}") * x[1] + len(str(x)) * 0.0  # noqa: UP031


@program(X)
def fraction_of_constants(x):
    from fractions import Fraction

    return float(Fraction(1, 3)) * x


@program(X, Y)
def cmath_functions(x, y):
    import cmath

    z = x + 1j * y
    r, p = cmath.polar(z)
    return r * p + cmath.exp(z).real + cmath.sqrt(z).imag + abs(cmath.log(z)) + cmath.phase(z) + cmath.rect(x, y).real


@program(NUMBERS)
def random_shuffle(xs):
    random.seed(0)
    random.shuffle(xs)
    return xs[0] * 2 + xs[1] * 3


@program(NUMBERS)
def random_choice(xs):
    random.seed(0)
    return random.choice(xs) * 2 + sum(random.sample(xs, 2))


@program(TWO)
def a_memoryview_of_bytes(x):
    return x[0] * memoryview(b"abc")[0]


@program(1.7, refused="a slice cannot hold active values")
def a_slice(x):
    return slice(x, 2).start * 3.0


@program(VECTOR)
def statistics_of_iterators(a):
    table = {k: v * v for k, v in enumerate(a)}
    spread = statistics.stdev(v**2 for v in a) + statistics.pvariance(filter(lambda v: v > 1.0, a))
    return (
        statistics.mean(map(math.sin, a)) * spread + statistics.fmean(table.values()) + statistics.median(reversed(a))
    )
