"""Assignment targets, `match`, chained comparisons, deletion, imports."""

import contextlib

import numpy as np

from corpus import THREE, VECTOR, Programs, X, Y, floats

program = Programs()


@program(X)
def targets_of_all_kinds(x):
    class Thing:
        pass

    o = Thing()
    r = 0.0
    c = [0.0, 0.0]
    for o.v in [x, x * x]:
        r += o.v
    for c[0] in [x, x * x]:
        r += c[0] * o.v
    for i, (p, *q) in enumerate([(x, x, 2.0), (x * x, 3.0)]):
        r += p * sum(q) * i
    with contextlib.nullcontext((x, x * x)) as (s, t):
        r += s * t
    with contextlib.nullcontext(x) as o.w:
        r += o.w
    with contextlib.nullcontext(x) as c[1], contextlib.nullcontext(x * 2) as d:
        r += c[1] * d
    o.v, c[0] = (c[0], o.v)
    o.a = o.b = x
    return r + o.v + c[0] * o.a * o.b


@program(X)
def match(x):
    def g(v):
        match v:
            case [a, *b] if b:
                return a * sum(b)
            case {"k": k, **r}:
                return k * sum(r.values())
            case (float() as f) | (int() as f):
                return f * f
            case str():
                return 2.0
            case _:
                return 1.0

    return g([x, x * x, 2.0]) + g({"k": x, "z": x * 3}) + g(x) + g("a") + g(None)


@program(X)
def annotations(x):
    y: float = x * x
    z: np.ndarray  # noqa: F842

    def g(v: float) -> float:
        return v

    return g(y)


@program(X)
def docstrings(x):
    """doc"""

    def g():
        """inner"""
        return x

    return g() * len(g.__doc__)


@program(X)
def imports_inside(x):
    import math as mm
    import os.path
    from math import cos
    from math import sin as ss

    return mm.sin(x) + ss(x) * cos(x) + len(os.path.join("a", "b"))


@program(X)
def deletion(x):
    y = x * x
    z = [y, x]
    del y
    try:
        y  # noqa: B018
    except NameError:
        pass
    del z[0]
    return z[0]


@program(X, Y)
def chained_comparisons(x, y):
    return (1 if 0 < x < y < 2 else 2) * x + (x if x == x != y else y) + (x and y) + (0 or x) + (not x) * y


@program(X)
def conditional_expression(x):
    return x * 2 if x > 0 else x / 0


@program(X)
def integer_operators(x):
    n = 5
    n <<= 2
    n |= 1
    n ^= 3
    n &= ~4
    n >>= 1
    n //= 2
    n %= 5
    n **= 2
    return n * x


@program(X)
def locals_read(x):
    y = x * x
    return locals()["y"] * 2


@program(X, VECTOR)
def boolean_operators_of_arrays(x, a):
    y = None or a
    z = a if y is a else 0
    return (y * z).sum() * (x or 1.0)


@program(VECTOR)
def conditional_arrays(a):
    return (a if len(a) > 2 else a * 2).sum() * (a[1:] if False else a[:2]).sum()


@program(VECTOR)
def while_else(a):
    i = 0
    s = 0.0
    while i < len(a) and (v := a[i]) > 0:
        s += v * v
        i += 1
    else:
        s *= 2
    return s


@program(VECTOR)
def in_place_on_attributes(a):
    class Thing:
        pass

    o = Thing()
    o.v = a * 1.0
    v = o.v
    o.v += a
    o.v[0] *= 2
    xs = [o.v]
    xs[0] -= 1.0
    d = {"k": xs}
    d["k"][0][1] = v[0]
    d["k"][0] *= a
    return (v * v).sum() + (o.v is v) * a[0]


@program(VECTOR)
def names_of_one_array(a):
    x = y = a * 1.0
    x[0] = 5.0
    y += x
    z = x
    z = z + 1
    z[1] = 0
    return (x * y).sum() + z.sum()


@program(floats(1, 2, 3))
def chained_assignment_of_an_array(x):
    a = b = x * 2
    a[0] = 1.0
    return (b**2).sum()


@program(floats(1, 2, 3))
def aliased_names(x):
    y = x
    y += 1
    z = x
    return (z * y).sum()


@program(1.5, want=2.0)
def swapped_in_a_loop(x):
    a, b = 1.0, x
    for _ in range(3):
        a, b = b, 2 * a
    return a + 10 * b


@program(THREE)
def unpack_array(x):
    a, b, c = x
    (d, e, f), *_ = np.outer(x, x)
    return a * b + c * d + e * f


@program(0.5, want=9.15)
def accumulated_state(a):
    X = 1.0
    ll = 0.0
    for t in range(4):
        X = a * X + 0.1
        ll += (t + 1) * X
    return ll
