"""Copies: `copy`, `deepcopy`, and what classes say of theirs."""

import copy

from corpus import ARRAYS, NUMBERS, Programs, X

program = Programs()


@program(X)
def copied_object(x):
    class C:
        pass

    c = C()
    c.v = x
    c.l = [x]
    d = copy.copy(c)
    d.v = d.v * 2
    d.l.append(x)
    return c.v * d.v + len(c.l) * sum(c.l)


class TwoParts:
    def __init__(s, a, b):
        s.a = a
        s.b = b


@program(TwoParts(1.5, 2.5))
def copied_argument(o):
    d = copy.copy(o)
    d.a = d.a * d.b
    return d.a + o.a * o.b


@program(TwoParts(1.5, [2.5]))
def deepcopied_argument(o):
    d = copy.deepcopy(o)
    d.a = d.a * d.b[0]
    d.b[0] *= 3
    return d.a + o.a * o.b[0] + d.b[0]


@program(NUMBERS)
def deepcopy_list(xs):
    k = copy.deepcopy(xs)
    k[0] *= k[1]
    k.append(k)
    return k[0] + xs[0] * xs[1]


@program(NUMBERS)
def copy_list(xs):
    k = copy.copy(xs)
    k[0] *= k[1]
    j = xs[:]
    j[1] = 3.0
    i = list(xs)
    i.reverse()
    h = xs.copy()
    h.pop(0)
    return k[0] + xs[0] * xs[1] + j[1] * j[0] + i[0] * i[2] * 2 + h[0]


@program(ARRAYS)
def deepcopy_dict_arrays(la):
    d = {"u": la, "v": la[0]}
    e = copy.deepcopy(d)
    e["u"][0][0] = 5.0
    return (e["v"] * d["v"]).sum() + (e["u"][1] ** 2).sum()


@program(X)
def getstate_copy(x):
    class A:
        def __init__(self, v):
            self.v = v
            self.c = 1

        def __getstate__(self):
            return {"v": self.v * 2}

        def __setstate__(self, s):
            self.v = s["v"] * 3
            self.c = 5

    a = A(x)
    b = copy.copy(a)
    c = copy.deepcopy(a)
    return b.v * a.v + c.v * b.c


@program(X)
def copy_slots(x):
    class A:
        __slots__ = ("v", "w")

        def __init__(self, v):
            self.v = v
            self.w = [v]

    a = A(x)
    b = copy.copy(a)
    c = copy.deepcopy(a)
    b.v = b.v * x
    c.w.append(x * x)
    return a.v + b.v * c.v + sum(c.w) + len(a.w) + sum(b.w)


@program(X)
def copy_dunder(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __copy__(self):
            return A(self.v * 2)

        def __deepcopy__(self, memo):
            r = A(copy.deepcopy(self.v, memo) * 3)
            memo[id(self)] = r
            return r

    xs = [A(x)]
    return copy.copy(xs[0]).v * copy.deepcopy(xs)[0].v


@program(X)
def copies_by_reduce(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __reduce__(self):
            return (A, (self.v * 2,))

    return copy.copy(A(x)).v * copy.deepcopy(A(x)).v
