"""Programs written to lose a derivative on the way: through containers, views, wrappers, writes and library calls.

Each was compared with the plain call in value, effects and arguments, and its gradient with central differences;
many of them once gave a wrong number or an internal error. A program is a function
whose name begins with ``p_``; what it is called with follows from its parameters' names (`VALUES`) or from `SPECIAL`.
"""

# ruff: noqa: B006, B007, B008, B012, B018, B019, B023, B904, B905, C406, C416, C417, C420, E741, E742, F841, F842, RUF005, RUF012, RUF015, RUF017, RUF023, RUF059, SIM105, SIM113, SIM118, UP008, UP034, UP037

import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import heapq
import inspect
import io
import itertools
import json
import logging
import math
import operator
import pickle
import random
import re
import statistics
import struct
import sys
import threading
import types
import typing
import warnings as W
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial, singledispatch, wraps

import numpy as np
import pytest
from morula_helpers import verify

import morula as M
from chainrules import Tangent

LOG = []


# -- Containers, attributes, class bodies, array writes ------------------------------------------------------------


def p_dict_getitem_dunder(x):
    d = {"a": x, "b": 2 * x}
    return sum(map(d.__getitem__, ["a", "b"]))


def p_dict_setitem_dunder(x):
    d = {}
    d.__setitem__("a", x * x)
    return d["a"]


def p_list_getitem_dunder(x):
    l = [x, 2 * x]
    return l.__getitem__(1) * 3


def p_list_setitem_dunder(x):
    l = [0.0, 0.0]
    l.__setitem__(1, x * x)
    return l[1]


def p_list_iadd_dunder(x):
    l = [0.0]
    l.__iadd__([x * x])
    return l[1]


def p_tuple_getitem_dunder(x):
    t = (x, 2 * x)
    return t.__getitem__(1) * 3


def p_dict_values_early(x):
    d = {"a": 1.0, "b": 2.0}
    v = d.values()
    d["a"] = x * x
    return sum(v)


def p_dict_items_early(x):
    d = {"a": 1.0, "b": 2.0}
    v = d.items()
    d["a"] = x * x
    return sum((q for _, q in v))


def p_stopiteration_value(x):

    def g():
        yield 1
        return x * x

    it = g()
    next(it)
    try:
        next(it)
    except StopIteration as e:
        return e.value


def p_stopiteration_value_send(x):

    def g():
        yield 1
        return x * x

    it = g()
    it.send(None)
    try:
        it.send(None)
    except StopIteration as e:
        return e.value


def p_exc_args(x):
    try:
        raise ValueError(x * x)
    except ValueError as e:
        return e.args[0]


class MyErr(Exception):
    def __init__(self, v):
        super().__init__(v)
        self.v = v


class MyErr2(Exception):
    pass


class MyErr3(Exception):
    def __init__(self, v):
        self.v = v


def p_exc_custom_args(x):
    try:
        raise MyErr(x * x)
    except MyErr as e:
        return e.args[0]


def p_exc_custom_attr(x):
    try:
        raise MyErr(x * x)
    except MyErr as e:
        return e.v


def p_exc_custom2(x):
    try:
        raise MyErr2(x * x, 3)
    except MyErr2 as e:
        a, b = e.args
        return a * b


def p_exc_custom3(x):
    try:
        raise MyErr3(x * x)
    except MyErr3 as e:
        return e.args[0] + e.v


def p_exc_arrays(a):
    try:
        raise ValueError(a * a)
    except ValueError as e:
        return e.args[0].sum()


def p_vars(x):

    class O:
        pass

    o = O()
    o.a = x * x
    return vars(o)["a"]


def p_dict_update_attr(x):

    class O:
        def __init__(self, **kw):
            self.__dict__.update(kw)

    o = O(a=x * x)
    return o.a


def p_dict_update_locals(x):

    class O:
        def __init__(self, a, b):
            self.__dict__.update(locals())

    o = O(x * x, 2)
    return o.a


def p_dict_set_attr(x):

    class O:
        pass

    o = O()
    o.__dict__["a"] = x * x
    return o.a


def p_vars_update(x):

    class O:
        pass

    o = O()
    vars(o).update(a=x * x)
    return o.a


def p_attr_then_dict(x):

    class O:
        pass

    o = O()
    dd = o.__dict__
    o.a = x * x
    return dd["a"]


def p_cache_array(a):

    @functools.cache
    def g(i):
        return a[i] * 2

    return g(1) + g(2)


def p_shuffle_idx(a):
    rng = np.random.default_rng(0)
    idx = np.arange(4)
    s = (a[idx] * np.array([1.0, 2, 3, 4])).sum()
    rng.shuffle(idx)
    return s + (a[idx] * np.array([1.0, 2, 3, 4])).sum()


def p_shuffle_data(a):
    rng = np.random.default_rng(0)
    w = np.array([1.0, 2, 3, 4])
    s = (a * w).sum()
    rng.shuffle(w)
    return s + (a * w).sum()


def p_rng_out(a):
    rng = np.random.default_rng(0)
    buf = np.zeros(4)
    s = 0.0
    for _ in range(3):
        rng.random(out=buf)
        s += (a * buf).sum()
    return s


def p_rng_normal_out(a):
    rng = np.random.default_rng(0)
    buf = np.zeros(4)
    s = 0.0
    for _ in range(3):
        rng.standard_normal(4, out=buf)
        s += (a * buf).sum()
    return s


def p_flat_set_inactive(a):
    buf = np.ones(4)
    s = (a * buf).sum()
    buf.flat[0] = 5.0
    return s + (a * buf).sum()


def p_flat_set_active_base(a):
    y = a * 2
    y.flat[0] = 3.0
    return (y * y).sum()


def p_flat_set_active_v(x):
    y = np.zeros(3)
    y.flat[1] = x * x
    return (y * y).sum()


def p_flat_slice(a):
    y = a * 2
    y.flat[1:] = 3.0
    return (y * y).sum()


def p_setattr_real(a):
    buf = np.ones(4)
    s = (a * buf).sum()
    buf.real = np.arange(4.0)
    return s + (a * buf).sum()


def p_nan_to_num_inplace(a):
    buf = np.array([1.0, np.nan, 2.0, 3.0])
    buf2 = np.array([1.0, 2.0, 2.0, 3.0])
    s = (a * buf2).sum()
    np.nan_to_num(buf, copy=False)
    return s + (a * buf).sum()


def p_nan_to_num_inplace2(a):
    buf = np.array([1.0, np.inf, 2.0, 3.0])
    s = (a / buf).sum()
    np.nan_to_num(buf, copy=False, posinf=7.0)
    return s + (a * buf).sum()


def p_list_assign_array(x, y):
    b = np.zeros((2, 2))
    b[:] = [x, y]
    return b[0, 0] + 10 * b[0, 1] + 100 * b[1, 0] + 1000 * b[1, 1]


def p_tuple_assign_array(x, y):
    b = np.zeros((2, 2))
    b[:] = (x, y)
    return b[0, 0] + 10 * b[0, 1] + 100 * b[1, 0] + 1000 * b[1, 1]


def p_list_assign_array3(x, y):
    b = np.zeros((3, 2))
    b[:] = [x, y]
    return b[0, 0] + 10 * b[0, 1] + 100 * b[1, 0] + 1000 * b[2, 1]


def p_list_assign_clear(x, y):
    b = np.zeros(2)
    l = [x, y]
    b[:] = l
    l.clear()
    return b[0] + 10 * b[1]


def p_list_assign_nested(x, y):
    b = np.zeros((2, 2))
    b[:] = [[x, 1.0], [y, x * y]]
    return b[0, 0] + 10 * b[0, 1] + 100 * b[1, 0] + 1000 * b[1, 1]


def p_list_arrays_assign(a, b):
    z = np.zeros((2, 4))
    z[:] = [a, b]
    return (z * np.arange(8.0).reshape(2, 4)).sum()


def p_list_arrays_assign2(a, b):
    z = np.zeros((3, 2, 4))
    z[:] = [a, b]
    return (z * np.arange(24.0).reshape(3, 2, 4)).sum()


def p_list_one(x):
    z = np.zeros(3)
    z[:] = [x]
    return (z * np.arange(3.0)).sum()


def p_enum_buf(x):
    buf = np.zeros(4)
    buf[0] = 1.0
    for i, v in enumerate(buf):
        if i + 1 < 4:
            buf[i + 1] = v + x
    return buf[3]


def p_for_buf(x):
    buf = np.zeros(4)
    s = 0.0
    i = 0
    for v in buf:
        s = s + v
        i += 1
        if i < 4:
            buf[i] = x * i
    return s


def p_for_buf2d(x):
    buf = np.zeros((4, 2))
    s = 0.0
    i = 0
    for v in buf:
        s = s + v.sum()
        i += 1
        if i < 4:
            buf[i] = x * i
    return s


def p_zip_buf(x):
    buf = np.zeros(4)
    s = 0.0
    for i, v in zip(range(4), buf):
        s = s + v
        if i < 3:
            buf[i + 1] = x * i + v
    return s


def p_scalar_index(a):
    s = a.sum()
    return s[()] * 2


def p_scalar_none(a):
    s = a.sum()
    return (s[None] * np.array([1.0, 2.0])).sum()


def p_scalar_ellipsis(a):
    s = a.sum()
    return (s[...] * np.array([1.0, 2.0])).sum()


def p_float_eq_dunder(x):
    return x * 2 if x.__eq__(x) else x


def p_float_lt_dunder(x):
    return x * 2 if x.__lt__(10.0) else x


def p_float_dunders(x):
    return x.__add__(1) * x.__rsub__(3.0) * x.__pow__(2).__neg__().__abs__().__float__()


def p_user_out(x):

    def g(v, out=None):
        if out is None:
            out = np.zeros(2)
        out[...] = v
        return out.sum() * v

    buf = np.zeros(2)
    r = g(x, out=buf)
    return r + buf[0]


def p_user_out2(x):

    def g(v, out):
        out[:] = v * np.array([1.0, 2.0])

    buf = np.zeros(2)
    g(x, out=buf)
    return buf[0] * buf[1]


def p_user_out3(a):

    def g(v, out):
        np.multiply(v, v, out=out)
        return None

    buf = np.zeros(4)
    g(a, out=buf)
    return buf.sum()


def p_gen_break_order(x):
    tot = [0.0]

    def g():
        try:
            yield x
            yield (2 * x)
        finally:
            tot[0] += x * x

    for v in g():
        break
    return v * tot[0]


def p_list_plus_array(a):
    return (a + [1.0, 2.0, 3.0, 4.0]).sum() * (a * (1, 2, 3, 4)).sum()


def p_array_matmul_list(a):
    return a @ [1.0, 2.0, 3.0, 4.0]


def p_list_minus_array(a):
    return ([1.0, 2.0, 3.0, 4.0] - a) @ a


def p_iadd_list(a):
    y = a * 1.0
    y += [1, 2, 3, 4]
    return (y * y).sum()


def p_list_active_plus_array(x):
    y = np.ones(2) + [x, 2 * x]
    return (y * y).sum()


def p_for_dict(d):
    s = 0.0
    for k in d:
        s += d[k] * len(k)
    return s


def p_list_dict(d):
    return sum((d[k] for k in list(d))) + sum((d[k] for k in sorted(d, key=d.get)))


def p_dictkeys(x):
    d = {"a": x}
    s = 0.0
    for k in d.keys():
        s += d[k]
    for k in d:
        s += d[k]
    return s


# -- Rules, keyword arguments and NumPy functions ------------------------------------------------------------------


def ident(v):
    return v


@M.adjoint(ident)
def _(v):
    return (v, lambda c: -c)


def first2(v):
    return v[:2]


@M.adjoint(first2)
def _(v):

    def pb(c):
        g = np.zeros_like(v)
        g[:2] = 3 * c
        return g

    return (v[:2], pb)


def mkdict(v):
    return {"a": v * 2, "b": v * 3}


@M.adjoint(mkdict)
def _(v):
    return ({"a": v * 2, "b": v * 3}, lambda c: 2 * (c["a"] or 0) + 3 * (c["b"] or 0))


def p_adj_dict(x):
    d = mkdict(x)
    return d["a"] * d["b"]


def mklist(v):
    return [v * 2, v * 3]


@M.adjoint(mklist)
def _(v):
    return ([v * 2, v * 3], lambda c: 2 * c[0] + 3 * c[1])


def p_adj_list(x):
    d = mklist(x)
    return d[0] * d[1]


def mknest(v):
    return ([v * 2, v * 3], v * 5)


@M.adjoint(mknest)
def _(v):
    return (([v * 2, v * 3], v * 5), lambda c: 2 * c[0][0] + 3 * c[0][1] + 5 * c[1])


def p_adj_nest(x):
    (p, q), r = mknest(x)
    return p * q * r


def p_adj_nest2(x):
    d = mknest(x)
    return d[0][0] * d[0][1] * d[1]


def kwf(v, *, k=2.0):
    return v * k


@M.adjoint(kwf)
def _(v, *, k=2.0):
    return (v * k, lambda c: c * k)


def p_adj_kw(x):
    return kwf(x, k=3.0)


def kwg(v, k=2.0):
    return v * k


@M.adjoint(kwg)
def _(v, k=2.0):
    return (v * k, lambda c: (c * k, c * v))


def p_adj_kwpos(x):
    return kwg(x, k=x * x)


def p_adj_kwpos2(x):
    return kwg(k=x * x, v=x)


def p_adj_default(x):
    return kwg(x)


def p_np_sum_kw(a):
    return np.sum(a=a * a)


def p_np_dot_kw(a, b):
    return np.dot(a=a, b=b)


def p_np_clip_kw(a):
    return np.clip(a, a_min=0.5 * a[0], a_max=1.0).sum()


def p_np_where_list(x, y):
    return np.where(np.array([True, False]), [x, y], 0.5 * x).sum()


def p_np_array_mixed(x, a):
    return (np.array([a * x, a]) * np.arange(8.0).reshape(2, 4)).sum()


def p_np_array_rows(m):
    return np.array([r * i for i, r in enumerate(m)]).sum()


def p_np_append_loop(x):
    r = np.array([])
    for i in range(3):
        r = np.append(r, x * i)
    return (r * r).sum()


def p_np_fromiter_inactive(x):
    return np.fromiter((i * 2.0 for i in range(3)), float).sum() * x


def p_flat_iter(m):
    s = 0.0
    for i, v in enumerate(m.flat):
        s = s + v * i
    return s


def p_flat_index(m):
    return m.flat[3] * m.flat[-1]


def p_flat_slice_read(m):
    return (m.flat[2:5] * np.arange(3.0)).sum()


def p_flat_fancy(m):
    return (m.flat[[2, 2, 5]] * np.arange(3.0)).sum()


def p_math_fsum_gen(a):
    return math.fsum((v * v for v in a))


def p_math_prod_gen(a):
    return math.prod((v * v for v in a))


def p_math_dist(x, y):
    return math.dist((x, y), (1.0, 2.0))


def p_math_dist_lists(x, y):
    return math.dist([x, y], [1.0, x])


def p_math_hypot3(x, y, z):
    return math.hypot(x, y, z)


def p_math_sumprod(x, y):
    return math.hypot(*[x, y])


def p_stat_fmean(x, y):
    return statistics.fmean([x, y, x * y])


def p_deque_inactive_gen(x):
    q = deque((i * 2 for i in range(3)))
    return q.popleft() + q.pop() * x


def p_set_update_gen(x):
    s = set()
    s.update((i for i in range(3)))
    return len(s) * x


def p_counter(x):
    c = Counter((ch for ch in "abca"))
    return c["a"] * x


def p_heap(x):
    h = [3.0, 1.0, 2.0]
    heapq.heapify(h)
    return heapq.heappop(h) * x


def p_counter_active(x):
    c = Counter()
    c["a"] += x
    c["a"] += x * x
    return c["a"]


def p_defaultdict(x):
    d = defaultdict(float)
    d["a"] += x
    d["a"] += x * x
    d["b"] -= x
    return d["a"] * d["b"]


def p_defaultdict_list(x):
    d = defaultdict(list)
    d["a"].append(x)
    d["a"].append(x * x)
    return sum(d["a"])


def p_ordered(x):
    d = OrderedDict()
    d["a"] = x
    d["b"] = x * x
    d.move_to_end("a")
    return list(d.values())[0] + 3 * d.popitem(last=False)[1]


def p_ordered_init(x):
    d = OrderedDict([("a", x), ("b", x * x)])
    return d["a"] * d["b"]


def p_ordered_kw(x):
    d = OrderedDict(a=x)
    return d["a"] * 2


def p_userdict(x):
    d = collections.UserDict()
    d["a"] = x * x
    return d["a"]


def p_chainmap(x):
    d = collections.ChainMap({"a": x}, {"a": 1.0, "b": x * x})
    return d["a"] * d["b"]


def p_simplens(x):
    o = types.SimpleNamespace(a=x, b=2)
    o.c = x * x
    return o.a * o.c * o.b


# -- Context managers, decorators, objects, descriptors, protocols -------------------------------------------------


def p_cm(x):

    @contextmanager
    def cm():
        yield (x * 2)

    with cm() as v:
        return v


def p_cm_late(x):
    acc = [1.0]

    @contextmanager
    def cm():
        yield acc[0]

    acc[0] = x
    with cm() as v:
        return v * x


def p_cm_late_nonlocal(x):
    acc = 1.0

    @contextmanager
    def cm():
        yield acc

    acc = x * x
    with cm() as v:
        return v * x


@contextmanager
def gcm2(v):
    LOG.append("in")
    try:
        yield (v * v)
    finally:
        LOG.append("out")


def p_cm_args(x):
    with gcm2(x) as v, gcm2(v) as w:
        return v * w


def p_cm_exc(x):
    r = 0.0
    try:
        with gcm2(x) as v:
            r += v
            raise ValueError
    except ValueError:
        r += x
    return r


@contextmanager
def sup(l):
    try:
        yield l
    except ValueError as e:
        l.append(e.args[0])


def p_cm_suppress(x):
    l = [x]
    with sup(l) as k:
        raise ValueError(x * x)
    return sum(l)


def p_exitstack(x):
    l = []
    with ExitStack() as st:
        v = st.enter_context(gcm2(x))
        st.callback(lambda q: l.append(q * v), x)
        r = v
    return r + l[0]


def p_suppress(x):
    r = x
    with suppress(ZeroDivisionError):
        r = r * 2
        1 / 0
        r = 0
    return r * x


def p_nullcontext(x):
    with nullcontext(x * x) as v:
        return v


def p_closing(x):

    class C:
        def __init__(s):
            s.v = x

        def close(s):
            s.v = s.v * 2

    c = C()
    with closing(c) as k:
        r = k.v
    return r + c.v


def p_cm_decorator(x):

    @contextmanager
    def cm():
        yield

    @cm()
    def g(v):
        return v * x

    return g(x)


def p_singledispatch(x):

    @singledispatch
    def g(v):
        return x

    @g.register(int)
    def _(v):
        return v * x

    return g(2) + g("a")


def p_singledispatch_arg(x):

    @singledispatch
    def g(v):
        return 1.0

    @g.register(float)
    def _(v):
        return v * v

    return g(x)


def p_wraps(x):

    def deco(f):

        @wraps(f)
        def inner(*a, **k):
            return f(*a, **k) * 2

        return inner

    @deco
    def g(v):
        return v * x

    return g(x)


def p_deco_args(x):

    def scale(s):

        def deco(f):

            @wraps(f)
            def inner(*a, **k):
                return f(*a, **k) * s

            return inner

        return deco

    @scale(x)
    @scale(s=2)
    def g(v):
        return v * x

    return g(3.0)


def p_deco_class(x):

    class Memo:
        def __init__(s, f):
            s.f = f
            s.c = {}

        def __call__(s, n):
            if n not in s.c:
                s.c[n] = s.f(n)
            return s.c[n]

    @Memo
    def g(n):
        return x if n < 2 else g(n - 1) * x + g(n - 2)

    return g(5)


def p_partial_nested(x):
    f = partial(partial(lambda a, b, c=1: a * b * c, x), c=x)
    return f(3.0)


def p_partial_kwoverride(x):
    f = partial(lambda a, k=1: a * k, k=x)
    return f(x, k=3.0) + f(2.0)


def p_cached_property(x):

    class C:
        def __init__(s, v):
            s.v = v

        @cached_property
        def sq(s):
            LOG.append("c")
            return s.v * s.v

    c = C(x)
    return c.sq * c.sq


class CP:
    def __init__(s):
        s.v = 0.7
        s.k = 2

    @cached_property
    def sq(s):
        return s.v * s.v

    @cached_property
    def const(s):
        return s.k * 3.0


def p_cached_property_input(o):
    return o.sq * o.const


class SL:
    __slots__ = ("a", "b")

    def __init__(s, a, b):
        s.a = a
        s.b = b


def p_slots(x):
    o = SL(x, x * x)
    o.a *= 2
    return o.a * o.b


def p_copy_obj(x):

    class C:
        pass

    c = C()
    c.v = x
    c.l = [x]
    d = copy.copy(c)
    d.v = d.v * 2
    d.l.append(x)
    return c.v * d.v + len(c.l) * sum(c.l)


class PO:
    def __init__(s, a, b):
        s.a = a
        s.b = b


def p_copy_input(o):
    d = copy.copy(o)
    d.a = d.a * d.b
    return d.a + o.a * o.b


def p_deepcopy_input(o):
    d = copy.deepcopy(o)
    d.a = d.a * d.b[0]
    d.b[0] *= 3
    return d.a + o.a * o.b[0] + d.b[0]


def p_deepcopy_list(l):
    k = copy.deepcopy(l)
    k[0] *= k[1]
    k.append(k)
    return k[0] + l[0] * l[1]


def p_copy_list(l):
    k = copy.copy(l)
    k[0] *= k[1]
    j = l[:]
    j[1] = 3.0
    i = list(l)
    i.reverse()
    h = l.copy()
    h.pop(0)
    return k[0] + l[0] * l[1] + j[1] * j[0] + i[0] * i[2] * 2 + h[0]


def p_deepcopy_dict_arrays(la):
    d = {"u": la, "v": la[0]}
    e = copy.deepcopy(d)
    e["u"][0][0] = 5.0
    return (e["v"] * d["v"]).sum() + (e["u"][1] ** 2).sum()


@dataclass
class D1:
    a: float
    b: float = 2.0
    c: list = field(default_factory=list)


def p_dc(x):
    o = D1(x, c=[x])
    o.c.append(o.a * o.b)
    o.b += x
    return sum(o.c) * o.b


def p_dc_replace(x):
    o = D1(x)
    k = dataclasses.replace(o, b=x * x)
    return k.a * k.b + o.b


def p_dc_asdict(x):
    o = D1(x, x * x, [x])
    d = dataclasses.asdict(o)
    return d["a"] * d["b"] * d["c"][0]


def p_dc_astuple(x):
    o = D1(x, x * x, [x])
    a, b, c = dataclasses.astuple(o)
    return a * b * c[0]


def p_dc_fields(x):
    o = D1(x, x * x)
    return sum((getattr(o, f.name) for f in dataclasses.fields(o) if f.name != "c"))


@dataclass(frozen=True)
class D2:
    a: float
    b: float = 1.0

    def __post_init__(self):
        object.__setattr__(self, "s", self.a * self.b)


def p_dc_frozen(x):
    o = D2(x, x * x)
    return o.s * o.a


@dataclass
class D3(D1):
    d: float = 0.0

    def __init__(self, a, d):
        super().__init__(a)
        self.d = d


def p_dc_super(x):
    o = D3(x, x * x)
    return o.a * o.d * o.b


class D4(D1):
    def __init__(self, a):
        super().__init__(a, a * a)


def p_dc_super2(x):
    o = D4(x)
    return o.a * o.b


@dataclass(slots=True)
class D5:
    a: float
    b: float = 1.0


def p_dc_slots(x):
    o = D5(x, x * x)
    o.a *= o.b
    return o.a


def p_dc_slots_input(o):
    return o.a * o.b * dataclasses.replace(o, b=3.0).b


@dataclass(order=True)
class D6:
    key: float
    v: float = field(compare=False, default=0.0)


def p_dc_order(x):
    l = sorted([D6(2.0, x), D6(1.0, x * x)])
    return l[0].v * 3 + min(l).v + max(l).v


@dataclass(eq=True, unsafe_hash=True)
class D7:
    a: float
    iv: dataclasses.InitVar[float] = 1.0

    def __post_init__(self, iv):
        self.q = self.a * iv


def p_dc_initvar(x):
    return D7(x, x * x).q + D7(x).q


NT = namedtuple("NT", "a b", defaults=[2.0])


class NT2(typing.NamedTuple):
    a: float
    b: float = 3.0

    def prod(self):
        return self.a * self.b

    @property
    def s(self):
        return self.a + self.b

    @classmethod
    def mk(cls, v):
        return cls(v, v * v)


def p_nt(x):
    n = NT(x)
    m = n._replace(b=x * x)
    a, b = m
    return n.a * n.b + a * b + m[0] * m[-1] + sum(m) + m._asdict()["b"]


def p_nt2(x):
    n = NT2.mk(x)
    return n.prod() * n.s + NT2(x).b


def p_nt_make(x):
    return NT._make([x, x * x]).b


def p_nt_star(x):
    n = NT(*[x, x * x])
    k = NT(**{"a": x, "b": x * x})
    return n.b * k.b


def p_nt_concat(x):
    n = NT(x, x * x) + (x,)
    return n[1] * n[2]


def p_nt_slice(x):
    n = NT(x, x * x)
    return n[1:][0] * n[::-1][0]


def p_property_setter(x):

    class C:
        def __init__(s):
            s._v = 0.0

        @property
        def v(s):
            return s._v * 2

        @v.setter
        def v(s, q):
            s._v = q * q

        @v.deleter
        def v(s):
            s._v = x

    c = C()
    c.v = x
    r = c.v
    c.v += x
    r2 = c.v
    del c.v
    return r * r2 * c.v


def p_getattr_fallback(x):

    class C:
        def __init__(s):
            s.d = {"k": x}

        def __getattr__(s, n):
            if n in ("k",):
                return s.d[n]
            raise AttributeError(n)

    c = C()
    return c.k * getattr(c, "zz", x) * getattr(c, "k", 1.0) * (2 if hasattr(c, "qq") else 3)


def p_setattr_custom(x):

    class C:
        def __setattr__(s, n, v):
            object.__setattr__(s, n, v * 2)

    c = C()
    c.a = x
    c.a *= x
    return c.a


def p_setattr_super(x):

    class C:
        def __setattr__(s, n, v):
            super().__setattr__(n, v * 2)

    c = C()
    c.a = x
    c.a *= x
    return c.a


def p_setattr_dict(x):

    class C:
        def __setattr__(s, n, v):
            s.__dict__[n] = v * 2

    c = C()
    c.a = x
    return c.a


def p_getattribute(x):

    class C:
        def __init__(s):
            s.v = x

        def __getattribute__(s, n):
            r = object.__getattribute__(s, n)
            return r * 2 if n == "v" else r

    return C().v


class Desc:
    def __set_name__(s, o, n):
        s.n = "_" + n

    def __get__(s, o, t=None):
        return s if o is None else getattr(o, s.n) * 2

    def __set__(s, o, v):
        setattr(o, s.n, v * v)


class HD:
    v = Desc()


def p_descriptor(x):
    h = HD()
    h.v = x
    h.v += x
    return h.v


class DescD:
    def __set_name__(s, o, n):
        s.n = n

    def __get__(s, o, t=None):
        return o.__dict__[s.n] * 2

    def __set__(s, o, v):
        o.__dict__[s.n] = v * v


class HD2:
    v = DescD()


def p_descriptor_dict(x):
    h = HD2()
    h.v = x
    return h.v


def p_classattr_list(x):

    class C:
        items = []

    C.items.append(x)
    C().items.append(x * x)
    return sum(C.items)


def p_classattr_array(x):

    class C:
        buf = np.zeros(3)

    C.buf[1] = x
    c = C()
    c.buf[2] = x * x
    c.buf += x
    return (C.buf * c.buf).sum()


def p_classmethod_state(x):

    class C:
        reg = {}

        @classmethod
        def put(cls, k, v):
            cls.reg[k] = v
            return cls

        @staticmethod
        def sc(v):
            return v * x

    C.put("a", x).put("b", x * x)
    return C.sc(C.reg["a"]) * C.reg["b"]


def p_callable_state(x):

    class C:
        def __init__(s):
            s.n = 0.0

        def __call__(s, v):
            s.n += v
            return s.n * v

    c = C()
    return sum(map(c, [x, x * x, 2.0]))


def p_ops_notimpl(x):

    class A:
        def __init__(s, v):
            s.v = v

        def __add__(s, o):
            return NotImplemented if isinstance(o, B) else A(s.v + (o.v if isinstance(o, A) else o))

        __radd__ = __add__

        def __mul__(s, o):
            return NotImplemented

        def __lt__(s, o):
            return s.v < o.v

        def __iadd__(s, o):
            s.v = s.v + o * 2
            return s

        def __getitem__(s, i):
            return s.v * i

        def __len__(s):
            return 3

        def __contains__(s, q):
            return q == 1

        def __neg__(s):
            return A(-s.v)

        def __abs__(s):
            return A(abs(s.v))

        def __pow__(s, n):
            return A(s.v**n)

        def __matmul__(s, o):
            return s.v * o.v

        def __float__(s):
            return s.v

        def __iter__(s):
            return iter([s.v, s.v * 2])

        def __bool__(s):
            return True

    class B:
        def __init__(s, v):
            s.v = v

        def __radd__(s, o):
            return A(s.v * o.v)

        def __rmul__(s, o):
            return A(s.v * o.v * 2)

    a = A(x)
    b = B(x * x)
    c = a + b
    d = a * b
    e = 1 + a
    a += x
    f = sum([A(x), A(x * x)], A(0.0))
    g = a[2] + (-a).v + abs(a).v + (a**2).v + a @ c + float(a) + sum(a) + max([a, c]).v
    p, q = a
    return c.v * d.v + e.v + f.v + g + p * q + (1 if 1 in a else 0)


def p_super_chain(x):

    class A:
        def __init__(s, v):
            s.v = v

        def f(s):
            return s.v

        @property
        def p(s):
            return s.v * 3

    class B(A):
        def __init__(s, v, w):
            super().__init__(v * 2)
            s.w = w

        def f(s):
            return super().f() * s.w

        @property
        def p(s):
            return super().p * 2

    class C(B):
        def f(s):
            return super(C, s).f() + A.f(s)

    return C(x, x * x).f() * C(x, x).p


def p_multi_inherit(x):

    class A:
        def __init__(s, **k):
            super().__init__()
            s.a = k["a"]

    class M:
        def __init__(s):
            s.m = x

    class B(A, M):
        pass

    b = B(a=x * x)
    return b.a * b.m


def p_iter_class(x):

    class It:
        def __init__(s):
            s.i = 0
            s.v = x

        def __iter__(s):
            return s

        def __next__(s):
            if s.i >= 3:
                raise StopIteration
            s.i += 1
            s.v = s.v * x
            return s.v

    a, b, c = It()
    i = It()
    n = next(i)
    r = list(i)
    return a * b + c + n + sum(r) + sum(It()) + max(It()) + dict(zip("abc", It()))["b"]


def p_float_proto(x):

    class F:
        def __float__(s):
            return x * x

    return math.sin(F())


def p_float_proto2(x):

    class F:
        def __init__(s):
            s.v = x

        def __float__(s):
            return s.v * s.v

    return math.sin(F()) + float(F())


def p_float_proto3(x):

    class F:
        def __init__(s):
            s.v = x

        def __float__(s):
            return s.v * s.v

    b = np.zeros(2)
    b[0] = F()
    return b[0]


def p_index_proto(a):

    class I:
        def __index__(s):
            return 2

    return a[I()] * a[I() :][0]


def p_length_hint(x):

    class C:
        def __len__(s):
            return 2

        def __getitem__(s, i):
            if i >= 2:
                raise IndexError
            return x * (i + 1)

    c = C()
    return sum(c) + list(reversed(c))[0] + list(c)[1]


def p_enum(x):

    class E(enum.Enum):
        A = 1.0
        B = 2.0

    return sum((e.value * x for e in E)) + E.A.value * x


def p_total_ordering(x):

    @functools.total_ordering
    class C:
        def __init__(s, v):
            s.v = v

        def __eq__(s, o):
            return s.v == o.v

        def __lt__(s, o):
            return s.v < o.v

    return max(C(x), C(x * x)).v * (2 if C(x) >= C(0.0) else 3)


def p_locals(x):
    y = x * x
    return locals()["y"] * 2


def p_lock(x):
    l = threading.Lock()
    with l:
        y = x * x
    return y


def p_errstate(a):
    with np.errstate(divide="ignore"), W.catch_warnings():
        W.simplefilter("ignore")
        return (1 / a).sum()


# -- Views, layouts, aliases, generators, exceptions, scopes -------------------------------------------------------


def p_T_write(m):
    y = m * 1.0
    y.T[1] = 5.0
    y.T[0] *= 2
    return (y * y).sum()


def p_F_order(m):
    y = np.asfortranarray(m * 1.0)
    y[1] = y[0] * 2
    v = y.ravel()
    v[0] = 3.0
    w = y.ravel("F")
    w[1] = w[2] * 7
    return (y * np.arange(12.0).reshape(3, 4)).sum() + (v * v).sum()


def p_F_order2(m):
    y = np.array(m, order="F")
    z = y.T
    z[:, 1] = z[:, 0] * z[:, 2]
    r = y.reshape(-1)
    r[0] = 0.0
    k = y.reshape(-1, order="F")
    k[1:5] *= 2.0
    return (y * np.arange(12.0).reshape(3, 4)).sum() + r.sum() * k[3]


def p_perm(m):
    y = np.stack([m, m * 2], 0)
    z = np.transpose(y, (1, 2, 0)) * 1.0
    v = z[1]
    v[2] = v[0] * v[1]
    w = z.reshape(3, 8)
    w[0] = 2.0
    u = np.moveaxis(z, 0, 2)
    u[1, 1] *= u[0, 0]
    return (z * np.arange(24.0).reshape(3, 4, 2)).sum()


def p_negstride(a):
    y = a * 1.0
    r = y[::-1]
    r[0] = r[1] * r[2]
    r[1:] += r[:-1]
    q = r[::2][::-1]
    q[0] *= 3.0
    return (y * np.arange(4.0)).sum()


def p_negstride_rv(m):
    y = m[::-1, ::-2]
    z = y.copy()
    y2 = y + 0.0
    z[0] = y[1]
    v = y2[:, ::-1]
    v[0] *= z[1]
    return (y2 * z).sum()


def p_ravel_view(m):
    y = m * 1.0
    r = y.ravel()
    r[::2] = r[1::2]
    rr = y.T.ravel()
    rr[0] = 100.0
    return (y * y).sum() + rr.sum()


def p_reshape_alias(a):
    y = a * 1.0
    m = y.reshape(2, 2)
    m[0] += m[1]
    m.T[0] *= 2
    n = m.reshape(4, 1)[:, 0]
    n[1] = y[0] * n[2]
    return (y * np.arange(4.0)).sum()


def p_diag_view(s):
    y = s * 1.0
    d = np.diagonal(y)
    e = y.diagonal(1)
    t = (d * d).sum()
    y[0, 0] = 3.0
    y[1, 2] *= y[0, 1]
    return t + (d * d).sum() + (e * 3).sum()


def p_einsum_view(s):
    y = s * 1.0
    d = np.einsum("ii->i", y)
    d[:] = d * d
    return (y * y).sum()


def p_broadcast(a):
    y = a * 1.0
    b = np.broadcast_to(y, (3, 4))
    t = (b * np.arange(12.0).reshape(3, 4)).sum()
    y[0] = y[1]
    return t * (b * b).sum()


def p_broadcast_arrays(a):
    u, v = np.broadcast_arrays(a[:, None], a[None, :2])
    return (u * v * v).sum()


def p_sliding(a):
    y = a * 1.0
    w = np.lib.stride_tricks.sliding_window_view(y, 2)
    t = (w * w * np.arange(6.0).reshape(3, 2)).sum()
    y[1] *= y[2]
    return t + (w[:, 0] * w[:, 1]).sum()


def p_asstrided(a):
    y = a * 1.0
    w = np.lib.stride_tricks.as_strided(y, (3, 2), (8, 8))
    return (w.sum(1) ** 2).sum()


def p_asstrided_write(a):
    y = a * 1.0
    w = np.lib.stride_tricks.as_strided(y, (3, 2), (8, 8))
    w[:] = np.arange(6.0).reshape(3, 2) * y[0]
    return (y * y).sum()


def p_view_dtype(a):
    y = a * 1.0
    v = y.view()
    v[0] = v[1] * 2
    return (y * y).sum()


def p_view_complex(a):
    c = a.view(complex)
    return (c.real * c.imag).sum() + np.abs(c[0])


def p_complex_parts(a):
    c = a + 1j * a[::-1]
    c.real[0] = 3.0
    c.imag *= 2
    c[1] = c[2] * c[0]
    return (np.abs(c) ** 2).sum() + c.view(float)[3]


def p_real_view(a):
    y = a * 1.0
    y.real[1] = y.real[0] * 2
    return (y * y).sum()


def p_fancy_read(a):
    return (a[[0, 0, 2]] * a[np.array([1, 1, 1])]).sum() * a[[True, False, True, False]].sum()


def p_fancy_read2(m):
    i = np.array([0, 0, 2])
    j = np.array([[1], [1]])
    return (
        (m[i, j] * np.arange(6.0).reshape(2, 3)).sum()
        + m[1:, [0, 0]].sum()
        + m[[0, 1], :2].sum()
        + m[..., [1, 1]].sum()
        + m[None, [0], 1:].sum()
    )


def p_fancy_write(a):
    y = a * 1.0
    y[[0, 0, 1]] = a[1:] * 2
    y[np.array([2, 2])] += 1.0
    return (y * y).sum()


def p_fancy_write2(m):
    y = m * 1.0
    y[[0, 0, 2], 1] = m[0, :3]
    y[[1, 1], :] = m[:2]
    y[:, [3, 3]] *= 2.0
    y[[[0], [0]], [0, 0]] = m[:2, :2]
    return (y * np.arange(12.0).reshape(3, 4)).sum()


def p_mask_write(m):
    y = m * 1.0
    y[m > 0.8] = 0.5 * y[0, 0]
    y[m < 0.5] *= y[m < 0.5]
    y[[True, False, True]] += 1.0
    y[m.sum(1) > 3.0, 1] = 7.0
    return (y * y).sum()


def p_mask_write_vals(a):
    y = a * 1.0
    k = a > 0.8
    y[k] = a[k] * a[k]
    y[~k] = a[0]
    return (y * y).sum()


def p_mask2(m):
    y = m * 1.0
    y[0][m[0] > 0.8] = 9.0
    y[1:][m[1:] > 0.8] *= 2
    return (y * y).sum()


def p_bcast_write(m, a):
    y = np.zeros((3, 4))
    y[:] = a
    y[:, 1] = m[:, 0]
    y[1:] *= m[0]
    y[..., None][:] += a[:, None]
    y += m[:, :1]
    return (y * m).sum()


def p_scalar0d(a):
    z = np.array(0.0)
    z += a[0]
    z[()] = z * a[1]
    z[...] *= 2
    b = z.copy()
    z -= 1
    return z * b


def p_0d_loop(a):
    t = np.zeros(())
    for v in a:
        t = t + v * v
    return t * 2


def p_zero_d_return(a):
    return np.array(a.sum())


def p_empty(a):
    e = a[:0]
    f = a[5:]
    return (
        e.sum()
        + f.sum()
        + np.concatenate([e, a]).sum()
        + (e * e).sum()
        + np.stack([e, e]).sum()
        + a[[]].sum()
        + a[np.zeros(4, bool)].sum()
    )


def p_empty_write(a):
    y = a * 1.0
    y[:0] = y[2:2]
    y[[]] = 5.0
    y[:0] += 1
    return (y * y).sum()


def p_int_mix(a):
    k = np.array([1, 2, 3, 4])
    k2 = k * a
    k[0] = 7
    i = np.zeros(4, int)
    i[:] = a * 10
    return (k2 * k).sum() + 0 * i.sum()


def p_augattr(a):

    class O:
        pass

    o = O()
    o.v = a * 1.0
    v = o.v
    o.v += a
    o.v[0] *= 2
    l = [o.v]
    l[0] -= 1.0
    d = {"k": l}
    d["k"][0][1] = v[0]
    d["k"][0] *= a
    return (v * v).sum() + (o.v is v) * a[0]


def p_auglist(l):
    l[0] += l[1]
    l[-1] *= l[0]
    l += [l[0] * 2]
    l *= 2
    l[1:3] = [l[0]]
    del l[0]
    return sum((v * i for i, v in enumerate(l)))


def p_augdict(d):
    d["p"] += d["q"]
    d["r"] = d.pop("q") * d["p"]
    d |= {"s": d["p"]}
    d.update(p=d["r"] ** 2)
    k = d.setdefault("z", d["s"])
    return sum(d.values()) * k


def p_augtuple(t):
    t += (t[0] * t[1],)
    t = t * 2
    a, *b, c = t
    return a * c + sum(b) * t[-2]


def p_aug_nested(x):
    g = [[0.0, 0.0], [0.0, 0.0]]
    for i in range(2):
        for j in range(2):
            g[i][j] += x * (i + 1) * (j + 2)
            g[j][i] *= x
    return sum(map(sum, g))


def p_aug_alias_row(x):
    g = [[0.0] * 2] * 2
    g[0][0] += x
    g[1][0] += x * x
    return g[0][0] * g[1][0]


def p_rows_alias(m):
    rows = list(m)
    rows[0][:] = rows[1] * 2
    r = [*m]
    r[2][0] = m[0, 0]
    u, v, w = m
    v += u
    return (m * m).sum()


def p_rows_dict(m):
    y = m * 1.0
    d = {i: r for i, r in enumerate(y)}
    d[0][1] = d[1][2] * 2
    d[2] += d[0]
    d[1] = d[1] * 2
    return (y * y).sum() + d[1].sum()


def p_closure_arr(a):
    buf = np.zeros(4)

    def put(i, v):
        buf[i] = v

    def get():
        return buf

    for i, v in enumerate(a):
        put(i, v * v)
    g = get()
    g[0] = g[1]
    return (buf * a).sum()


def p_gen_write(a):
    y = a * 1.0

    def g():
        for i in range(4):
            yield y[i]
            y[i] = y[i - 1] * 2

    s = 0.0
    for v in g():
        s += v * v
        y[0] += v
    return s + (y * y).sum()


def p_gen_two(a):

    def g(k):
        acc = 0.0
        for v in a:
            acc += v * k
            yield acc

    s = 0.0
    for u, v in zip(g(1.0), g(a[0])):
        s += u * v
    it = g(2.0)
    next(it)
    s += next(it)
    s += sum(it)
    return s


def p_gen_send(x):

    def g():
        t = 0.0
        while True:
            v = yield t
            if v is None:
                return
            t += v * v

    it = g()
    next(it)
    it.send(x)
    r = it.send(x * x)
    try:
        it.send(None)
    except StopIteration:
        pass
    return r


def p_gen_throw(x):

    def g():
        try:
            yield x
        except ValueError as e:
            yield (e.args[0] * x)
        finally:
            LOG.append("f")

    it = g()
    a = next(it)
    b = it.throw(ValueError(x * 3))
    it.close()
    return a * b


def p_gen_yieldfrom(x):

    def inner():
        r = yield x
        yield (x * x)
        return x * 3

    def outer():
        v = yield from inner()
        yield v
        yield from (x * i for i in range(3))
        yield from [x, 2.0]
        w = yield from [v]

    return sum((v * (i + 1) for i, v in enumerate(outer())))


def p_gen_store(x):
    gs = [(x * i * j for j in range(3)) for i in range(3)]
    d = {"g": gs[2]}
    return next(gs[1]) + next(d["g"]) + sum(gs[2]) + sum(map(sum, gs))


def p_gen_lazy(x):
    k = 1.0
    g = (k * i for i in range(4))
    k = x
    return sum(g)


def p_gen_lazy_first(x):
    l = [1.0, 2.0]
    g = (v * v for v in l)
    l[0] = x
    l.append(x * x)
    return sum(g)


def p_exc_half(a):
    y = a * 1.0
    s = 0.0
    for i in range(6):
        try:
            y[i] *= a[0]
            if i == 1:
                raise KeyError(y[i])
            s += y[i]
        except KeyError as e:
            s += e.args[0] * 3
            continue
        except IndexError:
            s -= a[1]
            break
        else:
            s += 1
        finally:
            y[0] += 0.5
    else:
        s *= 100
    return s + (y * y).sum()


def p_finally_return(x):

    def g():
        try:
            t = x * x
            return t
        finally:
            t = x * 3
            LOG.append(1)

    def h():
        for i in range(3):
            try:
                return x
            finally:
                if i < 2:
                    continue

    def k():
        try:
            raise ValueError
        finally:
            return x * 5

    return g() + h() * 2 + k()


def p_reraise(x):

    def g(v):
        try:
            raise ValueError(v)
        except ValueError as e:
            raise KeyError(v * 2) from e

    try:
        g(x * x)
    except KeyError as e:
        return e.args[0] * e.__cause__.args[0]


def p_exc_group(x):
    try:
        raise ExceptionGroup("g", [ValueError(x), KeyError(x * x)])
    except* ValueError as e:
        r = e.exceptions[0].args[0]
    except* KeyError as e:
        q = e.exceptions[0].args[0]
    return r * q


def p_walrus(l):
    r = [(y := (v * 2)) for v in l]
    s = [last for v in l if (last := (v * v)) > 0.1]
    while (y := (y * 0.5)) > 0.1:
        pass
    return y + last + sum(r) + any(((f := v) < 0 for v in l)) * f


def p_match(x):

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


def p_comp_scope(x):
    y = x * x
    fs = [lambda v, i=i: v * i * y for i in range(3)]
    gs = [lambda: y * j for j in range(3)]
    y = y * 2
    d = {k: lambda k=k: k * x for k in range(3)}
    return (
        sum((f(x) for f in fs))
        + sum((g() for g in gs))
        + sum((d[k]() for k in d))
        + sum((a * b for a in (x, y) for b in (y, a)))
    )


def p_nonlocal_deep(x):
    t = 0.0

    def a():
        u = x

        def b():
            nonlocal t, u
            u *= x

            def c():
                nonlocal t
                t += u * x
                return lambda: t + u

            return c()

        r = b()
        return r() + u

    return a() * t + a()


def p_default_mut(x):

    def g(v, acc=[]):
        acc.append(v)
        return acc

    g(x)
    g(x * x)
    return sum(g(1.0))


def p_kw_only(x):

    def g(a, /, b, *c, d=x, e, **f):
        return a * b + sum(c) * d + e * sum(f.values())

    return g(x, 2.0, x * x, x, e=x, z=x * 3, y=2.0) + g(*[x, x * 2], **{"e": x, "q": x}) + g(1.0, b=x, e=2.0, d=3.0)


def p_recursion(x):

    def tree(n):
        return {"v": x * n, "c": [tree(n - 1) for _ in range(n)]}

    def tot(t):
        return t["v"] + sum((tot(c) * 0.5 for c in t["c"]))

    return tot(tree(3))


def p_mutual(x):

    def ev(n, v):
        return v if n == 0 else od(n - 1, v * x)

    def od(n, v):
        return v * 2 if n == 0 else ev(n - 1, v + x)

    return ev(5, x)


def p_itertools(l):
    s = 0.0
    for a, b in itertools.combinations(l, 2):
        s += a * b
    for a, b in itertools.product(l, repeat=2):
        s += a * b * b
    for a, b in itertools.pairwise(l):
        s += a * b
    for a, b in itertools.zip_longest(l, l[:2], fillvalue=l[0]):
        s += a * b
    for v in itertools.islice(itertools.cycle(l), 1, 7, 2):
        s += v * v
    for v in itertools.accumulate(l, operator.mul, initial=l[2]):
        s += v
    for v in itertools.chain(l, [2.0], *[[l[0]]]):
        s += v * v
    for v in itertools.takewhile(lambda v: v > 0, l):
        s += v * v
    for v in itertools.dropwhile(lambda v: v > 0, l):
        s += v * v
    for v in itertools.starmap(pow, [(abs(v), 2) for v in l]):
        s += v
    for v in itertools.compress(l, [1, 0, 1]):
        s += v * v
    for v in itertools.filterfalse(lambda v: v > 1, l):
        s += v * v
    return s + functools.reduce(operator.mul, l, l[0]) + functools.reduce(lambda a, b: a * b + a, l)


def p_sorted_key(l):
    s = sorted(l, key=lambda v: -v)
    l.sort(reverse=True)
    m = min(l, key=abs)
    M_ = max(l, key=lambda v: (v > 0, -v))
    return s[0] * 3 + l[1] * s[2] + m * M_ + max(*l) + min(*l, 0.0) + max([], default=l[0])


def p_tolist(m):
    l = m.tolist()
    return l[0][1] * l[2][3] + sum(map(sum, l))


def p_scalar_methods(a):
    s = a.sum()
    return (
        s.clip(0, 10) * s.item()
        + s.astype(float)
        + s.mean()
        + s.reshape(1)[0]
        + s.max()
        + s.real
        + s.conj()
        + s.copy()
        + s.squeeze()
        + s.T
        + s.sum()
        + s.flatten()[0]
        + float(s)
        + s.tolist()
        + s.ravel()[0]
        + np.float64(s)
        + s.prod()
    )


def p_math_edge(x):
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


# -- Writes behind the scenes, library calls, failing writes -------------------------------------------------------


WW = np.array([1.0, 2.0, 3.0, 4.0])


def p_o_clip(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.clip(a * 2, 0, 1.2, b)
    return s + (a * b).sum()


def p_o_clipm(a):
    b = np.ones(4)
    s = (a * b).sum()
    (a * 2).clip(0, 1.2, b)
    return s + (a * b).sum()


def p_o_sum(m):
    b = np.ones(4)
    s = (m[0] * b).sum()
    np.sum(m, 0, None, b)
    return s + (m[0] * b).sum()


def p_o_summ(m):
    b = np.ones(4)
    s = (m[0] * b).sum()
    m.sum(0, None, b)
    return s + (m[0] * b).sum()


def p_o_mean(m):
    b = np.ones(4)
    s = (m[0] * b).sum()
    np.mean(m, 0, None, b)
    return s + (m[0] * b).sum()


def p_o_cumsum(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.cumsum(a, 0, None, b)
    return s + (a * b).sum()


def p_o_cumsumm(a):
    b = np.ones(4)
    s = (a * b).sum()
    a.cumsum(0, None, b)
    return s + (a * b).sum()


def p_o_dot(m, a):
    b = np.ones(3)
    s = (m[:, 0] * b).sum()
    np.dot(m, a, b)
    return s + (m[:, 0] * b).sum()


def p_o_dotm(m, a):
    b = np.ones(3)
    s = (m[:, 0] * b).sum()
    m.dot(a, b)
    return s + (m[:, 0] * b).sum()


def p_o_matmul(m, a):
    b = np.ones(3)
    s = (m[:, 0] * b).sum()
    np.matmul(m, a, b)
    return s + (m[:, 0] * b).sum()


def p_o_max(m):
    b = np.ones(4)
    s = (m[0] * b).sum()
    np.max(m, 0, b)
    return s + (m[0] * b).sum()


def p_o_maxm(m):
    b = np.ones(4)
    s = (m[0] * b).sum()
    m.max(0, b)
    return s + (m[0] * b).sum()


def p_o_round(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.round(a, 1, b)
    return s + (a * b).sum()


def p_o_concat(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.concatenate((a[:2], a[:2]), 0, b)
    return s + (a * b).sum()


def p_o_concatk(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.concatenate((a[:2], a[:2]), out=b)
    return s + (a * b).sum()


def p_o_stack(a):
    b = np.ones((2, 2))
    s = (a[:2] * b).sum()
    np.stack((a[:2], a[:2]), 0, b)
    return s + (a[:2] * b).sum()


def p_o_outer(a):
    b = np.ones((4, 4))
    s = (a * b).sum()
    np.outer(a, a, b)
    return s + (a * b).sum()


def p_o_take(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.take(a, [0, 0, 1, 2], 0, b)
    return s + (a * b).sum()


def p_o_takem(a):
    b = np.ones(4)
    s = (a * b).sum()
    a.take([0, 0, 1, 2], 0, b)
    return s + (a * b).sum()


def p_o_einsum(m):
    b = np.ones(4)
    s = (m[0] * b).sum()
    np.einsum("ij->j", m, out=b)
    return s + (m[0] * b).sum()


def p_o_trace(s):
    b = np.zeros(())
    np.trace(s, 0, 0, 1, None, b)
    return b * 2


def p_o_add_tuple(a):
    b = np.ones(4)
    s = (a * b).sum()
    r = np.add(a, a, out=(b,))
    return s + (r * b * a).sum()


def p_o_inactive(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.add(WW, WW, b)
    s += (a * b).sum()
    np.cumsum(WW, 0, None, b)
    s += (a * b).sum()
    WW.cumsum(out=b)
    s += (a * b).sum()
    WW.clip(0, 2, b)
    s += (a * b).sum()
    np.dot(np.eye(4), WW, b)
    s += (a * b).sum()
    np.sum(np.eye(4), 0, None, b)
    s += (a * b).sum()
    np.round(WW / 3, 1, b)
    s += (a * b).sum()
    np.take(WW, [1, 1, 2, 2], 0, b)
    s += (a * b).sum()
    np.concatenate((WW[:2], WW[:2]), 0, b)
    return s + (a * b).sum()


def p_o_inactive3(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.put(b, [0], 9.0)
    s += (a * b).sum()
    b.put([1], 8.0)
    s += (a * b).sum()
    np.place(b, b > 5, [3.0])
    s += (a * b).sum()
    np.putmask(b, b < 2, 7.0)
    s += (a * b).sum()
    np.put_along_axis(b, np.array([2]), 5.0, 0)
    s += (a * b).sum()
    b.partition(2)
    s += (a * b).sum()
    b[::-1].sort()
    s += (a * b).sum()
    b.fill(2.0)
    s += (a * b).sum()
    b.itemset(0, 5.0) if hasattr(b, "itemset") else None
    np.copyto(b, WW, where=WW > 1)
    s += (a * b).sum()
    np.fill_diagonal(b.reshape(2, 2), 6.0)
    s += (a * b).sum()
    b.byteswap(True)
    b.byteswap(inplace=True)
    b.setfield(3.0, float)
    return s + (a * b).sum()


def p_w_struct(a):
    b = np.ones(4)
    s = (a * b).sum()
    struct.pack_into("d", b, 8, 5.0)
    return s + (a * b).sum()


def p_w_readinto(a):
    b = np.ones(4)
    s = (a * b).sum()
    io.BytesIO(WW.tobytes()).readinto(b)
    return s + (a * b).sum()


def p_w_npshuffle(a):
    np.random.seed(0)
    b = WW.copy()
    s = (a * b).sum()
    np.random.shuffle(b)
    return s + (a * b).sum()


def p_w_permuted(a):
    r = np.random.default_rng(1)
    b = WW.copy()
    s = (a * b).sum()
    r.permuted(b, out=b)
    return s + (a * b).sum()


def p_w_partial_fill(a):
    b = WW.copy()
    s = (a * b).sum()
    functools.partial(b.fill, 3.0)()
    return s + (a * b).sum()


def p_w_operator(a):
    b = WW.copy()
    s = (a * b).sum()
    operator.setitem(b, 0, 5.0)
    s += (a * b).sum()
    operator.iadd(b, 1.0)
    s += (a * b).sum()
    operator.methodcaller("fill", 5.0)(b)
    s += (a * b).sum()
    b.__iadd__(1.0)
    s += (a * b).sum()
    operator.imul(b, a[0])
    return s + (a * b).sum()


def p_w_operator_active(a, x):
    b = WW.copy()
    s = (a * b).sum()
    operator.setitem(b, 0, x)
    s += (a * b).sum()
    operator.iadd(b, x)
    return s + (a * b).sum()


def p_w_fill_bound(a, x):
    b = WW.copy()
    s = (a * b).sum()
    f = b.fill
    f(x)
    return s + (a * b).sum()


def p_w_sort_bound(a):
    b = a * 1.0
    s = (a * b).sum()
    f = b.sort
    f()
    return s + (a * b * WW).sum()


def p_w_randshuffle_list(l):
    random.seed(0)
    random.shuffle(l)
    return l[0] * 2 + l[1] * 3


def p_w_randchoice(l):
    random.seed(0)
    return random.choice(l) * 2 + sum(random.sample(l, 2))


def p_w_resize(a):
    b = np.ones(4)
    s = (a * b).sum()
    b = np.resize(b, 8)
    return s + (a * b[:4]).sum()


def p_shape_inactive(a):
    y = np.zeros(4)
    y.shape = (2, 2)
    y[0] = a[1] * 2
    return (y * y).sum()


def p_setflags(a):
    y = a * 1.0
    y.flags.writeable = False
    try:
        y[0] = 3.0
    except ValueError:
        return (y * y).sum()


def p_readonly2(a):
    y = a * 1.0
    y.setflags(write=False)
    try:
        y += 3.0
    except ValueError:
        return (y * y).sum()


def p_ro_broadcast(a):
    y = np.broadcast_to(a, (2, 4))
    try:
        y[0] = 3.0
    except ValueError:
        return (y * y).sum()


def p_ro_diag(s):
    try:
        np.diagonal(s)[0] = 3.0
    except ValueError:
        return (s * s).sum()


def p_write_err(a):
    y = a * 1.0
    try:
        y[:] = np.ones(3)
    except ValueError:
        pass
    try:
        y[7] = y[0]
    except IndexError:
        pass
    try:
        y[[0, 9]] = a[0]
    except IndexError:
        pass
    try:
        y += np.ones(3)
    except ValueError:
        pass
    try:
        y[0] = np.ones(3) * a[0]
    except (ValueError, TypeError):
        pass
    try:
        y[0] = "x"
    except ValueError:
        pass
    try:
        y[0] = 1j
    except TypeError:
        pass
    try:
        np.add(a, a, out=np.zeros(3))
    except ValueError:
        pass
    try:
        y.sort(axis=3)
    except Exception:
        pass
    try:
        y.reshape(3, 3)
    except ValueError:
        pass
    return (y * y).sum()


def p_int_out(a):
    k = np.arange(4)
    try:
        k += a
    except TypeError:
        pass
    try:
        k /= 2
    except TypeError:
        pass
    return (k * a).sum()


def p_h_json2(x):
    return json.loads(json.dumps({"a": 3.0}))["a"] * x


def p_h_log(x):
    logging.getLogger("zz").debug("v %s", x)
    logging.getLogger("zz").info(f"{x}")
    return x * x


def p_h_print(x, a):
    f = io.StringIO()
    print(x, a, file=f)
    f.write(str(a))
    sys.stdout.flush()
    return x * x


def p_h_pickle(x, a):
    pickle.dumps(3)
    return x * a.sum()


def p_h_unique(a):
    return np.unique(a)[0]


def p_h_bincount(a):
    return (np.bincount([0, 0, 1, 2], weights=a) ** 2).sum()


def p_h_inspect(x):

    def g(a, b=2):
        return a

    return len(inspect.signature(g).parameters) * x + len(g.__name__) + g.__code__.co_argcount * x


def p_h_re(x):
    return float(re.match("(\\d)", f"{3.2}").group(1)) * x


def p_h_annot(x):
    y: float = x * x
    z: "np.ndarray"

    def g(v: float) -> float:
        return v

    return g(y)


def p_h_doc(x):
    """doc"""

    def g():
        """inner"""
        return x

    return g() * len(g.__doc__)


def p_h_star_import(x):
    import math as mm
    import os.path
    from math import cos
    from math import sin as ss

    return mm.sin(x) + ss(x) * cos(x) + len(os.path.join("a", "b"))


def p_h_nested_cls(x):

    class A:
        class B:
            def f(s):
                return x * 2

        def g(s):
            return A.B().f() * s.k

        k = 3
        lst = [i * 2 for i in range(3)]

        @staticmethod
        def st(v):
            return v * x

    return A().g() + A.st(2.0) + sum(A.lst)


def p_h_del(x):
    y = x * x
    z = [y, x]
    del y
    try:
        y
    except NameError:
        pass
    del z[0]
    return z[0]


def p_h_chain(x, y):
    return (1 if 0 < x < y < 2 else 2) * x + (x if x == x != y else y) + (x and y) + (0 or x) + (not x) * y


def p_h_tern(x):
    return x * 2 if x > 0 else x / 0


def p_h_bits(x):
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


def p_h_complex(x, y):
    z = complex(x, y)
    w = z * z.conjugate() + z**2 / (1 + z)
    w += 1j * x
    return abs(w) + w.real * z.imag + (z * 1j).real + abs(np.exp(z)) + np.angle(z) + (z / (2 + 1j)).imag


def p_h_cmath(x, y):
    import cmath

    z = x + 1j * y
    r, p = cmath.polar(z)
    return r * p + cmath.exp(z).real + cmath.sqrt(z).imag + abs(cmath.log(z)) + cmath.phase(z) + cmath.rect(x, y).real


def p_h_divmod(x, y):
    q, r = divmod(y, x)
    return r + q * x + y % x + y // x * x + -y % x + math.fmod(y, x)


def p_h_fraction(x):
    from fractions import Fraction

    return float(Fraction(1, 3)) * x


def p_h_sum_start(x, a):
    return sum([x, x], x) + sum(a, start=x) + sum([[x], [x]], [])[1] + sum(((x,), (2.0,)), ())[0]


def p_h_minmax(x, y, a):
    return (
        max(a)
        + min(a[1:])
        + max(x, y, 1.0)
        + min([x, y], key=lambda v: -v)
        + max((x, "a"), (y, "b"))[0]
        + max(a, key=abs)
    )


def p_h_zipstar(l):
    a, b = zip(*[(v, v * v) for v in l])
    return sum(a) * sum(b)


def p_h_unpack_dict(d):

    def g(p, q):
        return p * q * q

    return g(**d) + g(**{**d, "q": d["p"]}) + g(*d.values()) + sum((v for k, v in sorted(d.items())))


def p_h_dictcomp(d):
    e = {k: v * v for k, v in d.items() if v > 0}
    f = dict(zip(d, e.values()))
    g = dict(d, p=e["q"])
    h = dict.fromkeys("ab", d["p"])
    return f["p"] * g["p"] * h["b"] + dict([("z", d["q"])])["z"] + len({v for v in d.values()})


def p_rec300(x):

    def g(n):
        return x if n == 0 else g(n - 1) * 1.001

    return g(300)


def p_rec300m(x):

    class T:
        def __init__(s, n):
            s.n = T(n - 1) if n else None

        def v(s):
            return x if s.n is None else s.n.v() * 1.001

    return T(300).v()


def p_rec_overflow(x):

    def g(n):
        return g(n + 1) * x

    try:
        return g(0)
    except RecursionError:
        return x * x


# -- Iterators made early, memo tables, odd targets ----------------------------------------------------------------


def p_lru_args(x):

    @lru_cache
    def g(q):
        LOG.append(1)
        return q * q

    return g(x) + g(x) + g(q=x)


def p_lru_method(x):

    class C:
        def __init__(s):
            s.v = x

        @lru_cache(None)
        def f(s, n):
            LOG.append(n)
            return s.v * n

    c = C()
    return c.f(2) + c.f(2)


@lru_cache(None)
def modlru(n):
    return n * 2.0


def p_lru_module(x):
    return modlru(3) * x + modlru(x) + modlru(x)


@lru_cache(None)
def modlru2(n):
    return np.arange(float(n))


def p_lru_array(x):
    return (modlru2(3) * x).sum() + modlru2(3)[1] * x


def p_rows_later(x):
    b = np.zeros((3, 2))
    s = 0.0
    for i, r in enumerate(b):
        s = s + r.sum()
        if i < 2:
            b[i + 1] = x * i + x
    return s


def p_iter_later(x):
    b = np.zeros(3)
    m = iter(b)
    b[1] = x
    next(m)
    return next(m) * 2


def p_reversed_later(x):
    l = [1.0, 2.0]
    m = reversed(l)
    l[0] = x
    next(m)
    return next(m) * 2


def p_enum_later(x):
    l = [1.0, 2.0]
    m = enumerate(l)
    l[0] = x
    return next(m)[1] * 2


def p_map_later(x):
    l = [1.0, 2.0]
    m = map(lambda v: v * 2, l)
    l[0] = x
    z = zip(l, l)
    l[1] = x * x
    return sum(m) + sum((a * b for a, b in z))


def p_dictkeys_sorted(d):
    return sum((d[k] * i for i, k in enumerate(sorted(d.keys()))))


def p_attrdict3(x):

    class AttrDict(dict):
        def __getattr__(s, n):
            try:
                return s[n]
            except KeyError:
                raise AttributeError(n)

        def __setattr__(s, n, v):
            s[n] = v

    d = AttrDict()
    d.a = x
    d["b"] = x * x
    return d["a"] * d.b * getattr(d, "zz", 2.0)


def p_make_dc(x):
    K = dataclasses.make_dataclass("K", ["a", "b"])
    return K(x, x * x).b


def p_nt_inside(x):
    P = namedtuple("P", "a b")
    p = P(x, b=x * x)
    return p.a * p.b


def p_ntclass_inside(x):

    class P(typing.NamedTuple):
        a: float
        b: float = 2.0

        def s(self):
            return self.a * self.b

    return P(x).s()


def p_dc_inside(x):

    @dataclasses.dataclass
    class P:
        a: float
        b: float = 2.0

        def s(self):
            return self.a * self.b * x

    return P(x).s() + dataclasses.replace(P(x), b=x).b


def p_genlambda(x):
    g = lambda: (yield (x * 2))
    return next(g())


def p_star_misc(l, a):

    def g():
        return (*l, l[0])

    i = (0,)
    r = 0.0
    for v in (*l, l[1]):
        r += v * v
    h = k = q = l[0] * 2
    j = l[2] = l[1] * 3
    (u, l[0]), [w] = ((l[1], h), [j])
    return sum(g()) + a[*i,] + r + h * k * q + j + u * w + sum([*l, *a]) + max(*l, *a) + sum((*l,))


def p_targets(x):

    class O:
        pass

    o = O()
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


def p_private(x):

    class C:
        __k = 2.0

        def __init__(s):
            s.__v = x

        def __f(s):
            return s.__v * s.__k

        def g(s):
            __loc = s.__f()
            return __loc * C.__k

    return C().g()


def p_class_cell(x):

    class A:
        def f(s):
            return __class__.k * x

        k = 3.0

    return A().f()


def p_closure_class_rebind(x):

    class Acc:
        tot = 0.0

        def add(s, v):
            s.tot = s.tot + v
            return s

    a = Acc()
    a.add(x).add(x * x)
    return a.tot


def p_list_subclass2(x):

    class S(list):
        def push(s, v):
            s.append(v)

        @property
        def top(s):
            return s[-1]

    s = S()
    s.push(x)
    s.push(x * x)
    return s.pop() * s.top + sum((v for v in S([1.0, 2.0]))) * x


def p_dict_missing(x):

    class D(dict):
        def __missing__(s, k):
            s[k] = v = x * len(k)
            return v

    d = D()
    return d["ab"] + d["ab"] * d["c"] + d.get("zz", 1.0)


def p_f64_arg(v):
    return v * v + v.item() * v.real + math.exp(v)


def p_size1(a):
    return a[:1].item() * a[1:2].sum() + a[2:3].squeeze() * 1.0 + np.squeeze(a[:1])[()] + a[:1].reshape(())[()]


def p_arr_in_bool(a):
    return (a.sum() if a.any() else 0.0) + (a[0] if a.all() else 1.0) + len(a) * a[1] + (a[2] if a[2] in a else 0.0)


def p_arr_compare_chain(a):
    return np.where((a > 0.5) & (a < 1.2) | ~(a > 0.3), a * a, a).sum() + ((a > 0.5) * a).sum() + (a * (a > 1)).sum()


def p_arr_attr(m):
    return m.T[0, 0] * m.shape[0] + m.ndim * m.size * m.real[1, 1] + m.mT[0, 2] + m.itemsize * m.flat[2]


def p_arr_swap(a):
    y = a * 1.0
    y[0], y[1] = (y[1], y[0])
    y[[2, 3]] = y[[3, 2]]
    y[:2], y[2:] = (y[2:].copy(), y[:2].copy())
    return (y * np.arange(4.0)).sum()


def p_arr_swap_rows(m):
    y = m * 1.0
    y[[0, 2]] = y[[2, 0]]
    y[0], y[1] = (y[1], y[0])
    return (y * np.arange(12.0).reshape(3, 4)).sum()


def p_global_list(x):
    GL.append(x * x)
    r = GL[-1] * 2
    GL.pop()
    return r


GL = []

GA = np.zeros(3)


def p_global_array(x):
    GA[:] = 0.0
    GA[1] = x * x
    r = helper() * 2
    GA[:] = 0.0
    return r


def helper():
    return GA.sum() + GA[1]


GN = 0.0


def p_global_rebind(x):
    global GN
    GN = 3.0
    r = GN * x
    GN = 0.0
    return r


GO = types.SimpleNamespace(v=0.0)


def p_global_obj(x):
    GO.v = x * x
    r = rd()
    GO.v = 0.0
    return r * x


def rd():
    return GO.v


class CFG:
    v = 1.0
    l = []
    d = {}


def p_class_containers(x):
    CFG.l.append(x)
    CFG.d["k"] = x * x
    r = CFG.l[-1] * CFG.d["k"]
    CFG.l.clear()
    CFG.d.clear()
    return r


def fattr(v):
    fattr.n = getattr(fattr, "n", 0.0) * 0 + v
    return fattr.n * v


def p_func_attr(x):
    r = fattr(x) * fattr.n
    del fattr.n
    return r


def p_nonlocal_gen(x):
    t = 0.0

    def g():
        nonlocal t
        for i in range(3):
            t = t + x * i
            yield t

    r = sum(g())
    return r * t


def p_gen_in_gen(x):

    def nat():
        v = x
        while True:
            yield v
            v = v * 1.1

    def take(n, it):
        for _, v in zip(range(n), it):
            yield v

    def sq(it):
        for v in it:
            yield (v * v)

    it = nat()
    a = list(take(2, sq(it)))
    b = next(it)
    return sum(a) * b


def p_gen_expr_nested(l):
    return sum((a * b for a in l for b in (a * c for c in l) if b > 0))


def p_gen_exception(x):

    def g():
        try:
            yield x
            raise ValueError(x * x)
        finally:
            LOG.append("fin")

    r = 0.0
    try:
        for v in g():
            r += v
    except ValueError as e:
        r += e.args[0]
    return r


def p_gen_return_loop(x):

    def g():
        yield x
        return x * x

    def h():
        r = yield from g()
        return r * 2

    it = h()
    a = next(it)
    try:
        next(it)
    except StopIteration as e:
        return a * e.value


def p_class_iter_mut(x):

    class Node:
        def __init__(s, v, n=None):
            s.v = v
            s.n = n

        def __iter__(s):
            while s is not None:
                yield s.v
                s = s.n

    l = Node(x, Node(x * x, Node(2.0)))
    l.n.v *= 3
    return sum(l) * max(l)


def p_ctx_class(x):

    class T:
        def __enter__(s):
            s.v = x
            LOG.append("in")
            return s

        def __exit__(s, t, e, tb):
            LOG.append(t is None)
            s.v = s.v * 2
            return t is ValueError

    with T() as a, T() as b:
        a.v *= b.v
        raise ValueError
    return a.v * b.v


def p_try_nested(x):
    r = x
    for i in range(4):
        try:
            try:
                if i == 0:
                    r *= 2
                    continue
                if i == 1:
                    raise KeyError(r)
                if i == 2:
                    raise ValueError(r * x)
                r += 1
                break
            except KeyError as e:
                r = e.args[0] * 3
            finally:
                r += 0.1 * x
        except ValueError as e:
            r = e.args[0] - x
    else:
        r = 0.0
    return r


def p_exc_ctxvar(x):
    try:
        try:
            raise ValueError(x)
        except ValueError:
            raise KeyError(x * 2)
    except KeyError as e:
        return e.__context__.args[0] * e.args[0]


def p_boolop_arr(x, a):
    y = None or a
    z = a if y is a else 0
    return (y * z).sum() * (x or 1.0)


def p_ifexp_arr(a):
    return (a if len(a) > 2 else a * 2).sum() * (a[1:] if False else a[:2]).sum()


def p_aug_slice_obj(m):
    s = slice(1, 3)
    y = m * 1.0
    y[:, s] *= 2
    y[s, s] += y[:2, :2]
    y[Ellipsis, 0] -= 1
    y[np.s_[0, :2]] = 3.0
    i = np.int64(1)
    y[i, i] = y[-i, -i] * 2
    y[2,] = y[0]
    return (y * np.arange(12.0).reshape(3, 4)).sum()


def p_multi_assign_alias(a):
    x = y = a * 1.0
    x[0] = 5.0
    y += x
    z = x
    z = z + 1
    z[1] = 0
    return (x * y).sum() + z.sum()


def p_arr_default(a):

    def g(v, w=a * 2):
        w[0] += v
        return w.sum()

    return g(1.0) * g(2.0)


def p_arr_const_default(x):

    def g(v, w=np.zeros(3)):
        w[0] += v
        return w.sum()

    return g(x) * g(x * x)


def p_const_tuple_arrays(a):
    t = (a * 1.0, [a * 2.0])
    t[0][1] = 7.0
    t[1][0][2] *= t[0][0]
    u = t
    b, [c] = u
    return (b * c).sum()


def p_dictarr(a):
    d = {}
    d["w"] = a * 1.0
    d["v"] = d["w"]
    d["w"] += 1
    d["v"][0] *= 3
    e = dict(d)
    e["w"][1] = 0.0
    e["w"] = e["w"] * 2
    return (d["w"] * d["v"]).sum() + e["w"].sum()


def p_nested_list_alias(a):
    r = [a * 1.0] * 2
    r[0][0] = 3.0
    s = [list(r)]
    s[0][1][1] *= 2
    r.append(r[0])
    r[2] += r[1]
    return sum((v.sum() * (i + 1) for i, v in enumerate(r)))


# -- Users' rules, mixed dtypes, whole algorithms ------------------------------------------------------------------


class P:
    def __init__(s, x, y):
        s.x = x
        s.y = y


def nrm(p):
    return p.x**2 * p.y


@M.adjoint(nrm)
def _(p):
    return (p.x**2 * p.y, lambda c: Tangent(P, x=2 * p.x * p.y * c, y=p.x**2 * c))


def p_rule_obj(x):
    p = P(x, 3.0)
    r = nrm(p)
    return r * p.x


def lsum(l):
    return l[0] ** 2 + l[1]


@M.adjoint(lsum)
def _(l):
    return (l[0] ** 2 + l[1], lambda c: [2 * l[0] * c, c])


def dsum(d):
    return d["a"] ** 2


@M.adjoint(dsum)
def _(d):
    return (d["a"] ** 2, lambda c: {"a": 2 * d["a"] * c})


def p_rule_dict_partial(x):
    d = {"a": x, "b": x * 2}
    return dsum(d) * d["b"]


def arr2(v):
    return v * v


@M.adjoint(arr2)
def _(v):
    return (v * v, lambda c: 2 * v * c)


def p_rule_arr_changed(a):
    y = a * 1.0
    r = arr2(y)
    y[0] = 9.0
    y += 1
    return (r * y).sum()


def ltuple(v):
    return (v * 2, v * 3)


@M.adjoint(ltuple)
def _(v):
    return ((v * 2, v * 3), lambda c: (2 * c[0] if c[0] is not None else 0) + (3 * c[1] if c[1] is not None else 0))


def p_rule_tuple_partial(a):
    u, v = ltuple(a)
    return (u * u).sum()


def p_rule_tuple_scalar(x):
    u, v = ltuple(x)
    return v * v


def inpl(v):
    v *= 2
    return v


@M.adjoint(inpl)
def _(v):
    v *= 2
    return (v, lambda c: 2 * c)


def retglob(v):
    return G0


G0 = np.ones(3)


@M.adjoint(retglob)
def _(v):
    return (G0, lambda c: c.sum() * np.ones(4) * 0)


def p_rule_returns_global(a):
    return (retglob(a) * 2).sum() + (G0 * 3).sum() + a[0]


def isx(v):
    return v


@M.adjoint(isx)
def _(v):
    return (v, lambda c: c)


def p_id_then_write(a):
    y = a * 1.0
    z = isx(y)
    y[0] = 5.0
    return (y * y).sum()


def vw(v):
    return v[1:]


@M.adjoint(vw)
def _(v):

    def pb(c):
        g = np.zeros_like(v)
        g[1:] = c
        return g

    return (v[1:], pb)


def p_view_rule(a):
    y = a * 1.0
    z = vw(y)
    return (z * z).sum() + (y * y).sum()


class Q:
    def __init__(s, v):
        s.v = v * 2

    def get(s, k):
        return s.v * k

    @property
    def pr(s):
        return s.v**2

    @classmethod
    def mk(cls, v):
        return cls(v)

    @staticmethod
    def st(v):
        return v**3


M.adjoint(Q.get)(lambda s, k: (s.v * k, lambda c: (Tangent(Q, v=c * k), c * s.v)))

M.adjoint(Q.st)(lambda v: (v**3, lambda c: 3 * v * v * c))


def p_rule_method(x):
    return Q(x).get(x) * Q.st(x) * Q.mk(x).pr * Q(2.0).st(x)


def p_rule_method_map(x):
    return sum(map(Q(x).get, [1.0, x]))


def p_rule_bound(x):
    f = Q(x).get
    return f(3.0) * f(x)


def p_rule_kw(x):
    return Q(x).get(k=x)


def p_rule_partial(x):
    return functools.partial(Q.get, Q(x))(x)


def decl(v):
    raise RuntimeError


@M.adjoint(decl)
def _(v):
    return NotImplemented


def p_rule_decline(x):
    try:
        return decl(x)
    except RuntimeError:
        return x * x


def decl2(v):
    return v * v


@M.adjoint(decl2)
def _(v):
    if v > 0:
        return NotImplemented
    return (v * v, lambda c: 7 * c)


def p_rule_decline2(x):
    return decl2(x) * x


def p_complex_arr(a):
    z = a * np.exp(1j * a)
    z[0] *= 2j
    w = z @ z.conj()
    q = np.outer(z, z)[0, 1]
    z.imag[1] = a[0]
    f = np.fft.fft(z)
    return w.real + q.imag + (np.abs(f) ** 2).sum() + np.real(z).sum() * np.imag(z[2]) + np.angle(z[3])


def p_complex_write_real(a):
    y = np.zeros(4)
    z = a * 1j + 1
    y[:] = z.real
    y[0] = abs(z[1])
    y[1:3] = np.abs(z[1:3]) ** 2
    return (y * y).sum()


def p_complex_aug(a):
    z = np.zeros(4, complex)
    z += a
    z *= 1j * a
    z[1:] -= z[:-1]
    z.real += a
    return (z * z.conj()).real.sum() + (z**2).imag.sum()


def p_complex_scalar(x, y):
    z = 0j
    for k in range(3):
        z = z * z + complex(x, y) * 0.5
        z += x
        z *= 1j
    return abs(z) + z.real


def p_bool_arith(a):
    return ((a > 0.8) * a + (a > 0.5)).sum() + True * a[0] + (a[1] > 0) * a[1]


def p_int_arr_ops(a):
    k = np.arange(4)
    j = k * 2
    j[1] = 7
    k += 1
    return (a**k).sum() + (a * j).sum() + (k / a).sum() + np.power(a, k).sum() + (2**a).sum()


def p_int_idx_arith(a):
    i = np.zeros(2, int)
    s = 0.0
    for n in range(3):
        i[0] = n
        i[1] = n * 2 % 4
        s += (a[i] * n).sum()
        a2 = a.copy()
        a2[i] = a2[i[::-1]] * 2
        s += a2[i].sum()
    return s


def p_mask_reuse(a):
    k = a > 0.8
    s = (a[k] ** 2).sum()
    k[:] = False
    k[1] = True
    b = a.copy()
    b[k] = b[~k].sum()
    k[0] = True
    return s + (b * b).sum()


def p_list_idx_mut(a):
    i = [0, 1]
    y = a.copy()
    s = y[i].sum()
    i[0] = 3
    y[i] = y[i] * 2
    i.append(0)
    s += (y[i] ** 2).sum()
    i.clear()
    return s + (y * y).sum()


def p_tuple_list_idx(m):
    i = [0, 1]
    t = (i, [1, 2])
    y = m.copy()
    s = y[t].sum()
    y[t] = 5 * y[t]
    i[0] = 2
    s += y[t].sum()
    return s + (y * y).sum()


def p_strict_while(a):
    i = 0
    s = 0.0
    while i < len(a) and (v := a[i]) > 0:
        s += v * v
        i += 1
    else:
        s *= 2
    return s


def p_big_loop(a):
    u = a.copy()
    for n in range(50):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = u[-1]
        u[-1] *= 0.99
    return (u * u).sum()


def p_rk4(a):

    def f(t, y):
        return np.array([y[1], -y[0] * a[0], y[3] * a[1], -y[2]])

    ys = np.empty((6, 4))
    ys[0] = a
    for n in range(5):
        y = ys[n]
        h = 0.1
        k1 = f(0, y)
        k2 = f(0, y + h / 2 * k1)
        k3 = f(0, y + h / 2 * k2)
        k4 = f(0, y + h * k3)
        ys[n + 1] = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return (ys[-1] ** 2).sum() + ys[2, 1]


def p_lu(s):
    A = s + 3 * np.eye(3)
    n = 3
    for k in range(n):
        p = k + int(np.argmax(abs(A[k:, k])))
        A[[k, p]] = A[[p, k]]
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]
    return np.log(np.abs(np.diag(A))).sum() + A[2, 0]


def p_chol(s):
    A = s @ s.T + np.eye(3)
    L = np.zeros_like(A)
    for i in range(3):
        for j in range(i + 1):
            t = A[i, j] - L[i, :j] @ L[j, :j]
            L[i, j] = math.sqrt(t) if i == j else t / L[j, j]
    return L.sum() * L[2, 1]


def p_gs(m):
    Q = []
    for v in m:
        w = v.copy()
        for q in Q:
            w -= w @ q * q
        Q.append(w / np.linalg.norm(w))
    return np.array(Q)[2, 1] * Q[1][0]


def p_adam(a):
    x = a.copy()
    m = np.zeros_like(x)
    v = np.zeros_like(x)
    for t in range(1, 5):
        g = 2 * x * a
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g**2
        x -= 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 0.001)
    return (x * x).sum()


def p_dp(a):
    n = 4
    D = np.full((n + 1, n + 1), np.inf)
    D[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            D[i, j] = abs(a[i - 1] - 2 * a[n - j] * a[0]) + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, n]


def p_viterbi(s):
    v = np.log(s[0])
    for t in range(3):
        v = np.array([max((v[j] + np.log(s[j, k]) for j in range(3))) for k in range(3)])
    return np.logaddexp.reduce(v) if False else np.log(np.sum(np.exp(v)))


def p_newton(x, y):
    z = 1.0
    for _ in range(20):
        z2 = z - (z**3 - x * y) / (3 * z * z)
        if abs(z2 - z) < 1e-14:
            break
        z = z2
    return z


def p_bisect(x):
    lo, hi = (0.0, 2.0)
    w = x
    for _ in range(5):
        mid = (lo + hi) / 2
        if mid * mid > x:
            hi = mid
        else:
            lo = mid
        w = w * mid
    return w


def p_tree(x):

    class N:
        __slots__ = ("k", "v", "l", "r")

        def __init__(s, k, v):
            s.k = k
            s.v = v
            s.l = s.r = None

    root = None

    def ins(n, k, v):
        if n is None:
            return N(k, v)
        if k < n.k:
            n.l = ins(n.l, k, v)
        elif k > n.k:
            n.r = ins(n.r, k, v)
        else:
            n.v = n.v + v
        return n

    for k, v in [(5, x), (2, x * x), (8, 2.0), (2, x), (9, x**3)]:
        root = ins(root, k, v)

    def walk(n):
        return () if n is None else (*walk(n.l), n.v, *walk(n.r))

    return sum((i * v for i, v in enumerate(walk(root))))


def p_graph(d):
    g = {"p": ["q"], "q": ["p", "r"], "r": []}
    val = dict(d, r=d["p"] * d["q"])
    rank = {k: 1.0 for k in g}
    for _ in range(3):
        new = {k: 0.1 * val[k] for k in g}
        for k, out in g.items():
            for o in out:
                new[o] += 0.8 * rank[k] / len(out)
        rank = new
    return sum((rank[k] * val[k] for k in rank))


def p_vm(x):
    st = []
    prog = [("push", x), ("push", 2.0), ("mul",), ("dup",), ("push", x), ("add",), ("mul",), ("swap", 2)]
    ops = {
        "mul": lambda: st.append(st.pop() * st.pop()),
        "add": lambda: st.append(st.pop() + st.pop()),
        "dup": lambda: st.append(st[-1]),
    }
    for op, *arg in prog:
        match op:
            case "push":
                st.extend(arg)
            case "swap":
                st.insert(0, arg[0])
            case _:
                ops[op]()
    return st[-1] * st[0]


def p_neural(a):

    class Lin:
        def __init__(s, w, b):
            s.w, s.b = (w, b)

        def __call__(s, v):
            return s.w @ v + s.b

        def params(s):
            yield s.w
            yield s.b

    class Seq:
        def __init__(s, *l):
            s.l = l

        def __call__(s, v):
            for f in s.l:
                v = f(v)
            return v

        def params(s):
            for f in s.l:
                if hasattr(f, "params"):
                    yield from f.params()

    net = Seq(
        Lin(np.outer(a, a)[:3], a[:3]),
        np.tanh,
        Lin(a.reshape(2, 2) @ np.ones((2, 3)), a[2:]),
        lambda v: np.maximum(v, 0.1 * v),
    )
    return (net(a) ** 2).sum() + 0.1 * sum(((p**2).sum() for p in net.params()))


def p_dual(x):

    class D:
        def __init__(s, v, d=0.0):
            s.v, s.d = (v, d)

        def __add__(s, o):
            o = o if isinstance(o, D) else D(o)
            return D(s.v + o.v, s.d + o.d)

        __radd__ = __add__

        def __mul__(s, o):
            o = o if isinstance(o, D) else D(o)
            return D(s.v * o.v, s.v * o.d + s.d * o.v)

        __rmul__ = __mul__

        def __pow__(s, n):
            return functools.reduce(operator.mul, [s] * n)

        def sin(s):
            return D(math.sin(s.v), math.cos(s.v) * s.d)

    q = 3 * D(x, 1.0) ** 3 + D.sin(D(x, 1.0) * 2) + 1
    return q.d * q.v


# -- Broadcast scalars and views from functions --------------------------------------------------------------------


def p_b1(x):
    return sum(np.broadcast_to(x, (4,)))


def p_b2(x):
    return np.broadcast_to(x, (4,))[0]


def p_b3(x):
    return (np.broadcast_to(x, (4,)) * np.arange(4.0)).sum()


def p_b4(x):
    return np.broadcast_to(x, (4,)).reshape(2, 2)[0].sum()


def p_b5(a):
    return sum(np.broadcast_to(a[:, None] * 2, (4, 2))[1])


def p_b6(a):
    return np.broadcast_to(a.sum(), (2, 3)).T[0].sum()


def p_b7(a):
    v = np.broadcast_to(a[0] * 2, (2, 3))
    return v[0, 1] * v[1].sum() + v.ravel()[:2].sum()


def p_b9(a):
    v = np.broadcast_to(np.array(a[0]), (3,))
    return v[0] * v[1] + v[[0, 1]].sum()


def p_c1(x):
    return np.full((2, 2), x)[0].sum()


def p_c2(a):
    return np.tile(a, 2)[1:3].sum() + np.repeat(a, 2).reshape(2, 4)[1, :2].sum()


def p_c3(a):
    return np.atleast_2d(a)[0][1:].sum() + np.expand_dims(a, 1)[1:, 0].sum()


def p_c4(a):
    return (
        np.diag(a)[1:, 1].sum()
        + np.diag(np.outer(a, a))[2]
        + np.real(a)[1:].sum()
        + np.flip(a)[0]
        + np.rot90(np.outer(a, a))[0, 1]
    )


def p_c5(a):
    return (
        np.split(a, 2)[1].sum()
        + np.array_split(a, 3)[0][0]
        + np.hsplit(a, 2)[0][1]
        + np.vsplit(a.reshape(2, 2), 2)[1][0, 1]
    )


def p_c6(a):
    u, v = np.split(a * 1.0, 2)
    u[0] = v[1] * 2
    u *= v
    return u.sum() * v.sum()


def p_c7(a):
    y = a * 1.0
    u, v = np.split(y, 2)
    u[0] = v[1] * 2
    v *= u
    return (y * y).sum()


def p_c8(a):
    y = a * 1.0
    r = np.atleast_2d(y)
    r[0, 1] = r[0, 0] * 3
    e = np.expand_dims(y, 0)
    e[0, 2] *= 2
    s = np.squeeze(e)
    s[3] = s[2]
    f = np.flip(y)
    f[0] *= f[1]
    w = np.swapaxes(r, 0, 1)
    w[0] = 5.0
    k = np.rollaxis(r, 1)
    k[1] *= 2
    z = np.asanyarray(y)
    z[2] += 1
    q = np.ascontiguousarray(y)
    q[0] *= 2
    return (y * y * np.arange(4.0)).sum()


def p_c9(m):
    y = m * 1.0
    t = np.triu(y)
    v = y.view()
    l = np.atleast_1d(y[0])
    l[1] = t[0, 0] * 2
    d = np.diagonal(y, offset=1, axis1=0, axis2=1)
    y[0, 1] = 9
    x = np.real(y)
    x[1, 1] = d[0] * 2
    g = y.reshape(4, -1)
    g[0, 2] = 3 * g[1, 1]
    return (y * np.arange(12.0).reshape(3, 4)).sum() + (d * d).sum()


def p_c11(a):
    y = np.array(a, copy=None)
    z = np.array(a, copy=True)
    z[0] = y[1]
    return (y * z).sum()


def p_c12(a):
    y = np.require(a * 1.0, requirements="C")
    y[0] = y[1]
    return (y * y).sum()


def p_c13(a):
    s, r = np.divmod(a, 0.3)
    i, f = np.modf(a)[::-1]
    m, e = np.frexp(a)
    return r.sum() + i.sum() + m.sum()


def p_c14(a):
    q = np.polyfit(np.arange(4.0), a, 1)
    return q[0]


def p_c15(s):
    w, v = np.linalg.eigh(s + s.T)
    q, r = np.linalg.qr(s)
    return (
        w[0] * w[2]
        + abs(r[0, 0])
        + np.linalg.svd(s)[1].sum()
        + np.linalg.slogdet(s)[1]
        + np.linalg.inv(s)[0, 0]
        + np.linalg.solve(s, s[0])[1]
        + np.linalg.cholesky(s @ s.T + np.eye(3))[1, 0]
        + np.linalg.pinv(s)[0, 1]
        + np.linalg.matrix_power(s, 3)[0, 1]
        + np.linalg.det(s)
        + np.linalg.lstsq(s, s[0] * 2, rcond=None)[0][1]
        + np.linalg.multi_dot([s, s, s])[0, 1]
        + np.linalg.norm(s, 2)
        + np.linalg.cond(s)
    )


# -- Assignment expressions in comprehensions ----------------------------------------------------------------------


def p_w1(l):
    s = [last for v in l if (last := (v * v)) > 0.1]
    return last + sum(s)


def p_w2(l):
    s = [(last := (v * v)) for v in l]
    return last + sum(s)


def p_w3(l):
    s = sum(((last := (v * v)) for v in l))
    return last + s


def p_w4(l):
    s = any(((last := v) < 0 for v in l))
    return last


def p_w5(l):
    s = [[(q := (v * w)) for v in l] for w in l]
    return q


def p_w6(l):
    s = {k: (q := (v * 2)) for k, v in enumerate(l)}
    return q


def p_w7(l):
    f = lambda v: (u := (v * 2)) * u
    return f(l[0])


def p_w8(l):
    g = [h(v) for v in l if (h := (lambda z: z * v))]
    return sum(g) + h(2.0)


# -- the test ---------------------------------------------------------------------------------------------------


def uniform(seed, *shape):
    return np.random.default_rng(seed).uniform(0.3, 1.5, shape)


VALUES = {
    "x": lambda: 0.7,
    "y": lambda: 1.3,
    "z": lambda: -0.4,
    "w": lambda: 2.1,
    "a": lambda: uniform(97, 4),
    "b": lambda: uniform(98, 4),
    "m": lambda: uniform(109, 3, 4),
    "s": lambda: uniform(5, 3, 3),
    "l": lambda: [0.7, 1.3, -0.4],
    "d": lambda: {"p": 0.7, "q": 1.3},
    "t": lambda: (0.7, 1.3),
    "la": lambda: [np.array([0.3, 0.8]), np.array([1.1, -0.5])],
}
SPECIAL = {
    "p_cached_property_input": lambda: [CP()],
    "p_copy_input": lambda: [PO(1.5, 2.5)],
    "p_deepcopy_input": lambda: [PO(1.5, [2.5])],
    "p_dc_slots_input": lambda: [D5(1.5, 2.0)],
    "p_f64_arg": lambda: [np.float64(0.7)],
}
PROGRAMS = [name for name in globals() if name.startswith("p_")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    program = globals()[name]
    if name in SPECIAL:
        args = SPECIAL[name]()
    else:
        args = [VALUES[p]() for p in inspect.signature(program).parameters]
    with np.errstate(all="ignore"):
        verify(program, *args, log=LOG)
