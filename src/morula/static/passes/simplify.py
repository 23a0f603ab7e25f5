"""What has no effect goes: what a loop carries for nothing, branches that choose between equals, dead code."""

from typing import Any

from morula.static import ir
from morula.static.ir import Block, Branch, Const, Function, Loop, Op, Operand, Undefined, Value, walk

EFFECTS = frozenset({"store", "fill", "scatter", "raise", "print", "check", "draw"})


def simplify(f: Function) -> None:
    """Remove what the value and the effects of `f` do not depend on."""
    while remove_trivial(f):
        pass
    remove_dead(f)
    while remove_trivial(f):
        pass


def remove_trivial(f: Function) -> bool:
    """Drop carried values that never change, and joins of one value."""
    new: dict[Value, Operand] = {}
    for s in walk(f.body):
        if isinstance(s, Loop):
            for c in list(s.carries):
                if c.next is c.phi and not isinstance(c.init, Undefined):
                    new[c.phi] = c.init
                    s.carries.remove(c)
        elif isinstance(s, Branch):
            for j in list(s.joins):
                if j.then is j.orelse or (isinstance(j.orelse, Undefined) and _is_outside(j.then, s)):
                    new[j.out] = j.then
                elif isinstance(j.then, Undefined) and _is_outside(j.orelse, s):
                    new[j.out] = j.orelse
                else:
                    continue
                s.joins.remove(j)
    ir.replace_operands(f, new)
    return bool(new)


def _is_outside(x: Operand, s: Branch) -> bool:
    """Whether an operand is in scope after the branch."""
    if isinstance(x, Const):
        return True
    if not isinstance(x, Value):
        return False
    return not (ir.is_within(x.block, s.then) or ir.is_within(x.block, s.orelse))


def remove_dead(f: Function) -> None:
    live: set[Value] = set()
    kept: set[Any] = set()
    work: list[Operand] = list(ir.result_leaves(f.result))
    where = {id(s): block for block in _blocks(f.body) for s in block.statements}

    def keep(s: Any) -> None:
        """A statement is live: so is what it stands in, and what decides whether it runs."""
        if s in kept:
            return
        kept.add(s)
        if isinstance(s, Op):
            work.extend(s.args)
        elif isinstance(s, Loop):
            work.extend(x for x in (s.start, s.stop, s.step, s.exit) if x is not None)
        else:
            work.append(s.test)
        owner = where[id(s)].owner
        if owner is not None:
            keep(owner)

    for s in walk(f.body):
        if has_effect(s) or (isinstance(s, Loop) and s.exit is not None and s.start is None):
            keep(s)
    while work:
        x = work.pop()
        if not isinstance(x, Value) or x in live:
            continue
        live.add(x)
        d = x.definition
        if d is None:
            continue
        if isinstance(d, Loop):
            for c in d.carries:
                if c.phi is x:
                    work += [c.init, c.next]
        elif isinstance(d, Branch):
            for j in d.joins:
                if j.out is x:
                    work += [j.then, j.orelse]
        if id(d) in where:
            keep(d)
    for block in _blocks(f.body):
        block.statements = [s for s in block.statements if s in kept]
    for s in walk(f.body):
        if isinstance(s, Loop):
            s.carries = [c for c in s.carries if c.phi in live]
        elif isinstance(s, Branch):
            s.joins = [j for j in s.joins if j.out in live]


def has_effect(s: ir.Statement) -> bool:
    """Whether a statement does more than to compute its outs (a call that stays one may raise)."""
    if not isinstance(s, Op):
        return False
    return s.kind in EFFECTS or (s.kind == "array" and getattr(s.attr, "has_effects", False))


def _blocks(block: Block) -> list[Block]:
    found = [block]
    for s in block.statements:
        if isinstance(s, Loop):
            found += _blocks(s.body)
        elif isinstance(s, Branch):
            found += _blocks(s.then) + _blocks(s.orelse)
    return found
