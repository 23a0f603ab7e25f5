"""`test_frule`: everything a forward rule promises, checked."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np

from ..lookup import candidates
from ..rules import Rule
from ..tangents import NoTangent, NotImplementedDerivative, NotImplementedTangent, ZeroTangent
from .calling import find_call, name_of, plain_call, where_from
from .comparing import Tolerance, Unjudged, check_same, told_where
from .contracts import assert_close, is_single, parts, seed_for
from .difference_config import FiniteDifferenceConfig, flattened, stepped, tangent_like
from .finite_differences import derivatives
from .forward_second_order import check_forward_second_order
from .layouts import frozen
from .leaves import (
    at,
    complexified,
    copied,
    doubled,
    inner,
    is_absent,
    is_inexact,
    leaves,
    path_text,
    random_tangent,
    settled,
)

__all__ = ["call_frule", "test_frule"]


def call_frule(f: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...], config: Any = None, **kwargs: Any) -> Any:
    """Value and tangent by the first forward rule that takes these arguments.

    Args:
        f: what has a forward rule.
        primals: its positional arguments.
        tangents: one for each of them, absent where it is a constant.
        config: the engine, for rules that need one; without it, finite differences.
        kwargs: keyword arguments of ``f``.

    Raises:
        AssertionError: where no rule takes the arguments.

    >>> call_frule(np.multiply, (2.0, 3.0), (1.0, None))
    (np.float64(6.0), 3.0)
    """
    _, y, y_dot = _called(f, primals, tangents, kwargs, config)
    return y, y_dot


def _called(f: Any, primals: Any, tangents: Any, kwargs: dict[str, Any], config: Any) -> tuple[Rule, Any, Any]:
    config = FiniteDifferenceConfig() if config is None else config
    for rule in candidates(f, primals, config, forward=True):
        given = (config,) if rule.needs else ()
        whole = ((f, *primals), (NoTangent(), *tangents)) if rule.instances else (primals, tangents)
        answer = rule.function(*given, *whole, **kwargs)
        if answer is not NotImplemented:
            if not (isinstance(answer, tuple) and len(answer) == 2):
                raise AssertionError(
                    f"{name_of(f)}: the forward rule must return a value and a tangent, not {answer!r}"
                )
            y, y_dot = answer
            return rule, settled(y), settled(y_dot)
    raise AssertionError(f"no forward rule for {name_of(f)} takes these arguments")


def test_frule(
    f: Any, *args: Any, tangents: tuple[Any, ...] | None = None, rtol: float = 1e-6, atol: float = 1e-8,
    step: float = 1e-2, seed: int = 0, check_complex: bool = False, constant: tuple[int, ...] = (),
    kwargs: dict[str, Any] | None = None, config: Any = None, order: int = 1, **more: Any,
) -> None:  # fmt: skip
    """Check the forward rule that ``f`` has for these arguments.

    - The value is that of ``f``, and the tangent has its structure, shapes, and finite differences.
    - Each argument alone may have a tangent; ``None``, `NoTangent` and `ZeroTangent` for the others are the same as
      zeros, and without any the tangent is absent or zero.
    - The tangent is linear in those of the arguments, and nothing that the rule was given is changed.
    - A rule that can give the tangent alone gives the same one.
    - Where there is a reverse rule too, both are one linear map: ``<y_bar, y_dot> == <x_bar, x_dot>``.

    Args:
        f: a function that has a forward rule.
        args: where to check it. Stay away from kinks.
        tangents: one for each argument; random ones without it.
        rtol: relative tolerance of the derivatives. Float32 arguments get at least 1e-3, float16 5e-2.
        atol: absolute tolerance.
        step: the first of the finite differences' steps.
        seed: of the random directions.
        check_complex: repeat the check with complex values in place of all float ones.
        constant: positions of arguments that get no tangent.
        kwargs: keyword arguments of ``f`` that have the names of parameters here.
        config: the engine for rules that need one; without it, finite differences.
        order: 2 differentiates the rule's own code by ``config``, and compares with differences of value and tangent.
        more: further keyword arguments of ``f``.

    Raises:
        AssertionError: names the function, the path of the leaf, both numbers, the rule's file and line, and the seed.

    >>> test_frule(np.hypot, 3.0, np.array([1.0, 2.0]))
    """
    options = {**(kwargs or {}), **more}
    if order not in (1, 2) or (order == 2 and config is None):
        raise ValueError("order is 1 or 2, and 2 needs the config of an engine that differentiates the rule")
    rng = np.random.default_rng(seed)
    tolerance = Tolerance(rtol, atol, step).allowing_for(args)
    if tangents is None:
        drawn = tuple(random_tangent(x, rng) for x in args)
        tangents = tuple(None if i in constant else t for i, t in enumerate(drawn))
    if len(tangents) != len(args):
        raise ValueError(f"{len(tangents)} tangents for {len(args)} arguments")
    with np.errstate(all="ignore"), told_where(f, args, options, seed) as context:
        given, dots = copied(args), copied(tangents)
        rule, y, y_dot = _called(f, given, dots, options, config)
        context["rule"] = where_from(rule)
        wanted = settled(plain_call(f, copied(args), options))
        check_same("the value", y, wanted, rtol=1e-9)
        if frozen(given) != frozen(args):
            raise AssertionError("the arguments were changed by the rule")
        if frozen(dots) != frozen(tangents):
            raise AssertionError("the tangents were changed by the rule")
        _check_tangent(f, args, tangents, options, y, y_dot, tolerance)
        _check_alone(rule, f, args, tangents, options, y, y_dot)
        _check_absent(f, args, tangents, options, config, is_single(args))
        _check_linear(f, args, tangents, y_dot, options, config, rng, is_single(args))
        _check_reverse(f, args, tangents, y_dot, options, config, rng, tolerance)

    for alone in (False, True) if order == 2 else ():
        check_forward_second_order(
            f, args, options, config, alone=alone, constant=constant, rtol=rtol, atol=atol, step=step, seed=seed
        )
    if check_complex:
        test_frule(
            f, *(complexified(a, rng) for a in args), rtol=rtol, atol=atol, step=step, seed=seed, constant=constant,
            kwargs=options, config=config, order=order,
        )  # fmt: skip


test_frule.__test__ = False  # type: ignore[attr-defined]


def _check_tangent(f: Any, args: Any, tangents: Any, options: Any, y: Any, y_dot: Any, tolerance: Tolerance) -> None:
    """The tangent is the derivative of the value along those of the arguments."""
    if isinstance(y_dot, NotImplementedTangent):
        return
    start, wide = doubled(args), doubled(tangents)

    def phi(h: float) -> np.ndarray:
        moved = tuple(stepped(x, x_dot, h) for x, x_dot in zip(copied(start), wide, strict=True))
        found = flattened(settled(plain_call(f, moved, options)))
        if found.shape != there_now:
            raise ValueError(f"the value is of another size at a distance of {h}")
        return found

    there_now = flattened(doubled(y)).shape
    values, error = derivatives(phi, tolerance.step)
    for path, expected in leaves(tangent_like(doubled(y), values)):
        try:
            where, mine, there = f"the tangent{path_text(path)}", at(y_dot, path), at(y, path)
        except NotImplementedDerivative:
            continue
        if not is_inexact(expected):
            if is_inexact(mine) and np.any(mine) and not is_exact(there):
                raise AssertionError(f"{where} belongs to {there!r}, which cannot vary, and is {mine!r}")
            continue
        if is_absent(mine):
            mine = np.zeros(np.shape(expected))
        if np.shape(mine) != np.shape(there):
            raise AssertionError(f"{where}: shape {np.shape(mine)} for a value of shape {np.shape(there)}")
        if isinstance(there, np.ndarray) and is_inexact(there) and is_inexact(mine) and hasattr(mine, "dtype"):
            if np.result_type(mine, there) != there.dtype:
                raise AssertionError(f"{where}: dtype {mine.dtype} for a value of dtype {there.dtype}")
        off = np.abs(np.subtract(mine, expected))
        if not np.any(off):
            continue
        allowed = tolerance.atol + tolerance.rtol * float(np.max(np.abs(expected)))
        worst = np.unravel_index(np.argmax(np.where(np.isnan(off), np.inf, off)), off.shape)
        where += "".join(f"[{k}]" for k in worst)
        told = f"the rule says {mine[worst] if worst else mine!r}, finite differences "
        told += f"{expected[worst] if worst else expected!r} ± {error:.1g}"
        if error > allowed and not off[worst] > allowed + 10 * error:
            raise Unjudged(f"{where}: finite differences are too noisy to judge: {told}")
        if not off[worst] <= allowed + error:
            raise AssertionError(f"{where}: {told}")


def is_exact(x: Any) -> bool:
    """Whether a value is a number of a kind of its own, a fraction or a decimal number, say.

    >>> is_exact(1.0), is_exact(1)
    (False, False)
    """
    return isinstance(x, Number) and not isinstance(x, (int, float, complex, np.number))


def _check_alone(rule: Rule, f: Any, args: Any, tangents: Any, options: Any, y: Any, y_dot: Any) -> None:
    """The rule's ``tangent``, which is given the value, says what the whole rule does."""
    if rule.tangent is None:
        return
    whole = ((f, *args), (None, *tangents)) if rule.instances else (args, tangents)
    got = settled(rule.tangent(copied(y), *copied(whole), options))
    if got is NotImplemented:
        raise AssertionError("the rule's tangent declines what the whole rule takes")
    if is_absent(got) != is_absent(y_dot):
        raise AssertionError(f"the rule's tangent, given the value, is {got!r}, that of the whole rule {y_dot!r}")
    assert_close([got], [y_dot], is_single(args), "the rule's tangent, given the value, and that of the whole rule")


def _check_absent(f: Any, args: Any, tangents: Any, options: Any, config: Any, single: bool) -> None:
    """An absent tangent is a zero, however it is written; each argument alone may have one."""
    active = [i for i, t in enumerate(tangents) if not is_absent(t)]
    zeros = tuple(None if is_absent(t) else stepped(t, t, -1.0) for t in tangents)
    for alone in [*active, None] if len(active) > 1 else [None]:
        given = tuple(tangents[i] if i == alone else z for i, z in enumerate(zeros))
        _, _, wanted = _called(f, copied(args), copied(given), options, config)
        for absent in (None, NoTangent(), ZeroTangent()):
            some = tuple(tangents[i] if i == alone else absent for i in range(len(args)))
            try:
                _, _, got = _called(f, copied(args), copied(some), options, config)
            except (TypeError, AttributeError, ValueError) as error:
                raise AssertionError(
                    f"the tangents {some!r} make the rule fail: {type(error).__name__}: {error}"
                ) from error
            assert_close([got], [wanted], single, f"with the tangents {some!r}, where zeros give the latter")


def _check_linear(
    f: Any, args: Any, tangents: Any, y_dot: Any, options: Any, config: Any, rng: Any, single: bool
) -> None:
    other = tuple(None if is_absent(t) else random_tangent(t, rng) for t in tangents)
    both_dots = zip(tangents, other, strict=True)
    total = tuple(None if is_absent(t) else stepped(stepped(t, t, 1.0), o, 3.0) for t, o in both_dots)
    _, _, second = _called(f, copied(args), copied(other), options, config)
    _, _, both = _called(f, copied(args), copied(total), options, config)
    mine, theirs, sums = parts(y_dot), parts(second), parts(both)
    for path in mine.keys() | theirs.keys() | sums.keys():
        wanted = 2 * mine.get(path, 0.0) + 3 * theirs.get(path, 0.0)
        assert_close([sums.get(path)], [wanted], single, "the tangent is not linear in those of the arguments")


def _check_reverse(
    f: Any, args: Any, tangents: Any, y_dot: Any, options: Any, config: Any, rng: Any, tolerance: Tolerance
) -> None:
    try:
        call = find_call(f, copied(args), options, config)
    except AssertionError:
        return
    y_bar = seed_for(settled(call.y), int(rng.integers(1 << 31)))
    if is_absent(y_bar) or any(isinstance(t, NotImplementedTangent) for _, t in leaves(y_dot)):
        return
    bars = call.back(copied(y_bar))[call.rule.instances :]
    varied = [i for i, x_dot in enumerate(tangents) if not is_absent(x_dot)]
    if any(isinstance(bars[i], NotImplementedTangent) for i in varied):
        return
    forward, reverse = inner(y_bar, y_dot), sum(inner(bars[i], tangents[i]) for i in varied)
    if not abs(forward - reverse) <= tolerance.atol + tolerance.rtol * max(abs(forward), abs(reverse)):
        raise AssertionError(
            f"<y_bar, y_dot> is {forward!r}, <x_bar, x_dot> by the reverse rule ({where_from(call.rule)}) {reverse!r}"
        )
