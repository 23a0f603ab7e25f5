"""`test_rrule`: everything a rule promises, checked against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..projection import project
from ..rules import Rule, is_opted_out, rules_for
from ..tangents import NotImplementedTangent, unthunk
from .finite_differences import directional_derivative
from .leaves import copied, inner, is_inexact, leaves, random_tangent, replaced

__all__ = ["call_rule", "find_rule", "test_rrule"]


def find_rule(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Rule, Any, Any]:
    """The first rule for ``f`` that takes these arguments, with its value and pullback.

    Raises:
        AssertionError: where there is none.
    """
    if not is_opted_out(f, args):
        for rule in rules_for(f):
            whole = (f, *args) if rule.instances else args
            if rule.accepts(whole):
                answer = rule.function(*whole, **kwargs)
                if answer is not NotImplemented:
                    return rule, *answer
    raise AssertionError(f"no rule for {_name(f)} takes these arguments")


def call_rule(f: Any, *args: Any, **kwargs: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Value and pullback of ``f``, as an engine would ask for them: one projected cotangent per argument.

    Args:
        f: a function that has a rule.
        args: its arguments.
        kwargs: its keyword arguments.

    >>> y, back = call_rule(np.multiply, 2.0, np.array([1.0, 3.0]))
    >>> back(np.ones(2))
    (4.0, array([2., 2.]))
    """
    _, y, pullback = find_rule(f, args, kwargs)

    def back(y_bar: Any) -> tuple[Any, ...]:
        bars = pullback(y_bar)
        if not isinstance(bars, tuple):
            assert len(args) == 1, f"{_name(f)}: a cotangent that is no tuple, for {len(args)} arguments"
            bars = (bars,)
        assert len(bars) == len(args), f"{_name(f)}: {len(bars)} cotangents for {len(args)} arguments"
        return tuple(_projected(bar, x) for bar, x in zip(bars, args, strict=True))

    return y, back


def _projected(bar: Any, x: Any) -> Any:
    return bar if isinstance(bar, NotImplementedTangent) else project(unthunk(bar), x)


def test_rrule(
    f: Any, *args: Any, rtol: float = 1e-6, atol: float = 1e-8, step: float = 1e-3, seed: int = 0,
    check_complex: bool = False, constant: tuple[int, ...] = (), kwargs: dict[str, Any] | None = None,
    **more: Any,
) -> None:  # fmt: skip
    """Check the rule that ``f`` has for these arguments.

    The value is that of ``f``; there is one cotangent for each positional argument, in its space; each
    agrees with finite differences in a random direction, leaf by leaf; neither the arguments nor the seed
    are changed; the pullback can be called twice. Integers, strings and ``None`` are taken as constants,
    and so is what has a `NotImplementedTangent`.

    Args:
        f: a function that has a rule.
        args: where to check it: numbers, arrays, nested lists of them. Stay away from kinks.
        rtol: relative tolerance of the derivatives. Float32 arguments get at least 1e-3.
        atol: absolute tolerance.
        step: of the finite differences.
        seed: of the random directions.
        check_complex: repeat the check with complex values in place of all float ones.
        constant: positions of arguments for which the rule gives no derivative.
        kwargs: keyword arguments of ``f`` that have the names of parameters here.
        more: further keyword arguments of ``f``.

    Raises:
        AssertionError: names the function, the path of the leaf and both numbers.

    >>> test_rrule(np.hypot, 3.0, np.array([1.0, 2.0]))
    """
    options = {**(kwargs or {}), **more}
    rng = np.random.default_rng(seed)
    name = _name(f)
    if any(_is_single(leaf) for _, leaf in leaves(args)):
        rtol, atol = max(rtol, 1e-3), max(atol, 1e-4)

    given = copied(args)
    with np.errstate(all="ignore"):
        y, back = call_rule(f, *given, **options)
        _check_same(f"{name}: the value", y, _call(f, copied(args), options), rtol=1e-9)
        y_bar = random_tangent(_as_inexact(y), rng)
        kept = copied(y_bar)
        bars = back(y_bar)
        again = back(y_bar)
    _check_same(f"{name}: the seed was changed:", y_bar, kept)
    _check_same(f"{name}: the arguments were changed:", given, args)
    for i, (bar, other) in enumerate(zip(bars, again, strict=True)):
        _check_same(f"{name}: argument {i}: a second call of the pullback", other, bar)

    for i, arg in enumerate(args):
        if i in constant or isinstance(bars[i], NotImplementedTangent):
            continue
        for path, leaf in leaves(arg):
            if is_inexact(leaf) and np.size(leaf):
                direction = random_tangent(leaf, rng)
                got = inner(_at(bars[i], path), direction)
                wanted = _difference(f, args, options, i, path, direction, y_bar, step)
                where = "".join(f"[{p!r}]" for p in path)
                assert np.isclose(got, wanted, rtol=rtol, atol=atol), (
                    f"{name}: argument {i}{where}: the rule says {got!r}, finite differences {wanted!r}"
                )
                _check_space(f"{name}: argument {i}{where}", _at(bars[i], path), leaf)

    if check_complex:
        complex_args = tuple(_complexified(a, rng) for a in args)
        test_rrule(f, *complex_args, rtol=rtol, atol=atol, step=step, seed=seed, constant=constant, kwargs=options)


test_rrule.__test__ = False  # type: ignore[attr-defined]


def _difference(f: Any, args: Any, options: Any, i: int, path: Any, direction: Any, y_bar: Any, step: float) -> float:
    def phi(h: float) -> float:
        moved = [_doubled(copied(a)) for a in args]
        moved[i] = replaced(moved[i], path, lambda leaf: _stepped(leaf, h * _doubled(direction)))
        return inner(_doubled(y_bar), _call(f, tuple(moved), options))

    with np.errstate(all="ignore"):
        return directional_derivative(phi, step)


def _stepped(leaf: Any, step: Any) -> Any:
    return np.add(leaf, step, out=np.empty_like(leaf)) if isinstance(leaf, np.ndarray) else leaf + step


def _call(f: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if callable(f):
        return f(*args, **options)
    return f.__get__(*args, **options)


def _doubled(x: Any) -> Any:
    """Single precision made double, so that differences mean something."""
    if isinstance(x, (list, tuple)):
        values = [_doubled(v) for v in x]
        return x._make(values) if hasattr(x, "_make") else type(x)(values)
    if isinstance(x, (np.ndarray, np.generic)):
        if x.dtype in (np.float32, np.float16):
            return x.astype(np.float64)
        return x.astype(np.complex128) if x.dtype == np.complex64 else x
    return x


def _is_single(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic)) and x.dtype in (np.float32, np.float16, np.complex64)


def _complexified(x: Any, rng: np.random.Generator) -> Any:
    if isinstance(x, (list, tuple)):
        return type(x)(_complexified(v, rng) for v in x)
    if not is_inexact(x) or np.iscomplexobj(x):
        return x
    y = x + 1j * rng.uniform(0.2, 0.8, np.shape(x))
    return y if isinstance(x, np.ndarray) else complex(y)


def _as_inexact(y: Any) -> Any:
    """A value in whose place a float seed may come: integers count as floats."""
    if isinstance(y, (int, np.integer)):
        return float(y)
    return y


def _at(bar: Any, path: Any) -> Any:
    for p in path:
        if bar is None:
            return None
        bar = bar[p]
    return bar


def _check_same(what: str, got: Any, wanted: Any, rtol: float = 0.0) -> None:
    mine, theirs = list(leaves(got)), list(leaves(wanted))
    assert len(mine) == len(theirs), f"{what}: {got!r} is not {wanted!r}"
    for (path, a), (_, b) in zip(mine, theirs, strict=True):
        if isinstance(b, (np.ndarray, np.generic, float, complex, int)):
            where = "".join(f"[{p!r}]" for p in path)
            assert np.shape(a) == np.shape(b), f"{what}{where}: shape {np.shape(a)} is not {np.shape(b)}"
            same = np.allclose(a, b, rtol=rtol, atol=rtol, equal_nan=True)
            assert same, f"{what}{where}: {a!r} is not {b!r}"


def _check_space(what: str, bar: Any, leaf: Any) -> None:
    if not is_inexact(bar):
        return
    assert np.shape(bar) == np.shape(leaf), f"{what}: shape {np.shape(bar)} for a value of shape {np.shape(leaf)}"
    if isinstance(leaf, np.ndarray):
        assert bar.dtype == leaf.dtype, f"{what}: dtype {bar.dtype} for a value of dtype {leaf.dtype}"


def _name(f: Any) -> str:
    return getattr(f, "__qualname__", None) or getattr(f, "__name__", None) or repr(f)
