"""What a call can reach: put back, while it runs again, as it was before it ran first."""

import dis
import functools
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from morula.eager.containers.parts import fill, may_change, now_in, same_items
from morula.eager.context.kinds import is_empty, is_plain_object
from morula.eager.replay.imprint import Imprint
from morula.eager.replay.random_state import set_state, state_of

ndarray = np.ndarray
Known = dict[int, tuple[Any, Any]]
States = list[tuple[Any, Any]]  # random generators with their states
CONSTANT = (FunctionType, BuiltinFunctionType, type, ModuleType, np.ufunc)  # what a name that is bound to it stays
MISSING = object()


class Remembered:
    """The containers, objects, captured and global variables that a call can reach, with what they hold.

    Arrays are not among it: writes into them are undone by the sweep that runs the call again.

    Attributes:
        arrays: all arrays that it reaches.
        generators: the random generators that it reaches, with their states (of those that it drew from, afterwards).
    """

    __slots__ = ("_bound", "_cells", "_contents", "arrays", "generators")

    def __init__(self, reached: Imprint, args: tuple, copies: Known):
        """`copies`: those of lists and dicts made before, to be shared where these have not changed since."""
        self._contents: list[tuple[Any, Any]] = []
        self._cells: list[tuple[Any, Any]] = []
        self._bound: list[tuple[dict, str, Any]] = []
        self.arrays: list[ndarray] = []
        for x, *_ in reached.values():
            self._remember(x, copies)
        self.generators = states_of(random_generators(reached, args))

    def _remember(self, x: Any, copies: Known) -> None:
        if isinstance(x, ndarray):
            self.arrays.append(x)
        elif may_change(x):
            pair = copies.get(id(x))
            if pair is None or pair[0] is not x or not same_items(x, pair[1]):
                pair = x, now_in(x)
                if type(x) in (list, dict):
                    copies[id(x)] = pair
            self._contents.append(pair)
        elif type(x) is FunctionType:
            self._cells += [(c, c.cell_contents) for c in x.__closure__ or () if not is_empty(c)]
            for name in globals_read(x.__code__):
                value = x.__globals__.get(name)
                if name in x.__globals__ and not issubclass(type(value), CONSTANT):
                    self._bound.append((x.__globals__, name, value))
        elif is_plain_object(x):
            self._contents.append((x, now_in(x)))

    @contextmanager
    def with_state_restored(self, counting: bool = False) -> Iterator[None]:
        """While the block runs, all that the call reads is as it was, but for random generators (see `redrawing`).

        `counting`: counts and texts that the block adds come on top of those of the first run.
        """
        merged = counted if counting else first_only
        cells = [(c, v, c.cell_contents) for c, v in self._cells if is_empty(c) or c.cell_contents is not v]
        bound = [(d, name, v, d.get(name, MISSING)) for d, name, v in self._bound if d.get(name, MISSING) is not v]
        contents = [(x, then, now_in(x)) for x, then in self._contents if not same_items(now_in(x), then)]
        try:
            for cell, then, _ in cells:
                cell.cell_contents = then
            for namespace, name, value, _ in bound:
                namespace[name] = value
            for x, items, _ in contents:
                fill(x, items)
            yield
        finally:
            for cell, then, after in cells:
                cell.cell_contents = merged(after, then, cell.cell_contents)
            for namespace, name, then, after in bound:
                if after is MISSING:
                    del namespace[name]
                else:
                    namespace[name] = merged(after, then, namespace.get(name))
            for x, then, items in contents:
                fill(x, merged(items, then, now_in(x)))


def first_only(after: Any, then: Any, now: Any) -> Any:
    return after


def counted(after: Any, then: Any, now: Any) -> Any:
    """`after`, as the first run left what was `then`, with what has come to that since, which made it `now`."""
    if type(after) is type(then) is type(now):
        if type(now) is int:
            return after + now - then
        if type(now) is list and len(now) > len(then):
            return after + now[len(then) :]
        if type(now) is dict:
            return {k: counted(v, then[k], now[k]) if k in then and k in now else v for k, v in after.items()}
    return after


@functools.lru_cache(4096)
def globals_read(code: CodeType) -> tuple[str, ...]:
    """The global variables that the code of a function reads, and that of the functions in it."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found.update(globals_read(inner))
    return tuple(found)


# -- random generators --------------------------------------------------------------------------------------------


def random_generators(reached: Imprint, args: tuple) -> list[Any]:
    """NumPy's generators among what a call reaches, NumPy's global one, and that of compiled code."""
    if "numpy.random" not in sys.modules:
        return []
    random = sys.modules["numpy.random"]
    kinds = (random.Generator, random.RandomState)
    found = {id(random.mtrand._rand): random.mtrand._rand}
    for parts in (args, *reached.values()):
        found.update((id(g), g) for g in parts if issubclass(type(g), kinds))  # a weak proxy may be of what is gone
    if "numba.core.dispatcher" in sys.modules:
        from morula.static.numba.generators import NUMBAS

        found[id(NUMBAS)] = NUMBAS
    return list(found.values())


def states_of(generators: Iterable[Any]) -> States:
    """Generators with their states."""
    return [(g, state_of(g)) for g in generators]


def set_states(states: States) -> None:
    """Bring generators back to the states that `states_of` gave."""
    for generator, state in states:
        set_state(generator, state)


def states_after(states: States) -> States:
    """The same generators with their states now; what has not changed is shared."""
    now = states_of(g for g, _ in states)
    return [old if same_state(old[1], new[1]) else new for old, new in zip(states, now, strict=True)]


def drawn_from(states: States) -> States:
    """Those of the generators that are at another state now, with the one that they had."""
    return [old for old, new in zip(states, states_after(states), strict=True) if new is not old]


def same_state(a: Any, b: Any) -> bool:
    if isinstance(a, ndarray):
        return np.array_equal(a, b)
    if isinstance(a, dict):
        return all(same_state(v, b[k]) for k, v in a.items())
    return all(map(same_state, a, b)) if isinstance(a, tuple) else bool(a == b)


@contextmanager
def redrawing(states: States) -> Iterator[None]:
    """While the block runs, generators draw from these states on; afterwards they are as before the block."""
    now = states_of(g for g, _ in states)
    try:
        set_states(states)
        yield
    finally:
        set_states(now)
