"""Programs from a grammar, as hypothesis strategies that draw source text.

The grammar is the table of `Group`s in `groups_*`: templates of Python with holes, in a program state that every
template may rely on. The holes:

    $S    an expression that is a float                $i   an index of a vector, -4 <= i < 4
    $A    an expression that is a vector of 4          $n   a number
    $C    a condition                                  $k   1, 2 or 3
    $V    a variable that is a vector of 4             $0   a number that makes the template's own names fresh
    $X    a variable that is a float                   $N   ``nonlocal`` with everything that may be assigned

and, on lines of their own, blocks of statements: `$B` as deep as allowed, `$L` the same in the body of a loop (with
`break` and `continue`), `$F` the body of a function, `$b` one simple statement. A template's names ``i$0``, ``t$0``
and ``r$0`` are an index, a float and a vector that its blocks may use.
"""

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from textwrap import indent

import hypothesis.strategies as st

Draw = Callable[[st.SearchStrategy], object]
HOLE = re.compile(r"\$([SACVXniNk])")
LENGTH = 4


@dataclass(frozen=True)
class Group:
    """Constructs that belong together.

    Attributes:
        name: what the command line calls it.
        module: source at the top of the module.
        parameters: names and initial values (source, with ``$n``) of further arguments of the program.
        setup: source that binds the variables of the group, at the start of the program.
        result: source that adds what the group holds to ``out``, at its end.
        shown: expressions whose representation is logged at the end.
        scalars, vectors, conditions, lines, blocks: templates.
    """

    name: str
    module: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    setup: str = ""
    result: str = ""
    shown: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()


def each_line(text: str) -> tuple[str, ...]:
    """One template a line."""
    return tuple(line for line in text.strip().split("\n") if line)


def each_paragraph(text: str) -> tuple[str, ...]:
    """Templates of several lines, with blank lines between."""
    return tuple(part.strip("\n") for part in text.strip("\n").split("\n\n"))


@dataclass(frozen=True)
class Scope:
    """What a template may use at one place of a program."""

    groups: tuple[Group, ...]
    depth: int = 2
    indices: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    in_loop: bool = False


@cache
def among(options: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from(options)


@cache
def templates(groups: tuple[Group, ...], field: str) -> tuple[tuple[str, ...], ...]:
    return tuple(found for group in groups if (found := getattr(group, field)))


NUMBERS = ("0.5", "1.5", "-0.7", "0.3", "-1.2", "2.0", "0.9", "(-0.1)")
LEAF_SCALARS = ("a", "s", "b", "c", "$V[$i]", "$n")
CONDITIONS = (
    "$S > $n", "$S < $S", "$V[$i] > 0.1", "abs($S) < 0.8", "not $S > 0.2", "$S > 0.0 and $S < 0.7", "0.0 < $S < 0.5",
    "$A.sum() > $n", "($A > 0.2).any()",
)  # fmt: skip
LOOP_LINES = ("if $C: break", "if $C: continue")


class Writer:
    """Fills templates; draws every choice, the simplest first, so that hypothesis can shrink what comes out."""

    def __init__(self, draw: Draw, groups: tuple[Group, ...]):
        self.draw = draw
        self.fresh = 0
        assigned = {name for group in groups for name in assigned_names(group.setup)}
        parameters = {name for group in groups for name, _ in group.parameters}
        self.nonlocals = "nonlocal " + ", ".join(sorted(assigned | parameters))

    def pick(self, *options: str) -> str:
        return self.draw(among(options))

    def of(self, scope: Scope, field: str) -> str:
        """A template: first a group, so that a long list does not crowd out a short one, then one of its own."""
        return self.pick(*self.draw(st.sampled_from(templates(scope.groups, field))))

    def fill(self, template: str, scope: Scope, level: int) -> str:
        """An expression or a line with its holes filled, `level` operations deep at most."""
        return HOLE.sub(lambda hole: self.hole(hole[1], scope, level), template)

    def hole(self, kind: str, scope: Scope, level: int) -> str:
        match kind:
            case "S":
                if level <= 0 or self.draw(st.integers(0, 2)) == 0:
                    return self.fill(self.pick(*LEAF_SCALARS, *scope.scalars), scope, 0)
                return self.fill(self.of(scope, "scalars"), scope, level - 1)
            case "A":
                if level <= 0 or self.draw(st.integers(0, 2)) == 0:
                    return self.hole("V", scope, 0)
                return self.fill(self.of(scope, "vectors"), scope, level - 1)
            case "C":
                own = templates(scope.groups, "conditions")
                options = self.draw(st.sampled_from((CONDITIONS, *own)))
                return self.fill(self.pick(*options), scope, level - 1)
            case "V":
                return self.pick("u", "v", "w", "x", "y", *scope.vectors)
            case "X":
                return self.pick("a", "b", "c")
            case "n":
                return self.pick(*NUMBERS)
            case "k":
                return self.pick("1", "2", "3")
            case "i":
                loops = tuple(f"({i} + {k}) % {LENGTH}" for i in scope.indices for k in (0, 1))
                return self.pick("0", "1", "2", "3", "-1", "-2", "-4", *loops)
            case "N":
                return self.nonlocals
            case _:
                raise ValueError(f"no hole is called ${kind}")

    def block(self, scope: Scope, most: int) -> str:
        made = [self.statement(scope)]
        while len(made) < most and self.draw(st.booleans()):
            made.append(self.statement(scope))
        return "\n".join(made)

    def statement(self, scope: Scope) -> str:
        if scope.in_loop and self.draw(st.integers(0, 5)) == 5:
            return self.fill(self.pick(*LOOP_LINES), scope, 1)
        if scope.depth > 0 and self.draw(st.integers(0, 2)) == 2:
            return self.compound(self.of(scope, "blocks"), scope)
        return self.fill(self.of(scope, "lines"), scope, 2)

    def compound(self, template: str, scope: Scope) -> str:
        """A template of several lines, with blocks of statements in it."""
        self.fresh += 1
        template = template.replace("$0", str(self.fresh))
        own = sorted(set(re.findall(rf"\b[itr]{self.fresh}\b", template)))
        inner = replace(
            scope,
            depth=scope.depth - 1,
            indices=(*scope.indices, *(n for n in own if n[0] == "i")),
            scalars=(*scope.scalars, *(n for n in own if n[0] == "t")),
            vectors=(*scope.vectors, *(n for n in own if n[0] == "r")),
        )
        lines = []
        for line in template.split("\n"):
            hole = line.strip()
            if hole not in ("$B", "$L", "$F", "$b"):
                lines.append(self.fill(line, scope, 1))
                continue
            body = {
                "$B": inner,
                "$L": replace(inner, in_loop=True),
                "$F": replace(inner, in_loop=False),
                "$b": replace(inner, depth=0),
            }[hole]
            lines.append(indent(self.block(body, 1 if hole == "$b" else 2), line[: -len(hole)]))
        return "\n".join(lines)


def assigned_names(source: str) -> Iterable[str]:
    return (n.id for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def assemble(draw: Draw, core: Group, chosen: tuple[Group, ...], statements: int) -> str:
    """A whole module: ``LOG``, ``arguments()`` and ``program(...)``."""
    groups = (core, *chosen)
    writer = Writer(draw, groups)
    scope = Scope(groups)
    body = [writer.fill(writer.statement(scope), scope, 0) for _ in range(statements)]
    values = number_source(draw)
    parameters = [p for group in groups for p in group.parameters]
    initial = [re.sub(r"\$n", lambda _: next(values), source) for _, source in parameters]
    shown = [expression for group in groups for expression in group.shown]
    parts = [
        *(group.module.strip("\n") for group in groups if group.module),
        f"def arguments():\n    return ({', '.join(initial)},)",
        f"def program({', '.join(name for name, _ in parameters)}):",
        *(indent(group.setup.strip("\n"), "    ") for group in groups if group.setup),
        *(indent(statement, "    ") for statement in body),
        *(f"    LOG.append(repr({expression}))" for expression in shown),
        "    out = 0.0",
        *(indent(group.result.strip("\n"), "    ") for group in groups if group.result),
        "    return out",
    ]
    return "\n".join(parts) + "\n"


def number_source(draw: Draw) -> Iterable[str]:
    """Numbers of both signs without ties, other ones for each drawn start."""
    start = draw(st.integers(0, 999))
    k = 0
    while True:
        k += 1
        yield f"{((start * 0.137 + k * 0.6180339887) % 1.0) * 2.2 - 1.1:.4f}"


@st.composite
def programs(draw: Draw, groups: tuple[Group, ...], most_groups: int = 4, most_statements: int = 8) -> str:
    """Modules that mix the first of `groups` with a few of the others."""
    core, *others = groups
    number = draw(st.integers(0, min(most_groups, len(others))))
    wanted = draw(st.sets(st.integers(0, len(others) - 1), min_size=number, max_size=number)) if number else ()
    chosen = tuple(others[k] for k in sorted(wanted))
    return assemble(draw, core, chosen, draw(st.integers(2, most_statements)))
