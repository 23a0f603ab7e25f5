"""Whether memory can be reached from outside a tape: what nobody will see again need not be brought back."""

from collections.abc import Iterator
from itertools import chain
from sys import getrefcount
from typing import Any

import numpy as np

from morula.eager.memory.layout import owner_of

ndarray = np.ndarray


def private_owners(owners: list[ndarray], tape: list[Any]) -> set[int]:
    """Those of `owners`, by identity, to which nothing refers but entries of the tape and that very list.

    References are counted where the tape is known to hold them; one that lies anywhere else, also in what a
    pullback has captured, makes the memory count as reachable.
    """
    owners.append(np.empty(1))  # one that is private, to see what is counted for those
    like_a_tape = [(None, owners[-1][:])]
    table: dict[int, list[Any]] = {id(x): [x, 0] for x in owners}  # an array, and how often it is referred to
    owner_keys = set(table)
    views: dict[int, int] = {}
    part: Any
    owner: Any
    for part in chain(arrays_of(tape), arrays_of(like_a_tape)):
        owner = owner_of(part)
        if id(owner) in owner_keys:
            if id(part) not in table:
                table[id(part)] = [part, 0]
                views[id(part)] = id(owner)
                table[id(owner)][1] += 1
            table[id(part)][1] += 1
    part = owner = None
    surplus = {key: getrefcount(item[0]) - item[1] for key, item in table.items()}
    alone = surplus[id(owners[-1])], surplus[id(like_a_tape[0][1])]
    owners.pop()
    reached = {key for key in owner_keys if surplus[key] > alone[0]}
    return owner_keys - reached - {owner for view, owner in views.items() if surplus[view] > alone[1]}


def arrays_of(tape: list[Any]) -> Iterator[ndarray]:
    """The arrays that entries of a tape refer to themselves, once for every reference."""
    for entry in tape:
        if type(entry) is tuple:
            for part in entry:
                if type(part) is ndarray:
                    yield part
        elif type(entry) is not list:
            for name in entry.arrays:
                part = getattr(entry, name)
                if type(part) is ndarray:
                    yield part
