"""The intermediate representation: structured control flow over values that are assigned once.

A block is a list of statements. A loop carries values from one iteration to the next (`Carry`), a branch hands
values out (`Join`); otherwise a value is assigned at one place, and read only where it is in scope. Arrays are
values, too: references to memory, which loads and stores look at.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from numba.core import types


@dataclass(eq=False)
class Value:
    """One value: its name in generated code, its Numba type, and what defines it.

    Attributes:
        lengths: of a parameter: for each axis its length if the code is for arrays of that length only, another
            parameter and the axis that is as long, or None.
    """

    name: str
    type: types.Type
    definition: Any = None  # the Op, Loop, Branch or None (a parameter)
    block: Any = None  # the Block in whose scope it is
    base: str = ""  # the name of the user's variable, or of a temporary
    lengths: "tuple[int | tuple[Value, int] | None, ...] | None" = None

    def __repr__(self) -> str:
        return self.name


@dataclass(eq=False, frozen=True)
class Const:
    """A literal."""

    value: Any

    def __repr__(self) -> str:
        return repr(self.value)


@dataclass(eq=False, frozen=True)
class Undefined:
    """What a variable holds on a path that has not assigned it: never read by a program that is right."""


Operand = Value | Const | Undefined

WITHOUT_BACKWARD = ("new", "constant", "constant_call")  # kinds of operations whose values begin with no derivative


@dataclass(eq=False)
class Op:
    """One operation.

    kind       attr                       operands
    unary      operator                   x
    binary     operator                   x, y
    call       callable (elementary)      x, ...
    cast       "float", "int", "bool"     x
    load                                  array, index ...
    store      None or an operator        array, value, index ...
    view       template of the index      array, what the template names
    resized    name of a helper           array, sizes ...   (the array, or another one in its place)
    shape      axis                       array
    new        "zeros", "empty" ...       sizes ... (and the dtype as attr[1])
    copy                                  array
    array      an ArrayRule               arguments by position
    effect     text template              operands (prints, raises)
    """

    kind: str
    outs: list[Value]
    args: list[Operand]
    attr: Any = None
    line: int = 0  # of the normal form

    @property
    def out(self) -> Value:
        return self.outs[0]


@dataclass(eq=False)
class Carry:
    """What a loop carries: `phi` is the value at the start of an iteration."""

    phi: Value
    init: Operand
    next: Operand
    out: Any = None  # the value after the loop; it shares its name with `phi`


@dataclass(eq=False)
class Loop:
    """A `for` over a range, or (where `start` is None) a loop that only `exit` ends."""

    index: Value | None
    start: Operand | None
    stop: Operand | None
    step: Operand | None
    carries: list[Carry]
    body: "Block"
    exit: Operand | None = None
    parallel: bool = False
    line: int = 0
    trips: Value | None = None  # how often the body ran, where only the run can say
    is_counted: bool = False  # whether the program counts by itself: its index is computed, and no item of a range


@dataclass(eq=False)
class Join:
    """What a branch hands out."""

    out: Value
    then: Operand
    orelse: Operand


@dataclass(eq=False)
class Branch:
    test: Operand
    then: "Block"
    orelse: "Block"
    joins: list[Join]
    line: int = 0


Statement = Op | Loop | Branch


@dataclass(eq=False)
class Block:
    statements: list[Statement] = field(default_factory=list)
    owner: Loop | Branch | None = None
    parent: "Block | None" = None

    def loops(self) -> list[Loop]:
        """The loops around this block, innermost first."""
        found = []
        block: Block | None = self
        while block is not None:
            if isinstance(block.owner, Loop):
                found.append(block.owner)
            block = block.parent
        return found


def is_within(block: Block | None, outer: Block) -> bool:
    """Whether a block is `outer`, or stands in it."""
    while block is not None and block is not outer:
        block = block.parent
    return block is outer


@dataclass(eq=False)
class Function:
    """A whole function."""

    name: str
    parameters: list[Value]
    body: Block
    result: Any  # an operand, or a (nested) tuple of operands
    leaves: dict[Value, tuple[int, tuple[int, ...]]] = field(default_factory=dict)  # their argument and path
    namespace: dict[str, Any] = field(default_factory=dict)
    user_lines: dict[int, tuple[str, int]] = field(default_factory=dict)
    callees: list[Any] = field(default_factory=list)  # what it calls that does not stand inline


def walk(block: Block) -> Iterator[Statement]:
    """Every statement in `block` and below it, in program order (a loop or branch before its parts)."""
    for s in block.statements:
        yield s
        if isinstance(s, Loop):
            yield from walk(s.body)
        elif isinstance(s, Branch):
            yield from walk(s.then)
            yield from walk(s.orelse)


def values_of(s: Statement) -> list[Value]:
    """The values that a statement defines, but for those after a loop (they are called as those inside it)."""
    if isinstance(s, Op):
        return s.outs
    if isinstance(s, Loop):
        return [c.phi for c in s.carries] + [v for v in (s.index, s.trips) if v is not None]
    return [j.out for j in s.joins]


def operands(s: Statement) -> Iterator[Operand]:
    """What a statement itself reads (not what the statements inside it read)."""
    if isinstance(s, Op):
        yield from s.args
    elif isinstance(s, Loop):
        for x in (s.start, s.stop, s.step, s.exit):
            if x is not None:
                yield x
        for c in s.carries:
            yield c.init
            yield c.next
    else:
        yield s.test
        for j in s.joins:
            yield j.then
            yield j.orelse


def replace_operands(f: Function, new: "dict[Value, Operand]") -> None:
    """Put other operands in the place of values, everywhere."""
    if not new:
        return

    def of(x: Any) -> Any:
        while isinstance(x, Value) and x in new:
            x = new[x]
        return x

    for s in walk(f.body):
        map_operands(s, of)
    f.result = map_result(f.result, of)


def map_operands(s: Any, of: Callable[[Any], Any]) -> None:
    """Have a statement, without those inside it, read other values."""
    if isinstance(s, Op):
        s.args = [of(x) for x in s.args]
    elif isinstance(s, Loop):
        s.start, s.stop, s.step, s.exit = of(s.start), of(s.stop), of(s.step), of(s.exit)
        for c in s.carries:
            c.init, c.next = of(c.init), of(c.next)
    else:
        s.test = of(s.test)
        for j in s.joins:
            j.then, j.orelse = of(j.then), of(j.orelse)


def map_result(result: Any, of: Any) -> Any:
    """`of` on each operand of a result, which may be a tuple of results."""
    if isinstance(result, Value | Const | Undefined):
        return of(result)
    items = getattr(result, "items", None)
    if items is None:
        return result
    return type(result)(tuple(map_result(x, of) for x in items), result.fields, result.type)


def result_leaves(result: Any) -> list[Operand]:
    """The operands of a result, in order."""
    if isinstance(result, Value | Const | Undefined):
        return [result]
    return [leaf for x in getattr(result, "items", ()) for leaf in result_leaves(x)]


class _Kinds(dict[type, bool]):
    """Whether instances of a class are of some kinds of type, by the class: asking Numba's classes takes long."""

    def __init__(self, *kinds: type):
        self.kinds = kinds

    def __missing__(self, of: type) -> bool:
        found = self[of] = issubclass(of, self.kinds)
        return found


_arrays = _Kinds(types.Array)
_active = _Kinds(types.Float, types.Complex)
_discrete = _Kinds(types.Integer, types.Boolean, types.NoneType, types.UnicodeType)
_complex = _Kinds(types.Complex)


def is_array(v: Operand) -> bool:
    return isinstance(v, Value) and _arrays[type(v.type)]


def _kind(t: types.Type) -> type:
    """The class of a type, of an array's elements."""
    return type(t.dtype) if _arrays[type(t)] else type(t)


def is_active_type(t: types.Type) -> bool:
    """Whether values of the type can have derivatives."""
    return _active[_kind(t)]


def is_discrete_type(t: types.Type) -> bool:
    """Whether values of the type have no derivatives, whatever they are made from."""
    return _discrete[_kind(t)]


def is_complex_type(t: types.Type) -> bool:
    """Whether values of the type, or its elements, are complex."""
    return _complex[_kind(t)]
