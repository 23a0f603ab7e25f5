"""One forward derivation: arguments get tangents, the function runs, and the tangent of its value is read."""

import copy
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from chainrules import AbstractTangent, Tangent, is_absent, same_structure, tangent_of_fields
from morula.eager.containers.container_types import RECORDED, SEQUENCES, container_of, recorded_as
from morula.eager.containers.parts import varying_names
from morula.eager.containers.records import Record
from morula.eager.context.kinds import is_exact_number, is_plain_object
from morula.eager.context.protocol import Context
from morula.eager.forward import following  # noqa: F401  (what a context becomes)
from morula.eager.forward.tangents import PLAINLY
from morula.eager.memory.arguments import copied, copies_in, differs, stands_for
from morula.errors import AliasedArgumentsError, NotDifferentiable, SeedError

ndarray = np.ndarray
Pair = tuple[Any, Any]


def derive(
    ctx: Context,
    call: Callable[[tuple, tuple], Pair],
    primals: tuple,
    primals_d: Any,
    tangents: tuple,
    tangents_d: Any,
    captured: Callable[[int], None] | None = None,
    of_pullback: bool = False,
) -> tuple[Pair, Pair]:
    """Value and tangent of ``call(primals, shadows)`` along `tangents`, each with its shadow.

    The call works on copies: what it writes into its arguments stays there, and what a function captures is not what
    it is given. `captured` gives what it captures tangents of the derivation, which it gets the number of.
    """
    args = [apart(ctx, x, x_d) for x, x_d in zip(primals, primals_d or (None,) * len(primals), strict=True)]
    one_memory = overlapping(primals)
    outside = ctx.depth
    before = ctx.begin_level(of_pullback)
    try:
        ctx.descend(outside)
        shadows = []
        sown: set[int] = set()
        for i, (x, x_d) in enumerate(args):
            t, t_d = ctx.getitem(tangents, tangents_d, i, None)
            shadows.append(sow(ctx, outside, x, x_d, t, t_d, f"argument {i}", sown))
        if captured is not None:
            captured(outside)
        ctx.descend(outside + 1)
        copies = [x for x, _ in args]
        for x, y in zip(arrays_of(primals), arrays_of(copies), strict=True):
            stands_for(y, x)
        with copied(ctx.buffers, ctx.writes, copies_in(arrays_of(copies))):
            y, y_d = call(tuple(copies), tuple(shadows))
        ctx.descend(outside)
        if one_memory and any(map(differs, arrays_of(primals), arrays_of(copies))):
            raise AliasedArgumentsError(
                "two arguments share memory that is written into: pass a copy in one of the places"
            )
        return (y, y_d), reap(ctx, outside, y, y_d)
    finally:
        ctx.end_level(before)


def arrays_of(x: Any) -> Iterator[ndarray]:
    """The arrays in a structure of tuples, lists and dicts."""
    if isinstance(x, ndarray):
        yield x
    elif isinstance(x, tuple | list | dict):
        for v in x.values() if isinstance(x, dict) else x:
            yield from arrays_of(v)


def overlapping(primals: Any) -> bool:
    """Whether two arrays may share memory, which copies of each do not."""
    arrays = list(arrays_of(primals)) if len(primals) > 1 or isinstance(primals[0] if primals else 0, tuple) else []
    return any(np.may_share_memory(a, b) for a, b in combinations(arrays, 2))


def apart(ctx: Context, x: Any, x_d: Any) -> Pair:
    """`x` with a shadow, and memory, of its own."""
    if isinstance(x, ndarray):
        y, y_d = ctx.call(np.array, (x,), (x_d,))
        y.flags.writeable = x.flags.writeable
        return y, y_d
    if isinstance(x, tuple):
        parts = [apart(ctx, v, s) for v, s in zip(x, x_d or (None,) * len(x), strict=True)]
        values = [v for v, _ in parts]
        return (type(x)(*values) if hasattr(x, "_fields") else tuple(values)), ctx.packed(tuple([s for _, s in parts]))
    if is_number(x):
        return x, (number_apart(ctx, x, x_d) if type(x_d) is list else x_d)
    if isinstance(x, RECORDED) or is_plain_object(x):
        return ctx.call(copy.deepcopy, (x,), (x_d,))
    return x, x_d


def number_apart(ctx: Context, x: Any, x_d: list) -> Any:
    """A shadow of its own for a number: that of another variable may be the same."""
    if isinstance(x, complex | np.complexfloating):
        return ctx.operate1("pos", x, x_d)[1]
    node = [0, x_d, 1.0]
    ctx.append(node)
    return node


def is_number(x: Any) -> bool:
    return isinstance(x, float | complex | int | np.number) or is_exact_number(type(x))


def sow(ctx: Context, k: int, x: Any, x_d: Any, t: Any, t_d: Any, path: str, sown: set[int] | None) -> Any:
    """Give `x` the tangent `t` in derivation `k`; returns its shadow."""
    if is_absent(t):
        return x_d
    if (is_number(x) or isinstance(x, ndarray)) and not np.iscomplexobj(x) and np.iscomplexobj(t):
        raise SeedError(f"the tangent of {path} is complex, and the primal is real")
    if isinstance(x, ndarray):
        if np.shape(t) != x.shape:
            raise SeedError(f"the tangent of {path} has shape {np.shape(t)}, and the primal has shape {x.shape}")
        shadow = ctx.array_shadow(x, x_d)
        if shadow is None:
            shadow = ctx.records.array_leaf(x)
        if shadow is None:
            raise SeedError(f"{path} is an array of dtype {x.dtype}, which has no tangent")
        _once(shadow.buffer, path, sown)
        ctx.set_dot(k, x, shadow, t, t_d)
        return shadow
    if is_number(x) and not isinstance(x, bool):
        if np.ndim(t) != 0 or isinstance(t, dict | str | AbstractTangent):
            raise SeedError(f"the tangent of {path} must be a number, because the primal is")
        shadow = [0] if x_d is None else number_apart(ctx, x, x_d)
        ctx.set_dot(k, x, shadow, t, t_d)
        return shadow
    if container_of(type(x)) in SEQUENCES:
        if isinstance(t, dict | str) or not hasattr(t, "__len__") or len(t) != len(x):
            raise SeedError(f"the tangent of {path} must have {len(x)} items, because the primal has")
        if isinstance(x, tuple):
            given: Any = x_d or (None,) * len(x)
            return ctx.packed(tuple([
                sow(ctx, k, v, s, *ctx.getitem(t, t_d, i, None), f"{path}[{i}]", sown)
                for i, (v, s) in enumerate(zip(x, given, strict=True))
            ]))  # fmt: skip
        slots = _once(ctx.records.make(x), path, sown).slots
        for i, v in enumerate(x):
            slots[i] = sow(ctx, k, v, slots[i], *ctx.getitem(t, t_d, i, None), f"{path}[{i}]", sown)
        return None
    if isinstance(x, dict):
        if not isinstance(t, dict) or not t.keys() <= x.keys():
            raise SeedError(f"the tangent of {path} must be a dict with the keys of the primal: {list(x)}")
        slots = _once(ctx.records.make(x), path, sown).slots
        for key in t:
            slots[key] = sow(
                ctx, k, x[key], slots.get(key), *ctx.getitem(t, t_d, key, None), f"{path}[{key!r}]", sown
            )  # fmt: skip
        return None
    if is_plain_object(x):
        if isinstance(t, type(x)) and not same_structure(x, t):
            raise SeedError(f"the tangent of {path} does not have the structure of the primal")
        record = _once(ctx.records.make_attributes(x), path, sown)
        for name, part, part_d in fields(ctx, t, t_d, varying_names(x)):
            value = getattr(x, name)
            own = ctx.records.part(record, name, value)
            record.slots[name] = sow(ctx, k, value, own, part, part_d, f"{path}.{name}", sown)
        return None
    if isinstance(x, MethodType) and ctx.levels[k].of_pullback:
        return x_d  # the tangent is that of its object, which has it
    raise SeedError(f"{path} is a {type(x).__qualname__}, which has no tangent: pass None")


def sow_captured(ctx: Context, k: int, f: FunctionType, t: Any, t_d: Any) -> None:
    """Give the variables that `f` captures the tangents in `t`, by name; that of a captured function is a dict too."""
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
        if name in t:
            part, part_d = ctx.getitem(t, t_d, name, None)
            value = cell.cell_contents
            if isinstance(value, FunctionType):
                sow_captured(ctx, k, value, part, part_d)
            else:
                ctx.twins.lifted.add(id(cell))
                shadow = ctx.twins.shadow_cell(cell)
                shadow.cell_contents = sow(ctx, k, value, shadow.cell_contents, part, part_d, repr(name), None)


def _once(met: Any, path: str, sown: set[int] | None) -> Any:
    if sown is None:  # of what is captured: the tangents of shared memory are shared too
        return met
    if id(met) in sown:
        raise AliasedArgumentsError(f"{path} is reached twice from the arguments; pass a copy in one of the places")
    sown.add(id(met))
    return met


def fields(ctx: Context, t: Any, t_d: Any, names: Iterable[str]) -> list[tuple[str, Any, Any]]:
    """The parts of the tangent of an object: of a `Tangent`, of a dict, or of an object of the same class."""
    if isinstance(t, Tangent):
        return [(n, *ctx.getattr(t, t_d, n)) for n in t.fields()]
    if isinstance(t, dict):
        return [(n, *ctx.getitem(t, t_d, n, None)) for n in t]
    return [(n, *ctx.getattr(t, t_d, n)) for n in names if hasattr(t, n)]


def reap(ctx: Context, k: int, y: Any, y_d: Any) -> Pair:
    """The tangent of `y` in its structure; zeros for numbers and arrays that do not depend, None for the rest."""
    shadow = ctx.shadow_of(y, y_d)
    if isinstance(y, ndarray):
        found = None if shadow is None else ctx.dot(k, shadow)
        if found is not None:
            return found
        return (np.zeros_like(y), None) if y.dtype.kind in "fc" else (None, None)
    if is_number(y):
        found = None if type(shadow) is not list else ctx.dot(k, shadow)
        if found is None:
            return (None if isinstance(y, int | np.integer) and not shadow else type(y)(0)), None
        if ctx.ops(k) is PLAINLY and isinstance(y, float) and not isinstance(y, np.floating):
            return float(found[0]), None
        return found
    if isinstance(y, tuple):
        parts = [reap(ctx, k, v, s) for v, s in zip(y, y_d or (None,) * len(y), strict=True)]
        values = [v for v, _ in parts]
        return (type(y)(*values) if hasattr(y, "_fields") else tuple(values)), ctx.packed(tuple([s for _, s in parts]))
    if container_of(type(y)) in SEQUENCES:
        record = ctx.records.list_of(y)
        parts = [reap(ctx, k, v, s) for v, s in zip(y, record.slots if record else [None] * len(y), strict=True)]
        made = [v for v, _ in parts]
        ctx.new_list(made, [s for _, s in parts])
        return made, None
    if (container := recorded_as(y)) is not None:  # a dict; of a set the members, as in its gradient
        record = ctx.records.of(y)
        items = {key: reap(ctx, k, v, record.slots.get(key) if record else None) for key, v in container.places(y)}
        by_key = {key: v for key, (v, _) in items.items()}
        ctx.new_dict(by_key, {key: s for key, (_, s) in items.items()})
        return by_key, None
    if isinstance(shadow, Record):
        found = ctx.dots(k, y, shadow)
        if found is None:
            return None, None
        if ctx.ops(k) is not PLAINLY and any(s is not None for s in ctx.dict_shadows(found[0]).values()):
            raise NotDifferentiable("the tangent of an object cannot be differentiated again; return its attributes")
        if isinstance(y, Tangent):  # a gradient
            return Tangent(y.primal_type, **found[0]["_fields"]), None
        return tangent_of_fields(y, found[0]), None
    return None, None
