"""What the engine knows of each of Python's containers: one registration for each type, in a file of its own."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Container:
    """What the engine knows of the containers of a type, and of subclasses of it.

    Their parts have shadows beside them, in a record that is found by identity; a tuple, which has none, has a tuple
    of shadows. A *place* is where a part lies: an index, a key, or the member itself.

    Attributes:
        parts: what one holds now, one level deep, without keys; other threads may change it meanwhile.
        method: ``o.name(*args, **kw)`` as C defines it, from ``(ctx, o, o_d, name, args, ds, kw, kw_d)``.
        pairs: the items with their shadows, as C iterates over them, from ``(ctx, o, o_d, backwards)``.
        shadow: the shadow as rules need it, a structure like the container, from ``(ctx, o)``.
        taken_apart: for copies, from ``(ctx, o, o_d)``: what makes an empty one, its arguments, their shadows, and
            iterators over the items and the entries that it is given then, or None (as `copyreg` has them).
        places: the places and the parts.
        slots: the shadows for a record, in the form in which methods move them, from ``(o, shadow of each place)``.
        collected: ``{place: value}`` in the form that the gradient of one has; `fill` takes it, too.
        fill: lets one hold what a copy of it holds; None for a type whose instances never change.
        in_place: ``x op= y``, from ``(ctx, name of the operator, x, y, y_d)``; its result is None where C has none.
        is_sequence: whether it is added and repeated as lists are, and read as an array by NumPy.
        is_given_to_rules: whether rules take it as it is.
        is_met_again: whether one without active parts has no record, so that the arguments may hold it twice.
    """

    parts: Callable[[Any], list[Any]]
    method: Callable[..., Pair]
    pairs: Callable[..., Iterable[Pair]]
    shadow: Callable[[Any, Any], Any]
    taken_apart: Callable[[Any, Any, Any], tuple[Any, tuple, tuple, Any, Any]]
    places: Callable[[Any], Iterable[tuple[Any, Any]]] = lambda _: ()
    slots: Callable[[Any, Mapping], Any] = lambda *_: {}
    collected: Callable[[dict], Any] = dict
    fill: Callable[[Any, Any], None] | None = None
    in_place: Callable[[Any, str, Any, Any, Any], Pair | None] = lambda *_: None
    is_sequence: bool = False
    is_given_to_rules: bool = True
    is_met_again: bool = False


CONTAINERS: dict[type, Container] = {}
