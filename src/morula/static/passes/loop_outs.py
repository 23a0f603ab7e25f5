"""What a loop carries has two values: one inside, in each iteration, and one after the loop."""

from morula.static import ir
from morula.static.ir import Block, Branch, Function, Loop, Op, Operand, Value


def name_loop_outs(f: Function) -> None:
    """Give the value after a loop an identity of its own, and put it where the carried variable is read there."""
    _block(f.body)
    new = {c.phi: c.out for s in f.body.statements if isinstance(s, Loop) for c in s.carries}
    f.result = ir.map_result(f.result, lambda x: new.get(x, x))


def _block(block: Block) -> None:
    for s in block.statements:
        if isinstance(s, Loop):
            _block(s.body)
            for c in s.carries:
                c.out = Value(c.phi.name, c.phi.type, s, block, c.phi.base)
        elif isinstance(s, Branch):
            _block(s.then)
            _block(s.orelse)
    new: dict[Value, Value] = {}
    for s in block.statements:
        _replace(s, new)
        if isinstance(s, Loop):
            new.update({c.phi: c.out for c in s.carries})
    if isinstance(block.owner, Loop):
        for c in block.owner.carries:
            c.next = _of(c.next, new)
        if block.owner.exit is not None:
            block.owner.exit = _of(block.owner.exit, new)
    elif isinstance(block.owner, Branch):
        for j in block.owner.joins:
            if block is block.owner.then:
                j.then = _of(j.then, new)
            else:
                j.orelse = _of(j.orelse, new)


def _of(x: Operand, new: dict[Value, Value]) -> Operand:
    return new.get(x, x) if isinstance(x, Value) else x


def _replace(s: ir.Statement, new: dict[Value, Value]) -> None:
    """In one statement and all that it holds."""
    if isinstance(s, Op):
        s.args = [_of(x, new) for x in s.args]
    elif isinstance(s, Loop):
        s.start, s.stop, s.step = (None if x is None else _of(x, new) for x in (s.start, s.stop, s.step))
        s.exit = None if s.exit is None else _of(s.exit, new)
        for c in s.carries:
            c.init, c.next = _of(c.init, new), _of(c.next, new)
        for inner in s.body.statements:
            _replace(inner, new)
    else:
        s.test = _of(s.test, new)
        for j in s.joins:
            j.then, j.orelse = _of(j.then, new), _of(j.orelse, new)
        for inner in [*s.then.statements, *s.orelse.statements]:
            _replace(inner, new)
