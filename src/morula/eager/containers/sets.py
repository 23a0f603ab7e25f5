"""Sets: a member has a shadow; of two equal members it is the shadow of the one whose object Python keeps."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from morula.eager.containers.registry import CONTAINERS, Container
from morula.eager.containers.sequences import plain_method
from morula.eager.context.kinds import c_method
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.errors import NotDifferentiable

Pair = tuple[Any, Any]
DUNDERS = {"or_": "__or__", "and_": "__and__", "sub": "__sub__", "xor": "__xor__"}
OPERATORS = {dunder: name for name, dunder in DUNDERS.items()}
OPERATORS |= {dunder.replace("__", "__r", 1): name for name, dunder in DUNDERS.items()}
COMBINING = frozenset(
    "union intersection difference symmetric_difference intersection_update difference_update "
    "symmetric_difference_update copy __copy__ __ior__ __iand__ __isub__ __ixor__".split()
)
KEYS: tuple[type, ...] = (type({}.keys()), type({}.items()))


class Sets(Part):
    """What a reverse context knows of sets.

    The record of a set holds its active members and their shadows, in a dict, which takes the same members for
    equal as the set does.
    """

    __slots__ = ()

    # -- shadows ------------------------------------------------------------------------------------------

    def members(self, s: Any) -> dict:
        """The active members of a set, with their shadows."""
        record = self.records.of(s)
        return {} if record is None else record.slots

    def set_members(self, s: Any, shadows: dict) -> None:
        """Let `s` have those of these members as active ones that it has."""
        found = {m: d for m, d in shadows.items() if d is not None and base_of(s).__contains__(s, m)}
        if found or self.records.of(s) is not None:
            self.records.make(s).slots = found

    def new_set(self, s: set, items: list, shadows: list) -> None:
        """Give a new set, made of these items, the shadows of the first of equal ones."""
        if any(d is not None for d in shadows):
            self.set_members(s, firsts(zip(items, shadows, strict=True)))

    def setted(self, s: set, pairs: list) -> Pair:
        """The set of a comprehension, and the pairs that went into it."""
        self.set_members(s, firsts(pairs))
        return s, None

    def set_pairs(self, s: Any, _: Any = None, backwards: bool = False) -> Iterator[Pair]:
        members = base_of(s).__iter__(s)

        def pairs() -> Iterator[Pair]:
            for m in members:
                record = self.records.of(s)
                yield m, record.slots.get(m) if record is not None and record.slots else None

        return pairs()

    def add_member(self, s: set, m: Any, m_d: Any) -> None:
        before = set.__len__(s)
        set.add(s, m)
        if m_d is not None and set.__len__(s) > before:
            self.records.make(s).slots[m] = m_d

    def drop_member(self, s: set, m: Any) -> Any:
        """Forget a member that is no longer there; its shadow."""
        slots = self.members(s)
        return slots.pop(m, None) if slots else None

    # -- operators and methods ----------------------------------------------------------------------------

    def set_operand(self, x: Any, x_d: Any, met: list) -> Any:
        """The operand of a method: a set or a dict as it is, of anything else its items, each noted in `met`."""
        if isinstance(x, set | frozenset | dict):
            met.extend(self.members(x).items() if not isinstance(x, dict) else self.key_pairs(x))
            return x

        def items() -> Iterator[Any]:
            for pair in pairs:
                met.append(pair)
                yield pair[0]

        pairs = self.iter(x, x_d)
        return items()

    def combined(self, plain: Any, s: Any, others: tuple, others_d: tuple) -> Pair:
        """``plain(s, *others)``, which gives a new set or changes `s`: every object in it keeps its shadow."""
        met: list = list(self.members(s).items())
        operands = [self.set_operand(other, d, met) for other, d in zip(others, others_d, strict=True)]
        y = None
        try:
            y = plain(s, *operands)
        finally:  # an error may leave behind half of the change
            changed = s if y is None else y
            shadows = {id(m): d for m, d in reversed(met) if d is not None}
            if (shadows or self.records.of(changed) is not None) and isinstance(changed, set | frozenset):
                found = {m: shadows[id(m)] for m in base_of(changed).__iter__(changed) if id(m) in shadows}
                if changed is not s or self.records.of(s) is not None or found:
                    self.records.make(changed).slots = found
        return y, None

    def set_update(self, s: set, other: Any, other_d: Any) -> None:
        if isinstance(other, set | frozenset | dict):
            self.combined(set.update, s, (other,), (other_d,))
            return
        for m, m_d in self.iter(other, other_d):
            self.add_member(s, m, m_d)

    def set_operator(self, name: str, x: Any, y: Any) -> Pair | None:
        """``x | y`` and the like; None where these are not both sets."""
        if isinstance(x, set | frozenset) and isinstance(y, set | frozenset):
            return self.combined(getattr(base_of(x), DUNDERS[name]), x, (y,), (None,))
        return None

    def set_in_place(self, name: str, x: set, y: Any, _: Any) -> Pair | None:
        """``x |= y`` and the like."""
        if name not in DUNDERS:
            return None
        plain = getattr(set, DUNDERS[name].replace("__", "__i", 1))
        if not isinstance(y, set | frozenset):
            if isinstance(y, KEYS) and self.members(x):
                raise NotDifferentiable(
                    "a set that holds active values is combined with a view of a dict; make the view a set"
                )
            changed = plain(x, y)
            return (changed, None) if changed is not NotImplemented else None
        changed, _ = self.combined(plain, x, (y,), (None,))
        return changed, None

    def set_method(self, s: Any, _: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``s.name(*args)`` of a set or a frozenset, for a method written in C."""
        base: Any = base_of(s)
        plain = c_method(base, name)
        if kw:
            return plain_method(self, s, name, args, ds, kw, kw_d)
        if name == "add" and len(args) == 1:
            self.add_member(s, args[0], ds[0])
        elif name in ("remove", "discard"):
            try:
                plain(s, *args)
            except KeyError as error:
                self.missed(error, *args, *ds)
                raise
            self.drop_member(s, args[0])
        elif name == "pop" and not args:
            m = set.pop(s)
            return m, self.drop_member(s, m)
        elif name == "clear":
            plain(s, *args)
            self.members(s).clear()
        elif name == "__init__":
            if len(args) > 1 or base is frozenset:
                return plain(s, *args), None
            self.set_method(s, None, "clear", (), (), {}, {})
            for other, other_d in zip(args, ds, strict=True):
                self.set_update(s, other, other_d)
        elif name == "update":
            for other, other_d in zip(args, ds, strict=True):
                self.set_update(s, other, other_d)
        elif name in COMBINING:
            y, _ = self.combined(plain, s, args, ds)
            return y, None
        elif name == "__iter__":
            return self.generator(self.set_pairs(s), "set_iterator"), None
        elif name in OPERATORS and len(args) == 1:
            x, y = (args[0], s) if name.startswith("__r") else (s, args[0])
            found = self.set_operator(OPERATORS[name], x, y)
            return found if found is not None else (NotImplemented, None)
        elif name in ("issubset", "issuperset", "isdisjoint"):
            return plain(s, *[self.set_operand(other, d, []) for other, d in zip(args, ds, strict=True)]), None
        else:
            return plain_method(self, s, name, args, ds, kw, kw_d)
        return None, None

    def made_set(self, cls: Any, args: tuple, ds: tuple) -> Pair:
        """``set(iterable)`` and ``frozenset(iterable)``."""
        if len(args) != 1:
            return cls(*args), None
        met: list = []
        y = cls(self.set_operand(args[0], ds[0], met))
        if y is not args[0]:
            self.set_members(y, firsts(met))
        return y, None


def base_of(s: Any) -> Any:
    return set if isinstance(s, set) else frozenset


def firsts(pairs: Any) -> dict:
    """Of equal items the first, which is the one that a set keeps, with its shadow."""
    found: dict = {}
    for m, d in pairs:
        found.setdefault(m, d)
    return found


def _shadow(ctx: Context, s: Any) -> Any:
    slots = ctx.members(s)
    return tuple([slots.get(m) for m in s]) if slots else None


def _fill(s: set, items: Any) -> None:
    set.clear(s)
    set.update(s, items)


CONTAINERS[frozenset] = Container(
    parts=list,
    method=Sets.set_method,
    pairs=Sets.set_pairs,
    shadow=_shadow,
    taken_apart=lambda ctx, s, _: (type(s), (ctx.call(list, (s,), (None,))[0],), (), None, None),
    places=lambda s: [(m, m) for m in s],
    slots=lambda s, shadows: {m: m_d for m, m_d in shadows.items() if m_d is not None},
    is_given_to_rules=False,
    is_met_again=True,
)
CONTAINERS[set] = replace(CONTAINERS[frozenset], fill=_fill, in_place=Sets.set_in_place)
