"""What a program does to lists while somebody goes through them, or has an array of them."""

from __future__ import annotations

from morula.static.python.ir import CHANGES, Append, Compute, Drop, Loop, Program, Set, Store, Unsupported, enclosed
from morula.static.python.memory import MAKING, Memory
from morula.static.python.scopes import Names

__all__ = ["check_changes", "check_growth", "check_order", "copy_arguments", "known_names"]


def check_growth(program: Program, memory: Memory) -> None:
    """See to it that the text fails where it changes the length of a list that a loop goes through."""
    loops = {id(s): s for s in program.statements() if isinstance(s, Loop) and s.over}
    for block in (program.body, *[sub.body for sub in program.subs]):
        for s, around in enclosed(block):
            if isinstance(s, Append | Drop):
                over = [x for i in around if i in loops for x in loops[i].over]
                s.unlike = tuple([x for x in over if memory.leader(x) == memory.leader(s.array)])


def _keep_length(program: Program, memory: Memory, given: str) -> None:
    """See to it that the text fails where it changes the length of a list from outside."""
    statements = list(program.statements())
    new = {s.target for s in statements if isinstance(s, Compute) and s.op in MAKING}
    others = {s.var for s in statements if isinstance(s, Set) and s.value not in new}
    names = {s.var for s in statements if isinstance(s, Set)} - others | new  # of lists that the program made
    for s in statements:
        if isinstance(s, Append | Drop) and s.array not in names and memory.leader(s.array) == memory.leader(given):
            s.unlike = (*s.unlike, given)


def copy_arguments(program: Program, memory: Memory, lent: set[str]) -> None:
    """Let the text have lists of its own where it writes into those that it is given.

    Args:
        lent: copies that the program has made of arguments that are not given back as they were.

    Raises:
        Unsupported: others see what is written.
    """
    reason = Unsupported("writing into a list that is not given back as it was")
    if any(map(memory.is_written, lent)):
        raise reason
    for n, given in enumerate(program.inputs):
        if given.is_list and not given.is_array and memory.is_written(given.name):
            if given.read != given.name or not program.is_given_back(n):
                raise reason
            given.is_copied = True
            _keep_length(program, memory, given.name)


def known_names(program: Program, memory: Memory, known_elsewhere: dict[str, Names]) -> Names:
    """The variables of arrays that are rows of lists, too, and into which something is written there."""
    changes = [s for s in program.statements() if isinstance(s, CHANGES)] if any(known_elsewhere.values()) else []
    changed = {
        memory.leader(s.array) for s in changes
        if memory.ndim[s.array] == 1 or (isinstance(s, Store) and len(s.index) == 2)
    }  # fmt: skip
    return frozenset().union(*[names for row, names in known_elsewhere.items() if memory.leader(row) in changed])


def check_order(program: Program, memory: Memory, viewed: set[str]) -> None:
    """Refuse a program that may write into a list after an array was made of it that a name stands for."""
    order = list(enclosed(program.body))
    for i, (s, loops) in enumerate(order):
        if not isinstance(s, Compute) or s.op != "packed" or s.target not in viewed:
            continue
        for j, (w, others) in enumerate(order):
            is_same = isinstance(w, CHANGES) and memory.leader(w.array) == memory.leader(s.args[0])
            if is_same and (j > i or not loops.isdisjoint(others)):
                raise Unsupported("a view of an array that is written into")


def check_changes(program: Program, memory: Memory, views: set[str], changes: list[CHANGES]) -> None:
    """Refuse these `changes` of lists that arrays were made of of which a name stands for a view."""
    of = {s.args[0] for s in program.statements() if isinstance(s, Compute) and s.op == "packed" and s.target in views}
    if not {memory.leader(s.array) for s in changes}.isdisjoint(map(memory.leader, of)):
        raise Unsupported("a view of an array that is written into")
