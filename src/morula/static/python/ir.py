"""The form in which a program is reversed: operations on atoms, assignments, branches and loops, nothing that jumps.

An atom is the name of a variable or of a temporary, or a number as it is written. A temporary is computed at one place;
a variable is what the program assigns, and the control flow may assign it anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from types import FunctionType
from typing import Any

from morula.static.python.forms import zeros_of
from morula.static.python.inputs import Input, Structure, leaves_of
from morula.static.python.plain_classes import dataclass
from morula.static.python.unsupported import Unsupported

__all__ = [
    "CHANGES", "Again", "Append", "Attempt", "Block", "Branch", "Compute", "Drop", "Fail", "Input", "Invoke", "Loop",
    "Program", "Set", "Store", "Structure", "Sub", "Unsupported", "atoms_of", "enclosed", "is_flag", "is_integer",
    "is_name", "is_written_out", "walk",
]  # fmt: skip

Block = list[Any]


class Again(Exception):
    """The program is to be built anew, now that more is known of it."""


@dataclass()
class Compute:
    """``target = op(*args)``: an operation without side effects.

    Attributes:
        target: a temporary.
        op: an operator's name, ``"call"``, ``"index"``, ``"length"``, ``"width"`` (of a row), ``"float"``, ``"int"``,
            ``"not"``, a comparison; ``"search"`` (by `f` in a list); ``"chosen"``: its first
            operand, which is one of the others; ``"element"``: what becomes of a number in an array
            of floats;
            ``"numpy"``: a `forms.Form`; what makes a list: ``"new"`` (the number in it, how many, the length of rows),
            ``"display"``, ``"copied"``, ``"sliced"``, ``"listed"`` (of an array), ``"joined"``, ``"order"`` (that
            sorting brings a list into); ``"row"`` of one; ``"packed"``: the array that a list stands for.
        args: atoms.
        f: the callable of a call, or the form; what the program has for a list: `numpy.ndarray` or `list`.
    """

    target: str
    op: str
    args: tuple[str, ...]
    f: Any = None


@dataclass()
class Set:
    """``var = value``, an atom."""

    var: str
    value: str


@dataclass()
class Store:
    """``array[index] = value``: a number, by as many indices as the array has axes, or a row of a list of rows."""

    array: str
    index: tuple[str, ...]
    value: str


@dataclass()
class Append:
    """``array.append(value)``, or ``array.insert(0, value)`` at the `start`.

    Attributes:
        unlike: lists that loops around it go through, which must be other ones.
    """

    array: str
    value: str
    start: bool = False
    unlike: tuple[str, ...] = ()


@dataclass()
class Drop:
    """``del array[at]``; `unlike` as of an `Append`."""

    array: str
    at: str
    unlike: tuple[str, ...] = ()


CHANGES = Store | Append | Drop


@dataclass()
class Branch:
    """``if test: body`` with ``else: orelse``; `test` is an atom."""

    test: str
    body: Block = field(default_factory=list)
    orelse: Block = field(default_factory=list)


@dataclass()
class Attempt(Branch):
    """``try: body``; `test` is then 0, or else the number of the handler that has caught an exception, from 1 on.

    Nothing that `body` assigns is read if it raises; `orelse` only says that `test` changes.
    """

    handlers: tuple[str, ...] = ()  # the classes that each of them catches, as they are written


@dataclass()
class Loop:
    """``for var in range(*args): body``, or for ever without a `var`; left after a turn where `exit` is true.

    `over` are the lists that the program goes through, which must not grow meanwhile.
    """

    var: str | None
    args: tuple[str, ...]
    body: Block = field(default_factory=list)
    exit: str | None = None
    over: tuple[str, ...] = ()


@dataclass()
class Fail:
    """The program raises here: the eager tier runs it from the start, unless an `Attempt` catches that class."""

    kind: str = ""


@dataclass()
class Sub:
    """A function that is not written into those that call it, since it calls itself.

    Attributes:
        name: of the text.
        params: the variables that the arguments are given to.
        results: the variables that hold what it returns.
    """

    name: str
    params: tuple[str, ...]
    body: Block = field(default_factory=list)
    results: tuple[str, ...] = ()


@dataclass()
class Invoke:
    """``targets = sub(*args)``; the targets are assigned nowhere else."""

    targets: tuple[str, ...]
    sub: Sub
    args: tuple[str, ...]

    def passed(self) -> list[tuple[str, str]]:
        """``(variable, atom that it is given)``: on the way into the function, and out of it."""
        return [*zip(self.sub.params, self.args, strict=True), *zip(self.targets, self.sub.results, strict=True)]


@dataclass()
class Program:
    """One function, with those that it calls written into it.

    Attributes:
        function: the user's.
        inputs: the arguments first.
        n_args: how many of the inputs are arguments.
        wanted: the positions of those that are differentiated by.
        guards: lines that raise where what the program was made of is not what it was.
        lengths: of arrays, where they matter.
        constants: inputs that nobody changes, such as `math.pi`.
        space: the names that `read` and `guards` use.
        result: the variable that has the value.
        verb: what is made of it: "gradient"; "tangent" of the value; "product", the change of the gradient along a
            direction; "pullback"; "probe", nothing but a run.
        value: what is returned, where that may be more than a number.
        weighted: whether that is a sum with weights, the last argument.
        handed: the places that the program writes into, whose contents are part of the value: of arguments, or in them,
            by the position, then a pair for each step, of whether it is an item, and the attribute or the key.
        by_leaves: whether the numbers and arrays in what is differentiated by count one by one.
        returns: whether it returns something else before what is handed.
        captured: the captured variables that are differentiated by, too; their inputs, where they are read.
        subs: the functions that call themselves.
        shapes: of the atoms that are arrays as NumPy has them.
        is_small: whether some arrays of few numbers are taken for numbers.
        groups: temporaries that are the numbers of one array.
        written: the arguments that the program writes into.
        structures: by position, the arguments that are no numbers or arrays.
        things: texts of all objects, dicts and lists from outside, which must be several; `are_given`: as arguments.
        follows_kinds: whether it calls what gives a float, but one of NumPy's numbers for such a one.
        objects: those of them that are objects.
        stored: by such a text, the attributes or items that the program writes, and the variables that have them.
        is_exact: whether the text tells derivatives of zero from absent ones (see `absent`).
        is_vague: whether a text cannot: it sends nothing where the eager tier sends zero.
        is_repeated: whether it takes a list of floats for the first argument, and gives a list of what each comes to.
        is_single: whether the value is an array without axes, of which `result` is the number.
        is_observed: whether integers were found by running it (see `observed`).
        relied_on: atoms with the types that their numbers must be of, whatever path the program takes.
        tuples: texts that read constant tuples with floats.
        draws_from: generators of random numbers that it shares with others; whether it `prints` something, and
            whether it `spells` numbers, that is reads them from texts.
        makes_float: whether cotangents may be NumPy's numbers, so that those of floats are made floats in the end.
        runs_again: whether the program itself says in the end whether its value is one of NumPy's numbers, if it
            does not `has_ties` where it compares two numbers of which nobody knows the type; `is_told`: even of these.
        uncaught: why exceptions that it catches are left to the eager tier.
        fixed: texts of what is asked whether it is still a constant (see `still`), and the inputs that lie in it.
    """

    function: FunctionType
    body: Block = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    n_args: int = 0
    wanted: tuple[int, ...] = ()
    guards: list[str] = field(default_factory=list)
    lengths: dict[str, int] = field(default_factory=dict)
    constants: set[str] = field(default_factory=set)
    space: dict[str, Any] = field(default_factory=dict)
    result: str = "result"
    verb: str = "gradient"
    value: Any = None
    weighted: bool = False
    handed: tuple[Any, ...] = ()
    by_leaves: bool = False
    returns: bool = True
    captured: dict[str, Input | None] = field(default_factory=dict)
    subs: list[Sub] = field(default_factory=list)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    is_small: bool = False
    groups: list[tuple[str, ...]] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    structures: dict[int, Structure | None] = field(default_factory=dict)
    things: list[str] = field(default_factory=list)
    are_given: bool = True
    follows_kinds: bool = False
    objects: set[str] = field(default_factory=set)
    stored: dict[str, dict[Any, str]] = field(default_factory=dict)
    is_exact: bool = False
    is_vague: bool = False
    is_repeated: bool = False
    is_observed: bool = False
    is_single: bool = False
    relied_on: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    tuples: list[str] = field(default_factory=list)
    fixed: set[str] = field(default_factory=set)
    draws_from: list[Any] = field(default_factory=list)
    prints: bool = False
    spells: bool = False
    makes_float: bool = False
    runs_again: bool = False
    has_ties: bool = False
    uncaught: Unsupported | None = None
    is_told: bool = False

    @property
    def zero(self) -> str:
        """What cotangents of numbers begin with."""
        return "NOTHING" if self.is_exact else "0.0"

    @property
    def results(self) -> set[str]:
        """The variables that have what is returned."""
        if self.value is None:
            return {self.result}
        return {atom for leaf in self.value.leaves() for atom in leaf.atoms if is_name(atom)}

    def statements(self) -> Iterator[Any]:
        """All of them, those of `subs` too."""
        for block in (self.body, *[s.body for s in self.subs]):
            yield from walk(block)

    def zeros(self, shape: tuple[int, ...]) -> str:
        """The name of an array of zeros."""
        name = f"zeros_{'_'.join(map(str, shape))}"
        if name not in self.space:
            self.space[name] = zeros_of(shape)
        return name

    def names(self) -> list[str]:
        """The variables that hold the inputs."""
        return [name for i in self.inputs for name in (i.name, i.array) if name]

    def is_given_back(self, i: int) -> bool:
        """Whether an argument is to be as it was after the call, where it is a list, a dict or an object."""
        return self.verb != "pullback" and (i in self.wanted or self.verb != "gradient")

    def independent(self) -> list[Input | Structure | None]:
        """What is differentiated by."""
        if self.by_leaves:
            return [*[leaf for _, leaf in self.paths()], *self.captured.values()]
        return [*[self.structures.get(i, self.inputs[i]) for i in self.wanted], *self.captured.values()]

    def paths(self) -> list[tuple[tuple, Input]]:
        """The numbers and arrays in the wanted arguments, with their places, as in `handed`."""
        given = [((i,), self.structures.get(i, self.inputs[i])) for i in self.wanted]
        return [found for path, part in given if part is not None for found in leaves_of(part, path)]

    def sources(self) -> Iterator[Input]:
        """The inputs that are differentiated by."""
        for given in self.independent():
            if isinstance(given, Structure):
                yield from given.leaves()
            elif given is not None:
                yield given


def is_name(atom: str) -> bool:
    """Whether an atom is a variable or a temporary, and no number."""
    return atom[0].isalpha() and not is_flag(atom)


def is_integer(atom: Any) -> bool:
    """Whether an atom is an integer as it is written."""
    return isinstance(atom, str) and not is_name(atom) and atom.strip("()").lstrip("-").isdigit()


def is_written_out(atom: Any) -> bool:
    """Whether an atom is an integer or a float as it is written."""
    return isinstance(atom, str) and not is_name(atom) and atom[-1] != "j" and not is_flag(atom)


def is_flag(atom: Any) -> bool:
    """Whether an atom is a truth value as it is written."""
    return isinstance(atom, str) and atom in ("True", "False")


def atoms_of(s: Any) -> tuple[str, ...]:
    """The atoms that a statement reads, without those inside it."""
    if isinstance(s, Compute | Loop | Invoke):
        return s.args
    if isinstance(s, Store):
        return (s.array, *s.index, s.value)
    if isinstance(s, Append):
        return (s.array, s.value, *s.unlike)
    if isinstance(s, Drop):
        return (s.array, s.at, *s.unlike)
    return (s.value,) if isinstance(s, Set) else (s.test,) if isinstance(s, Branch) else ()


def enclosed(block: Block, loops: frozenset[int] = frozenset()) -> Iterator[tuple[Any, frozenset[int]]]:
    """All statements as they stand in the text, with the loops around each by their identities."""
    for s in block:
        yield s, loops
        if isinstance(s, Branch):
            yield from enclosed(s.body, loops)
            yield from enclosed(s.orelse, loops)
        elif isinstance(s, Loop):
            yield from enclosed(s.body, loops | {id(s)})


def walk(block: Block) -> Iterator[Any]:
    """All statements, those inside others after them."""
    for s in block:
        yield s
        if isinstance(s, Branch):
            yield from walk(s.body)
            yield from walk(s.orelse)
        elif isinstance(s, Loop):
            yield from walk(s.body)
