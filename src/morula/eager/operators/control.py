"""``with``, ``match``, exceptions, and what else transformed statements ask of a context."""

import collections.abc
import math
from collections.abc import Callable
from typing import Any

from morula.eager.context.kinds import REAL, has_method, is_exact_number
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.eager.operators.overloading import answers_itself, is_an_element, of_objects
from morula.errors import NotDifferentiable, SourceNotFound, describe
from morula.transform import SourceUnavailable, source_of

Pair = tuple[Any, Any]


class Managed:
    """A context manager whose methods run transformed."""

    __slots__ = ("ctx", "manager", "shadow")

    def __init__(self, ctx: Context, manager: Any, shadow: Any):
        self.ctx = ctx
        self.manager = manager
        self.shadow = shadow

    def __enter__(self) -> Pair:
        return self.ctx.method(self.manager, self.shadow, "__enter__", (), ())

    def __exit__(self, *error: Any) -> Any:
        return self.ctx.leave(self._exit, error)

    def _exit(self, *error: Any) -> Any:
        return self.ctx.method(self.manager, self.shadow, "__exit__", error, (None, None, None))[0]


LARGEST_FRACTION = 2.0**52  # from here on floats are whole numbers


class Control(Part):
    """The parts of a context that serve statements."""

    __slots__ = ()

    eq: Callable[..., Any]  # as the other comparisons, which stand below
    lt: Callable[..., Any]

    def whole_number(self, x: Any, x_d: Any) -> int:
        """``int(x)``, which cuts off the fraction.

        Raises:
            NotDifferentiable: there is none to cut off in an active number, all of whose digits would go on.
        """
        if x_d is not None and isinstance(x, float) and LARGEST_FRACTION <= abs(x) < math.inf:
            raise NotDifferentiable(
                f"int({float(x)!r}) of an active number keeps all its digits, and would lose its derivative; "
                "use the float itself"
            )
        return int(x)

    def manager(self, manager: Any, shadow: Any) -> Any:
        kind = type(manager)
        if not hasattr(kind, "__enter__") or not hasattr(kind, "__exit__"):
            raise TypeError(f"{kind.__name__!r} object does not support the context manager protocol")
        if has_method(kind, "__enter__") or has_method(kind, "__exit__"):
            return Managed(self, manager, shadow)
        return PlainManaged(self, manager)

    def failed(self, message: Any = None, shadow: Any = None, *_: Any) -> AssertionError:
        """The exception of an ``assert``; what its message carries stays active."""
        error = AssertionError() if message is None and shadow is None else AssertionError(message)
        if shadow is not None:
            self.records.make(error).slots["args"] = (shadow,)
        return error

    def pair_cells(self, values: Any, shadows: Any, suffix: str) -> None:
        self.twins.pair(values, shadows, suffix)

    def defaults(self, f: Any, shadows: dict[str, Any]) -> None:
        if any(s is not None for s in shadows.values()):
            self.twins.defaults[id(f)] = (f, shadows)

    def locals(self, found: dict, names: tuple[str, ...], suffix: str) -> dict:
        """The user's variables among the locals of a twin."""
        visible = {n: found[n] for n in names if n in found}
        shadows = {n: found.get(n + suffix) for n in visible}
        self.new_dict(visible, shadows)
        return visible

    # -- comparison ---------------------------------------------------------------------------------------

    def contains(self, container: Any, container_d: Any, x: Any, x_d: Any) -> Any:
        kind = type(container)
        if has_method(kind, "__contains__"):
            return bool(self.special(kind, "__contains__", (container, x), (container_d, x_d))[0])
        if has_method(kind, "__iter__"):
            return any(v is x or v == x for v, _ in self.iter(container, container_d))
        return x in container

    # -- match --------------------------------------------------------------------------------------------

    def match(self, x: Any, x_d: Any, pattern: Any) -> dict[str, Pair] | None:
        """What `pattern` captures of `x`, or None where it does not match."""
        captures: dict[str, Pair] = {}
        return captures if self._matches(x, x_d, pattern, captures) else None

    def _matches(self, x: Any, x_d: Any, pattern: Any, captures: dict) -> bool:
        if pattern is None:
            return True
        kind, *parts = pattern
        return bool(getattr(self, "_match_" + kind)(x, x_d, captures, *parts))

    def _matches_pair(self, pair: Pair, pattern: Any, captures: dict) -> bool:
        return self._matches(pair[0], pair[1], pattern, captures)

    def _match_value(self, x: Any, x_d: Any, captures: dict, value: Callable) -> bool:
        return x == value()

    def _match_singleton(self, x: Any, x_d: Any, captures: dict, value: Any) -> bool:
        return x is value

    def _match_as(self, x: Any, x_d: Any, captures: dict, name: str | None, inner: Any) -> bool:
        if not self._matches(x, x_d, inner, captures):
            return False
        if name is not None:
            captures[name] = (x, x_d)
        return True

    def _match_or(self, x: Any, x_d: Any, captures: dict, options: tuple) -> bool:
        return any(self._matches(x, x_d, p, captures) for p in options)

    def _match_sequence(self, x: Any, x_d: Any, captures: dict, patterns: tuple) -> bool:
        if not isinstance(x, collections.abc.Sequence) or isinstance(x, str | bytes | bytearray):
            return False
        stars = [i for i, p in enumerate(patterns) if p[0] == "star"]
        n = len(patterns)
        if len(x) != n if not stars else len(x) < n - 1:
            return False
        items = list(self.iter(x, x_d))
        if stars:
            i = stars[0]
            after = n - i - 1
            stop = len(items) - after
            name = patterns[i][1]
            if name is not None:
                middle = [v for v, _ in items[i:stop]]
                self.new_list(middle, [d for _, d in items[i:stop]])
                captures[name] = (middle, None)
            items = items[:i] + items[stop:]
            patterns = patterns[:i] + patterns[i + 1 :]
        return all(self._matches(v, d, p, captures) for (v, d), p in zip(items, patterns, strict=True))

    def _match_mapping(self, x: Any, x_d: Any, captures: dict, keys: tuple, patterns: tuple, rest: str | None) -> bool:
        if not isinstance(x, collections.abc.Mapping):
            return False
        seen = [k() for k in keys]
        for key, pattern in zip(seen, patterns, strict=True):
            if key not in x:
                return False
            if not self._matches_pair(self.getitem(x, x_d, key, None), pattern, captures):
                return False
        if rest is not None:
            pairs = {k: self.getitem(x, x_d, k, None) for k in x if k not in seen}
            d = {k: v for k, (v, _) in pairs.items()}
            self.new_dict(d, {k: s for k, (_, s) in pairs.items()})
            captures[rest] = (d, None)
        return True

    def _match_class(self, x: Any, x_d: Any, captures: dict, cls: Callable, positional: tuple, named: tuple) -> bool:
        wanted = cls()
        if not isinstance(x, wanted):
            return False
        names = getattr(wanted, "__match_args__", None)
        if names is None and len(positional) == 1 and wanted.__flags__ & MATCH_SELF:
            return self._matches(x, x_d, positional[0], captures)
        names = names or ()
        if len(positional) > len(names):
            raise TypeError(
                f"{wanted.__name__}() accepts {len(names)} positional sub-patterns ({len(positional)} given)"
            )
        for name, pattern in [*zip(names, positional, strict=False), *named]:
            try:
                part = self.getattr(x, x_d, name)
            except AttributeError:
                return False
            if not self._matches_pair(part, pattern, captures):
                return False
        return True


MATCH_SELF = 1 << 22  # the flag of classes whose instances match one positional pattern as a whole


class PlainManaged:
    """A context manager written in C."""

    __slots__ = ("ctx", "manager")

    def __init__(self, ctx: Context, manager: Any):
        self.ctx = ctx
        self.manager = manager

    def __enter__(self) -> Pair:
        return self.manager.__enter__(), None

    def __exit__(self, *error: Any) -> Any:
        try:
            found = self.ctx.leave(self.manager.__exit__, error)
        except BufferError as failure:
            if self.ctx.buffers.lent:
                raise self.ctx.cannot_release(failure) from failure
            raise
        if error[1] is None:
            self.ctx.check_lent()
        return found


def has_source(f: Any) -> bool:
    try:
        source_of(f.__code__)
    except SourceUnavailable:
        return False
    return True


def _comparison(name: str, reflected: str) -> Callable:
    import operator

    plain = getattr(operator, name)
    dunder, other = f"__{name}__", f"__{reflected}__"

    def compare(self: Any, x: Any, x_d: Any, y: Any, y_d: Any) -> Any:
        tx, ty = type(x), type(y)
        if tx in REAL and (ty in REAL or is_exact_number(ty)):
            return plain(x, y)
        if ty in REAL and is_exact_number(tx):
            return plain(x, y)
        attempts = []
        if has_method(tx, dunder):
            attempts.append((tx, dunder, x, x_d, y, y_d))
        if not attempts and has_method(ty, other) and answers_itself(x, y, dunder):
            return plain(x, y)
        if not attempts and has_method(ty, other) and is_an_element(x, y):
            if self.any_active((x, y), (x_d, y_d), {}, {}):
                raise of_objects(y)
            return self.opaque(plain, (x, y), {})
        if tx is not ty and has_method(ty, other):
            attempts.insert(0 if issubclass(ty, tx) else len(attempts), (ty, other, y, y_d, x, x_d))
        for kind, method, a, a_d, b, b_d in attempts:
            f = getattr(kind, method)
            try:
                z, z_d = self.special(kind, method, (a, b), (a_d, b_d))
            except SourceNotFound:
                if has_source(f):  # it calls something that has none
                    raise
                return plain(x, y)  # generated, as a dataclass's __eq__ is: it computes nothing
            if z is NotImplemented:
                continue
            if z_d is not None:
                raise NotDifferentiable(f"{describe(f)} returned an active value from a comparison")
            return z
        return plain(x, y)

    return compare


for _name, _reflected in (("lt", "gt"), ("le", "ge"), ("gt", "lt"), ("ge", "le"), ("eq", "eq"), ("ne", "ne")):
    setattr(Control, _name, _comparison(_name, _reflected))
