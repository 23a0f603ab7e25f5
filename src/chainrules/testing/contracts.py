"""What every rule promises to an engine: nothing that it was given changes, and a pullback is a function of its seed.

An engine adopts the cotangents that a rule returns, adds others to them in place, and calls pullbacks again with other
seeds. A rule may hand on its seed, or a part of it, as a cotangent; it may not write into anything, nor give away
memory that it, its arguments or its value still need.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..accumulate import accumulate, accumulate_into
from ..tangents import AbstractTangent, NotImplementedTangent, Thunk, ZeroTangent
from .calling import Call, find_call, name_of, plain_call, plain_seed
from .layouts import LAYOUTS, arrays_in, changed, frozen, read_only, repeated
from .leaves import Path, copied, is_inexact, leaves, path_text, random_tangent, replaced, scaled, settled

__all__ = ["CONTRACTS", "seed_for"]


def seed_for(y: Any, number: int) -> Any:
    """A random cotangent of ``y``, in whose integers floats may come."""
    if isinstance(y, (int, np.integer)) and not isinstance(y, bool):
        y = float(y)
    return random_tangent(y, np.random.default_rng(number))


def nudged(x: Any) -> Any:
    """``x`` with all its floats changed a little."""
    for path, leaf in list(leaves(x)):
        if is_inexact(leaf):
            x = replaced(x, path, lambda v: v * v.dtype.type(1.01) if hasattr(v, "dtype") else v * 1.01)
    return x


def parts(bar: Any) -> dict[Path, Any]:
    """Numbers and arrays of a cotangent by path; what is absent is left out."""
    return {path: leaf for path, leaf in leaves(bar) if leaf is not None and not isinstance(leaf, AbstractTangent)}


def is_single(*values: Any) -> bool:
    """Whether something in the values is of single or half precision."""
    return any(getattr(leaf, "dtype", None) in (np.float32, np.complex64, np.float16) for _, leaf in leaves(values))


def assert_close(got: Any, wanted: Any, single: bool, what: str = "two cotangents differ") -> None:
    """Two cotangents are the same up to rounding; an absent one is zero."""
    mine, theirs = parts(got), parts(wanted)
    rtol = 1e-3 if single else 1e-9
    if any(getattr(leaf, "dtype", None) == np.float16 for leaf in (*mine.values(), *theirs.values())):
        rtol = 2e-2
    for path in mine.keys() | theirs.keys():
        a, b = mine.get(path, 0.0), theirs.get(path, 0.0)
        scale = np.max(np.abs(b), initial=1.0, where=np.isfinite(b))
        if not _near(a, b, rtol, rtol * scale):
            raise AssertionError(f"argument {path[0]}{path_text(path[1:])}: {what}: {a!r} is not {b!r}")


def _near(a: Any, b: Any, rtol: float, atol: float) -> bool:
    """`np.allclose` with equal NaNs, which is slower, and seldom needed to tell."""
    with np.errstate(all="ignore"):
        if np.all(np.abs(np.subtract(a, b)) <= atol + rtol * np.abs(b)):
            return True
    return bool(np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True))


def _again(call: Call, args: Any) -> Call:
    """The same rule called with fresh copies of arguments."""
    again = find_call(call.f, args, call.kwargs, call.config)
    return Call(again.f, again.args, again.kwargs, again.config, again.rule, settled(again.y), again.pullback)


def _raw_values(call: Call, y_bar: Any) -> list[Any]:
    """What the rule itself returns, before anybody brings it to shape; thunks are run."""
    return [None if isinstance(b, NotImplementedTangent) else plain_seed(b) for b in call.raw(y_bar)]


def writes_nothing(call: Call) -> None:
    """Read-only arguments and seeds will do, and where they are writable they keep their bits."""
    for how in (read_only, np.copy):
        given = changed(copied(call.args), how)
        before = frozen(given)
        own = _again(call, given)
        value = frozen(own.y)
        y_bar = changed(seed_for(own.y, 1), how)
        seed = frozen(y_bar)
        try:
            for _ in range(2):
                _raw_values(own, y_bar)
        except ValueError as error:
            if how is read_only and "read-only" in str(error):
                raise AssertionError(
                    f"{name_of(call.f)}: the seed was changed, an argument, or the value, by the pullback: {error}"
                ) from error
            raise
        _check_unchanged(frozen(given), before, "an argument was changed")
        _check_unchanged(frozen(y_bar), seed, "the seed was changed")
        _check_unchanged(frozen(own.y), value, "the value was changed by the pullback")


def _check_unchanged(after: Any, before: Any, what: str) -> None:
    if after != before:
        where = next((path_text(p) for (p, a), (_, b) in zip(after, before, strict=False) if a != b), "")
        raise AssertionError(f"{what}{', at ' + where if where else ''}")


def is_used_again(call: Call) -> None:
    """The same seed gives the same bits, whatever came between; sums of seeds give sums, and zero gives zero."""
    own = _again(call, copied(call.args))
    one, two = seed_for(own.y, 1), seed_for(own.y, 2)
    waiting = own.raw(copied(one))  # its thunks are run after other calls, as they may be
    kept = frozen(own.back(copied(one)))
    second = own.back(copied(two))
    first = own.brought(waiting)
    both = own.back(accumulate(scaled(one, 2.0), scaled(two, 3.0)))
    nothing = own.back(scaled(one, 0.0))
    if frozen(first) != kept:
        raise AssertionError("a later call of the pullback changed an earlier result")
    if frozen(own.back(copied(one))) != kept:
        raise AssertionError("a later call of the pullback differs from the first")
    if frozen(first) != kept:
        raise AssertionError("a later call of the pullback changed what an earlier one had returned")
    total = {path: 3 * leaf for path, leaf in parts(second).items()}
    for path, leaf in parts(first).items():
        total[path] = 2 * leaf + total.get(path, 0.0)
    single = is_single(call.args, own.y)
    mine = parts(both)
    for path in mine.keys() | total.keys():
        assert_close(
            {path[0]: mine.get(path)}, {path[0]: total.get(path)}, single, "the pullback is not linear in its seed"
        )
    for path, leaf in parts(nothing).items():
        if np.any(leaf):
            raise AssertionError(
                f"{call.label(path[0])}{path_text(path[1:])}: a seed of zeros gives {leaf!r}: the pullback is not "
                "linear in its seed"
            )


def _are_laid_out(x: Any) -> bool:
    """Whether an array in ``x`` has numbers that can stand in memory in more than one way."""
    return any(a.size > 1 for a in arrays_in(x))


def takes_seeds_of_any_layout(call: Call) -> None:
    """A seed is memory of somebody: strided, reversed, in Fortran's order, repeated by a stride of 0."""
    own = _again(call, copied(call.args))
    seed = seed_for(own.y, 1)
    if not _are_laid_out(seed):
        return
    single, what = is_single(call.args, own.y), "the result depends on the memory layout of the seed"
    wanted = own.back(copied(seed))
    for layout in LAYOUTS:
        assert_close(own.back(changed(copied(seed), layout)), wanted, single, what)
    assert_close(own.back(changed(seed, repeated)), own.back(changed(seed, np.ones_like)), single, what)


def takes_parts_of_seeds(call: Call) -> None:
    """Of a value with several parts some may matter alone: ``None`` for the others is as good as zeros."""
    own = _again(call, copied(call.args))
    seed = seed_for(own.y, 1)
    found = [path for path, leaf in leaves(seed) if is_inexact(leaf)]
    if len(found) < 2:
        return
    for path in found[:8]:
        absent = zeros = seed
        for other in found:
            if other != path:
                absent = replaced(absent, other, lambda _: None)
                zeros = replaced(zeros, other, lambda leaf: leaf * 0)
        what = f"without a cotangent for all but {path_text(path)} of the value, which is as good as zero"
        assert_close(own.back(absent), own.back(zeros), is_single(call.args, own.y), what)
        mixed = replaced(absent, path, lambda leaf: Thunk(lambda: leaf))
        assert_close(own.back(mixed), own.back(zeros), is_single(call.args, own.y), what)


def takes_seeds_of_any_form(call: Call) -> None:
    """A thunk for a seed is as good as its value, and an absent one has absent cotangents."""
    own = _again(call, copied(call.args))
    seed = seed_for(own.y, 1)
    if plain_seed(seed) is not None:
        if frozen(own.back(Thunk(lambda: seed))) != frozen(own.back(seed)):
            raise AssertionError("a thunk as the seed gives something other than its value")
    for absent in (None, ZeroTangent()):
        for i, bar in enumerate(own.back(absent)):
            if parts(bar):
                raise AssertionError(f"{call.label(i)}: the cotangent is {bar!r}, without a seed")


def takes_arguments_of_any_layout(call: Call) -> None:
    """Arguments of any layout have the same cotangents, where they have the same value."""
    if not _are_laid_out(call.args):
        return
    own = _again(call, copied(call.args))
    single = is_single(call.args, own.y)
    wanted = own.back(seed_for(own.y, 1))
    for layout in LAYOUTS:
        given = changed(copied(call.args), layout)
        other = settled(plain_call(call.f, given, call.kwargs))
        mine, theirs = list(leaves(other)), list(leaves(own.y))
        if [p for p, _ in mine] != [p for p, _ in theirs] or any(
            is_inexact(b) and (np.shape(a) != np.shape(b) or not _near(a, b, 1e-5, 1e-8))
            for (_, a), (_, b) in zip(mine, theirs, strict=True)
        ):
            continue  # a function of the order in memory
        bars = _again(call, given).back(seed_for(own.y, 1))
        assert_close(bars, wanted, single, "the result depends on the memory layout of the arguments")


def is_added_to_what_is_there(call: Call) -> None:
    """Sums with a cotangent that stands there already are new, and leave both sides alone."""
    own = _again(call, copied(call.args))
    y_bar = seed_for(own.y, 1)
    for i, (bar, raw, x) in enumerate(zip(own.back(y_bar), own.raw(y_bar), own.primals, strict=True)):
        there = random_tangent(x, np.random.default_rng(3))
        added, standing = parts(bar), parts(there)
        if isinstance(bar, NotImplementedTangent) or not added or not standing:
            continue
        wanted = {
            path: standing.get(path, 0.0) + added.get(path, 0.0) for path in standing.keys() | added.keys()
        }  # fmt: skip
        before, mine = frozen(there), frozen(bar)
        for total in (accumulate(there, bar), accumulate(bar, there)):
            _check_sum(own.label(i), total, wanted)
            for path, leaf in parts(total).items():
                if path in standing and path in added:
                    for summand in (standing[path], added[path]):
                        if _shares(leaf, summand):
                            raise AssertionError(f"{own.label(i)}: the sum lies in the memory of a summand")
        if frozen(there) != before or frozen(bar) != mine:
            raise AssertionError(f"{own.label(i)}: a summand was changed by addition")
        if isinstance(there, np.ndarray):
            _check_sum(own.label(i), accumulate_into(there.copy("K"), bar), wanted)
            add_to = getattr(raw, "add_to", None)
            if add_to is not None:
                _check_in_place(own.label(i), add_to, there.copy("K"), wanted[()], is_single(x))
        if frozen(bar) != mine:
            raise AssertionError(f"{own.label(i)}: a cotangent was changed where it was added to another in place")


def _check_in_place(label: str, add_to: Any, there: np.ndarray, wanted: np.ndarray, single: bool) -> None:
    got = add_to(there)
    if got is not there:
        raise AssertionError(f"{label}: the in-place thunk has to return the array that it was given")
    rtol = 1e-3 if single else 1e-9
    if not np.allclose(got, wanted, rtol=rtol, atol=rtol, equal_nan=True):
        raise AssertionError(f"{label}: the in-place thunk makes {got!r} of it, where `+` gives {wanted!r}")


def _check_sum(label: str, total: Any, wanted: dict[Path, Any]) -> None:
    for path, leaf in parts(total).items():
        if not np.array_equal(leaf, wanted[path], equal_nan=True):
            raise AssertionError(f"{label}{path_text(path)}: the sum {leaf!r} is not {wanted[path]!r}")


def gives_away_what_it_returns(call: Call) -> None:
    """Cotangents may be written by who gets them: only the seed's memory, or read-only memory, is handed on."""
    own = _again(call, copied(call.args))
    y_bar = seed_for(own.y, 1)
    wanted = frozen(own.back(copied(y_bar)))
    seed = copied(y_bar)
    bars = own.back(seed)
    lent = arrays_in(seed)
    mine = [(path, a) for path, a in leaves(bars, fields=True) if isinstance(a, np.ndarray) and a.flags.writeable]
    kept = [*((a, "an argument") for a in arrays_in(own.args)), *((a, "the value") for a in arrays_in(own.y))]
    free: list[tuple[str, Any]] = []
    for path, a in mine:
        where = f"{own.label(path[0])}{path_text(path[1:])}"
        for other, whose in kept:
            if _shares(a, other):
                raise AssertionError(
                    f"{where}: the cotangent lies in the memory of {whose}; who adds to it, changes that"
                )
        if not any(_shares(a, s) for s in lent):
            for other_where, other in free:
                if _shares(a, other):
                    raise AssertionError(f"{where}: the cotangent lies in the memory of that of {other_where}")
            free.append((where, a))
    before = frozen(own.args), frozen(own.y)
    for where, a in free:
        if a.dtype.kind in "fc":
            a[...] = np.nan
        if frozen(own.back(copied(y_bar))) != wanted:
            raise AssertionError(f"{where}: the pullback still needs the memory of the cotangent that it gave away")
    if (frozen(own.args), frozen(own.y)) != before:
        raise AssertionError("writing into a cotangent changes an argument or the value")


def _shares(a: Any, b: Any) -> bool:
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.shares_memory(a, b)


CONTRACTS: tuple[Callable[[Call], None], ...] = (
    writes_nothing,
    is_used_again,
    takes_seeds_of_any_layout,
    takes_parts_of_seeds,
    takes_seeds_of_any_form,
    takes_arguments_of_any_layout,
    is_added_to_what_is_there,
    gives_away_what_it_returns,
)
