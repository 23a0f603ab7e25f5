"""Checks of the rules for whole-array functions: each against differences of the function and against the library."""

import contextlib
import warnings

import numpy as np

from chainrules.testing.calling import call_rule
from extent import EVERYTHING
from morula.static.numba.array_rules import RULES


def is_leaf(x):
    return isinstance(x, (float, complex, np.inexact)) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc")


def mapped(f, x, *others):
    """``f`` on the float leaves of nested tuples; anything else becomes ``None``."""
    if isinstance(x, (tuple, list)):
        return tuple([mapped(f, *parts) for parts in zip(x, *others, strict=True)])
    return f(x, *others) if is_leaf(x) else None


def leaves(x):
    if isinstance(x, (tuple, list)):
        return [leaf for part in x for leaf in leaves(part)]
    return [] if x is None else [x]


def inner(a, b):
    total = 0.0
    for x, y in zip(leaves(a), leaves(b), strict=True):
        x, y = np.asarray(x, complex), np.asarray(y, complex)
        total += float(np.real(np.sum(np.conj(x) * y)))
    return total


def drawn(rng, x, strided=False):
    """A random value like ``x``; arrays are every other element of larger ones if ``strided``."""

    def one(x):
        shape = np.shape(x)
        wide = (*shape[:-1], 2 * shape[-1]) if strided and shape else shape
        v = rng.standard_normal(wide)
        if np.iscomplexobj(x):
            v = v + 1j * rng.standard_normal(wide)
        if not isinstance(x, np.ndarray):
            return type(x)(v)
        v = np.asarray(v, x.dtype)
        return v[..., ::2] if strided and shape else v

    return mapped(one, x)


def strided(x):
    """The same numbers, lying apart."""
    if isinstance(x, tuple):
        return tuple([strided(v) for v in x])
    if not isinstance(x, np.ndarray) or x.ndim == 0:
        return x
    wide = np.empty((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    return wide[..., ::2]


def nothing(x):
    return np.zeros_like(x) if isinstance(x, np.ndarray) else type(x)(0)


def bound(rule, args):
    """All parameters, by position."""
    return tuple(args) + tuple([rule.defaults[name] for name in rule.parameters[len(args) :]])


def active(rule, args, wrt, given):
    """The names of the given arguments that have a derivative."""
    names = rule.differentiable if wrt is None else wrt
    names = [n for n in names if n in rule.parameters[:given]]
    values = dict(zip(rule.parameters, args, strict=True))
    return [n for n in names if leaves(mapped(lambda v: v, values[n]))]


def adjoint(rule, y, y_bar, args, names, start=None, call=None):
    """The cotangents, by name, that the adjoint adds to ``start``."""
    values = dict(zip(rule.parameters, args, strict=True))
    start = {n: mapped(nothing, values[n]) for n in names} if start is None else start
    bars = {n: mapped(lambda v: v.copy("K") if isinstance(v, np.ndarray) else 0.0, start[n]) for n in names}
    returned = (call or rule.adjoint)(y, y_bar, *args, *[bars.get(n) for n in rule.differentiable])
    assert returned is None or len(returned) == len(rule.numbers)
    numbers = dict(zip(rule.numbers, returned or (), strict=True))

    def added(bar, before, number):
        return bar - before if isinstance(bar, np.ndarray) else number

    found = {}
    for n in names:
        whole = numbers.get(n, 0.0)
        split = whole if isinstance(values[n], (tuple, list)) and isinstance(whole, tuple) else None
        if isinstance(values[n], (tuple, list)):
            split = split or (0.0,) * len(values[n])
            found[n] = tuple(
                [None if b is None else added(b, s, v) for b, s, v in zip(bars[n], start[n], split, strict=True)]
            )
        else:
            found[n] = added(bars[n], start[n], whole)
    return found


def holds_arrays(x):
    return isinstance(x, np.ndarray) or (isinstance(x, tuple) and any(holds_arrays(v) for v in x))


def difference(f, args, dots, step):
    def at(t):
        moved = [a if d is None else _moved(a, d, t) for a, d in zip(args, dots, strict=True)]
        return f(*moved)

    points = [at(k * step) for k in (-2, -1, 1, 2)]
    return mapped(lambda a, b, c, d: (8 * (c - b) - (d - a)) / (12 * step), *points)


def _moved(a, d, t):
    if isinstance(a, (tuple, list)):
        return type(a)([v if e is None else _moved(v, e, t) for v, e in zip(a, d, strict=True)])
    return a + t * d


def near(a, b, tol, what):
    a, b = leaves(a), leaves(b)
    assert len(a) == len(b), what
    for x, y in zip(a, b, strict=True):
        np.testing.assert_allclose(x, y, rtol=tol, atol=tol, err_msg=what)


def double(x):
    return mapped_all(lambda v: v.astype(np.result_type(v, np.float64)) if isinstance(v, np.ndarray) else v, x)


def mapped_all(f, x):
    if isinstance(x, (tuple, list)):
        return type(x)([mapped_all(f, v) for v in x])
    return f(x) if is_leaf(x) else x


def check(primal, *args, wrt=None, smooth=True, library=True, tol=None, step=1e-3, y_of=None, dual=True):
    """The rule in plain Python, with each argument active alone and all together.

    Args:
        primal: the NumPy function.
        args: its arguments, by position.
        wrt: the names that are active.
        smooth: whether differences can be taken here.
        library: whether to compare with the library's rule; or the function whose rule it is.
        tol: relative and absolute.
        step: of the differences.
        y_of: the function as Numba has it, where NumPy's is another one.
        dual: whether the tangent can be compared.
    """
    rng = np.random.default_rng(7)
    rule = RULES[primal]
    given = args
    args = bound(rule, args)
    f = y_of or (lambda *args: primal(*args[: len(given)]))
    single = any(np.asarray(v).dtype.char in "fF" for v in leaves(mapped(lambda v: v, args)))
    tol = tol or (2e-4 if single else 2e-7)
    with np.errstate(all="ignore"):
        y = f(*args)
        every = active(rule, args, wrt, len(given))
        assert every, "nothing to differentiate"
        for names in [every] + [[n] for n in every if len(every) > 1]:
            _check_one(rng, rule, f, y, args, names, smooth, tol, step, dual)
        if library:
            y_bar = drawn(rng, y)
            back = call_rule(primal if library is True else library, *given)[1]
            expected = dict(zip(rule.parameters, back(y_bar), strict=False))
            found = adjoint(rule, y, y_bar, args, every)
            for n in every:
                near(found[n], mapped_bar(expected[n], found[n]), tol, f"{n}: the library's rule")


def mapped_bar(bar, like):
    if isinstance(like, tuple):
        return tuple([mapped_bar(b, v) for b, v in zip(bar, like, strict=True) if v is not None])
    return np.zeros(np.shape(like)) if bar is None else bar


def _check_one(rng, rule, f, y, args, names, smooth, tol, step, dual):
    values = dict(zip(rule.parameters, args, strict=True))
    y_bar = drawn(rng, y, strided=True)
    kept = mapped(np.copy, y_bar)
    kept_args = mapped(np.copy, args)
    start = {n: drawn(rng, values[n], strided=True) for n in names}
    bars = adjoint(rule, y, y_bar, args, names, start)
    near(y_bar, kept, 0, "the seed was changed")
    near(mapped(lambda v: v, args), kept_args, 0, "an argument was changed")
    near(
        [bars[n] for n in names],
        [adjoint(rule, y, mapped(np.array, y_bar), args, names)[n] for n in names],
        tol,
        "what is added depends on what is there",
    )
    for n, bar in bars.items():
        for b, v in zip(leaves(bar), leaves(mapped(lambda v: v, values[n])), strict=True):
            assert np.iscomplexobj(v) or not np.iscomplexobj(b), f"{n} is real"

    unread = [
        mapped_all(_spoilt, v) if n not in rule.reads and n in rule.differentiable else v for n, v in values.items()
    ]
    spoilt_y = y if "y" in rule.reads else mapped(_spoilt, y)
    blind = adjoint(rule, spoilt_y, y_bar, unread, names, start)
    near([bars[n] for n in names], [blind[n] for n in names], tol, "the adjoint reads more than it says")

    if not dual:
        return
    dots = {n: drawn(rng, values[n]) for n in names}
    all_dots = [dots.get(n) for n in rule.differentiable]
    y_dot = rule.tangent(y, *args, *all_dots)
    assert [np.shape(v) for v in leaves(y_dot)] == [np.shape(v) for v in leaves(mapped(lambda v: v, y))]
    dual = inner(y_bar, y_dot), inner([bars[n] for n in names], [dots[n] for n in names])
    scale = max(1.0, abs(dual[0]))
    assert abs(dual[0] - dual[1]) <= 10 * tol * scale or (np.isnan(dual[0]) and np.isnan(dual[1])), f"duality {dual}"
    if smooth:
        by_parameter = [double(dots.get(n)) for n in rule.parameters]
        expected = difference(f, double(args), by_parameter, step)
        near(y_dot, expected, max(tol, 1e-6), "differences")
    if rule.linear and len(names) == len(active(rule, args, None, len(args))):
        same = rule.tangent(y, *args, *[values[n] if n in names else None for n in rule.differentiable])
        near(same, mapped(lambda v: v, y), tol, "it is linear")


def _spoilt(x):
    return np.full_like(x, np.nan) if isinstance(x, np.ndarray) else type(x)(np.nan)


def often(cases, count):
    """Those that are compiled in every run: all of them take minutes."""
    return cases if EVERYTHING else cases[: (count + 2) // 3]


def name_of_case(case):
    f, args = case
    return f"{f.__name__}-" + "-".join([f"{a.dtype}{a.shape}" for a in leaves(args) if isinstance(a, np.ndarray)])


@contextlib.contextmanager
def unoptimised(numba):
    """Numba without LLVM's optimisations: what is tested is what it compiles to, not how fast that is."""
    before = numba.config.OPT
    numba.config.OPT = numba.core.config._OptLevel(0)
    try:
        yield
    finally:
        numba.config.OPT = before


def check_compiled(primal, *args, wrt=None, tol=None, y_of=None):
    """The rule compiled by Numba beside the same in Python, the value beside that of the compiled function.

    Arguments that are no floats stand in the compiled callers as constants, as in generated code.
    """
    import numba

    rng = np.random.default_rng(8)
    rule = RULES[primal]
    given = args
    args = bound(rule, args)
    names = active(rule, args, wrt, len(given))
    single = any(np.asarray(v).dtype.char in "fF" for v in leaves(mapped(lambda v: v, args)))
    tol = tol or (2e-4 if single else 1e-8)
    slots = [f"x{i}" if holds_arrays(a) or leaves(mapped(lambda v: v, a)) else repr(a) for i, a in enumerate(args)]
    held = [s for s in slots if s.startswith("x")]
    numbers = [a for a, s in zip(args, slots, strict=True) if s.startswith("x")]

    reference = y_of.py_func if hasattr(y_of, "py_func") else y_of or primal
    y = reference(*given)
    bars = [f"{n}_bar" if n in names else "None" for n in rule.differentiable]
    dots = [f"{n}_dot" if n in names else "None" for n in rule.differentiable]
    held += ["y_bar", *[b for b in bars + dots if b != "None"]]
    # One function for all three: what is compiled is what the tests take their time for.
    text = f"""def caller({", ".join(held)}):
        y = primal({", ".join(slots[: len(given)])})
        numbers = adjoint(y, y_bar, {", ".join([*slots, *bars])})
        return y, numbers, tangent(y, {", ".join([*slots, *dots])})"""
    scope = {"primal": y_of or primal, "adjoint": numba.njit(rule.adjoint), "tangent": numba.njit(rule.tangent)}
    exec(text, scope)
    caller = numba.njit(scope["caller"])

    values = dict(zip(rule.parameters, args, strict=True))
    y_bar = drawn(rng, y, strided=True)
    x_dot = {n: drawn(rng, values[n]) for n in names}
    start = {n: drawn(rng, values[n], strided=True) for n in names}
    results = []

    def call(y, g, *rest):
        live = [b for b in rest[len(args) :] if b is not None]
        results.append(caller(*numbers, y_bar, *live, *[x_dot[n] for n in names]))
        return results[0][1]

    with warnings.catch_warnings(), np.errstate(all="ignore"), unoptimised(numba):
        warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
        found = adjoint(rule, y, y_bar, args, names, start, call)
        compiled_y, _, y_dot = results[0]
        near(mapped(lambda v: v, compiled_y), mapped(lambda v: v, y), tol, "Numba's value is not NumPy's")
        expected = adjoint(rule, y, y_bar, args, names, start)
        near([found[n] for n in names], [expected[n] for n in names], tol, "compiled beside Python")
        expected = rule.tangent(y, *args, *[x_dot.get(n) for n in rule.differentiable])
        near(y_dot, expected, tol, "compiled tangent")
        if not single:
            moving = [x_dot.get(n) for n, s in zip(rule.parameters, slots, strict=True) if s.startswith("x")]
            rest = [y_bar, *[start[n] for n in names], *[x_dot[n] for n in names]]
            expected = difference(lambda *moved: caller(*moved, *rest)[0], numbers, moving, 1e-4)
            near(y_dot, expected, 1e-5, "differences of the compiled function")
    for v, d in zip(leaves(mapped(lambda v: v, compiled_y)), leaves(y_dot), strict=True):
        assert np.iscomplexobj(v) or not np.iscomplexobj(d)
        assert not isinstance(v, np.ndarray) or v.dtype == d.dtype
