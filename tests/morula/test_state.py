"""State outside of a function's own variables: globals, modules, classes, functions and what they keep.

What outlives a call is a plain value: a constant for the next one.
"""

# ruff: noqa: B006, B007, B008, B019, B023, C417, E741, RUF043

import contextlib
import functools
import linecache
import math
import sys

import numpy as np
import pytest
from morula_helpers import module_of, verify

import chainrules
import morula
from morula import gradient

TOTAL = 0.0
LST = []
MEMO = {}
ARR = np.zeros(3)
ME = sys.modules[__name__]


# ---------- state
def p_global(x):
    global TOTAL
    TOTAL = x
    TOTAL += x * x
    return TOTAL * x


def helper(v):
    global TOTAL
    TOTAL = TOTAL * v
    return TOTAL


def p_global_callee(x):
    global TOTAL
    TOTAL = x
    y = helper(x)
    return y + TOTAL * helper(2.0)


def reader():
    return TOTAL


def p_global_reader(x):
    global TOTAL
    TOTAL = x * x
    return reader() * 2


def p_global_lambda(x):
    global TOTAL
    TOTAL = x * x
    f = lambda: TOTAL * x
    g = [TOTAL * i for i in range(3)]
    return f() + sum(g)


def p_global_list(x):
    global LST
    LST = [x, 2.0]
    LST.append(x * x)
    return sum(LST) * LST[0]


def p_global_tuple(x):
    global TUP
    TUP = (x, x * x)
    a, b = TUP
    return a * b + TUP[1]


def p_global_array(x):
    global ARR
    ARR = np.array([x, x * x])
    ARR[0] = x**3
    return ARR.sum() * ARR[1]


def p_global_obj(x):
    global OBJ

    class A:
        pass

    OBJ = A()
    OBJ.v = x
    OBJ.v *= x
    return OBJ.v


def p_global_del(x):
    global TMP
    TMP = x * x
    r = TMP * 2
    del TMP
    return r + float("TMP" in globals())


def p_globals_dict(x):
    globals()["GG"] = x * x
    return GG * x  # noqa: F821


def p_module_attr(x):
    ME.MV = x * x
    r = ME.MV * x
    ME.MV = x
    return r + ME.MV + MV  # noqa: F821


def p_vars_module(x):
    vars(ME)["VV"] = x
    return VV * 2 + ME.VV  # noqa: F821


def p_module_state(x):
    MEMO.clear()

    def f(n):
        if n not in MEMO:
            MEMO[n] = x if n < 2 else f(n - 1) * x + f(n - 2)
        return MEMO[n]

    return f(6)


def p_module_memo_kept(x):
    # memo keyed by n only; second call must see constants
    MEMO2.setdefault("k", x * 2)
    return x * 3.0


MEMO2 = {}


def p_global_for(x):
    global I
    s = 0.0
    for I in [x, x * x]:
        s += I * x
    return s + I


def p_global_with(x):
    global W
    with contextlib.nullcontext(x * x) as W:
        pass
    return W


def p_global_except(x):
    global EX
    try:
        raise ValueError(x)
    except ValueError as EX:
        r = EX.args[0] * 2
    return r


def p_global_aug_arr(x):
    global ARR
    ARR = np.zeros(3)
    ARR += x
    ARR[1] *= x
    return ARR.sum()


def p_global_import(x):
    global mm
    import math as mm

    return mm.sin(x)


def p_global_def(x):
    global ff

    def ff(v):
        return v * x

    return ff(x)


def p_global_class(x):
    global KK

    class KK:
        def f(self):
            return x * 2

    return KK().f()


def p_global_walrus(x):
    global WW
    if (WW := x * x) > 0:
        return WW * 2
    return x


def p_global_unpack(x):
    global A1, B1
    A1, (B1, *C1) = x, (x * x, 1.0, x)
    return A1 * B1 + sum(C1)


def p_global_gen(x):
    global TOTAL
    TOTAL = x

    def g():
        global TOTAL
        for i in range(3):
            TOTAL = TOTAL * x
            yield TOTAL

    return sum(g()) + TOTAL


def p_global_exc(x):
    global TOTAL
    TOTAL = x
    try:
        TOTAL = x * x
        raise ValueError
    except ValueError:
        TOTAL = TOTAL * 2
    finally:
        TOTAL = TOTAL + x
    return TOTAL


def p_global_class_body(x):
    global TOTAL
    TOTAL = x

    class A:
        k = TOTAL * 2

        def f(self):
            global TOTAL
            TOTAL = self.k * TOTAL
            return TOTAL

    return A().f() + TOTAL


def p_global_default(x):
    global TOTAL
    TOTAL = x * x

    def f(a=TOTAL):
        return a * 2

    g = lambda a=TOTAL: a
    return f() + g()


def p_global_thread_of_calls(x):
    global TOTAL
    TOTAL = 0.0
    for i in range(5):
        step(x, i)
    return TOTAL


def step(x, i):
    global TOTAL
    if i % 2:
        TOTAL = TOTAL + x * i
    else:
        TOTAL = TOTAL * x + 1.0


def p_global_comp(x):
    global TOTAL
    TOTAL = x
    return (
        sum(TOTAL * i for i in range(4))
        + max(map(lambda v: v * TOTAL, [1.0, 2.0]))
        + sorted([1.0, 2.0], key=lambda v: -v * TOTAL)[0] * x
    )


def p_nonlocal(x):
    t = 0.0
    n = 0

    def add(v):
        nonlocal t, n
        t += v
        n += 1

        def inner():
            nonlocal t
            t = t * x

        inner()
        return t

    add(x)
    add(x * x)
    return t * n


def p_late(x):
    fs = [lambda v: v * k * x for k in range(3)]
    gs = []
    for k in [x, x * x]:
        gs.append(lambda v: v * k)
    hs = [lambda v, k=k: v * k for k in [x, x * x]]
    y = sum(f(x) for f in fs) + sum(g(2.0) for g in gs) + sum(h(3.0) for h in hs)
    k = 5.0
    return y + gs[0](x)


def p_cell_rebinding(x):
    def f():
        return y * x

    y = x
    r = f()
    y = x * x
    r += f()
    del y
    try:
        f()
    except NameError:
        r += x
    y = 3.0
    return r + f()


def p_func_attr(x):
    def f(v):
        f.n += 1
        f.last = v * x
        return f.last

    f.n = 0
    f.last = x
    return f(x) + f(2.0) * f.last + f.n


def fmod(v):
    fmod.acc = fmod.acc + v
    return fmod.acc


fmod.acc = 0.0


def p_func_attr_module(x):
    fmod.acc = 0.0
    fmod(x)
    fmod(x * x)
    return fmod.acc * x


def p_default_mut(x):
    def f(v, acc=[]):
        acc.append(v)
        return sum(acc)

    return f(x) + f(x * x)


def p_default_arr(x):
    def f(v, w=np.array([x, 2.0]), *, k=x):
        return (w * v).sum() * k

    return f(x) + f(2.0, k=1.0)


def dmod(v, acc={"t": 0.0}):
    acc["t"] = acc["t"] * 0 + v
    return acc["t"]


def p_default_mod(x):
    return dmod(x) * dmod(x * x)


def p_import_from(x):
    ME.IMP = x * x
    from test_state import IMP as q

    return q * x


def p_mod_getattr(x):
    ME.IMP = x
    return ME.dynamic_thing * x


def __getattr__(n):
    if n == "dynamic_thing":
        return IMP * 3  # noqa: F821
    raise AttributeError(n)


def p_cache_a(x):
    return functools.lru_cache(lambda: x * 2)() + x


def p_cache_b(x):
    @functools.cache
    def f(n):
        return x * n

    r = f(2) + f(2)
    f.cache_clear()
    return r + f(3)


def p_cache_c(x):
    @functools.lru_cache
    def f(n):
        return x * n

    return sum(map(f, [1, 2, 1])) + f.__wrapped__(2)


class K:
    @functools.lru_cache
    def m(self, n):
        return self.v * n


def p_cache_d(x):
    k = K()
    k.v = x
    return k.m(2) + K.m(k, 3)


def p_cache_e(x):
    @functools.wraps(p_cache_a)
    @functools.cache
    def f(v):
        return v * v

    return f(x) + f(x)


def p_cache_f(x):
    @functools.cache
    def f(v):
        return v * v

    y = 0.7
    z = x * 1.0
    return f(x) + 3 * f(y) + 5 * f(z) + f(x)


def p_cache_g(x):
    n = []

    @functools.lru_cache(maxsize=2)
    def f(k):
        n.append(k)
        return x * k

    t = f(1) + f(2) + f(1) + f(3) + f(1) + f(2) + f(2)
    return t + len(n)


PROGRAMS = [f for name, f in list(globals().items()) if name.startswith("p_")]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__[2:])
def test_program(f):
    verify(f, 0.7)


def test_what_outlives_the_call_is_a_constant():
    namespace = module_of(
        """
total = 1.0
memo = {}
class Meter:
    level = 0.0
def write(x):
    global total
    total = x * x
    memo["k"] = [x]
    Meter.level = x * 3
    return total * memo["k"][0] * Meter.level
def read(x):
    return x * total + memo["k"][0] + Meter.level
""",
        "outlives",
    )
    assert gradient(namespace.write, 2.0) == (96.0,)
    assert (namespace.total, namespace.memo, namespace.Meter.level) == (4.0, {"k": [2.0]}, 6.0)
    assert type(namespace.total) is float
    assert gradient(namespace.read, 3.0) == (4.0,)
    assert namespace.read(3.0) == 20.0


def test_a_pullback_keeps_the_state_that_it_read():
    namespace = module_of(
        """
scale = 2.0
def f(x):
    global scale
    scale = scale * x
    return scale * x
""",
        "kept_state",
    )
    y, back = morula.pullback(namespace.f, 3.0)
    namespace.scale = 100.0
    assert (y, back(1.0), back(1.0)) == (18.0, (12.0,), (12.0,))
    assert namespace.scale == 100.0
    assert gradient(namespace.f, 0.5) == (100.0,)


CELLS = (
    "def read(x):\n    return level * x\n",
    "def write(x, read):\n    global level\n    level = x * x\n    return read(x)\n",
)


def cells(name):
    """Two notebook cells: functions of one namespace, in sources that do not know of each other."""
    first = module_of(CELLS[0], f"{name}_1", level=1.0)
    linecache.cache[f"<{name}_2>"] = (len(CELLS[1]), None, CELLS[1].splitlines(keepends=True), f"<{name}_2>")
    exec(compile(CELLS[1], f"<{name}_2>", "exec"), vars(first))
    return first


def test_cells_of_a_notebook():
    fresh = cells("in_order")
    assert gradient(fresh.write, 2.0, read=fresh.read) == (12.0,)

    known = cells("read_before")
    assert gradient(known.read, 2.0) == (1.0,)
    assert gradient(known.write, 2.0, read=known.read) == (12.0,)
    assert gradient(known.read, 2.0) == (4.0,)

    late = cells("read_in_the_run")

    def both(x):
        return late.read(x) + late.write(x, late.read)

    late.level = 1.0
    with pytest.raises(morula.NotDifferentiable, match=r"'level'.*Call again"):
        gradient(both, 2.0)
    late.level = 1.0
    assert gradient(both, 2.0) == (13.0,)


def test_names_that_nothing_announced():
    def indirectly(x):
        namespace = vars(sys.modules[__name__])
        for name in ("SECRET",):
            namespace[name] = x * x
        return SECRET * x  # noqa: F821

    with pytest.raises(morula.NotDifferentiable, match=r"'SECRET'.*Call again"):
        gradient(indirectly, 2.0)
    assert gradient(indirectly, 2.0) == (12.0,)


def test_constants_of_libraries_stay_constants():
    def f(x):
        math.tau = x
        return math.tau * x

    tau = math.tau
    try:
        with pytest.raises(morula.NotDifferentiable, match="'tau'"):
            gradient(f, 2.0)
    finally:
        math.tau = tau


def test_state_that_hidden_code_reads():
    namespace = {"level": 1.0}
    exec("def hidden():\n    match 1:\n        case [2]: pass\n    return level\n", namespace)
    hidden = namespace["hidden"]

    def f(x):
        hidden.__globals__["level"] = x * x
        return hidden() * x

    def inactive(x):
        hidden.__globals__["level"] = 3.0
        return hidden() * x

    with pytest.raises(morula.SourceNotFound, match="hidden"):
        gradient(f, 2.0)
    assert gradient(inactive, 2.0) == (3.0,)


def test_values_that_hidden_code_put_in_are_constants():
    namespace = module_of(
        """
level = 1.0
def f(x, spoil):
    global level
    level = x * x
    spoil()
    return level * x
""",
        "spoiled",
    )

    def spoil():
        namespace.level = 5.0

    chainrules.non_differentiable(spoil)
    assert gradient(namespace.f, 2.0, spoil=spoil) == (5.0,)


def test_checkpoint_does_not_see_active_state():
    def f(x):
        global TOTAL
        TOTAL = x * x
        return morula.checkpoint(lambda v: v * TOTAL, x)

    with pytest.raises(morula.NotDifferentiable, match="TOTAL|state|global"):
        gradient(f, 2.0)


def test_reads_of_other_globals_stay_plain():
    text = morula.code_adjoint(p_global_import)
    assert "global_shadow('np'" not in text
    namespace = module_of("k = 2.0\ndef f(x):\n    return x * k\n", "plain_read")
    assert "global_shadow" not in morula.code_adjoint(namespace.f)
