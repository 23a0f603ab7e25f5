"""A function in parts: what stands before and after a line becomes functions of its own.

A line that has no static adjoint then does not cost the others theirs. Cut at the third line, ::

    def f(a, b):                          def f(a, b):
        u = [a * k for k in range(9)]         (u,) = part1(a)    # u = [...]; return (u,)
        w = odd(u, b)                         w = odd(u, b)
        for x in w:                           return part2(a, w) # for x in w: ...; return a
            a = a * x
        return a

Only what surely means the same is moved: no part leaves a loop or a function but at its end, deletes, or hands on a
variable that may not be bound, and no function made inside sees a variable of a part change.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import CodeType
from typing import Any

from morula.transform import names
from morula.transform.codes import ByCode
from morula.transform.reading import registered
from morula.transform.syntax import place, walk

__all__ = ["APPLIES", "NAME", "apart_from", "cut_at", "cuts_of", "in_parts"]

NAME = re.compile(r"<part \d+>")
MOST = 4  # cuts of one function
APPLIES: list[Callable[[CodeType], bool]] = []  # asked whether a function is to run in parts, here and now
_cuts: ByCode[frozenset[int]] = ByCode()

NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)
LOOPS = (ast.For, ast.While)
LOOPING = (*LOOPS, ast.ListComp, ast.DictComp, ast.SetComp)
DECLARING = (ast.Global, ast.Nonlocal, ast.Delete)
STAYING = (
    ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr, ast.ClassDef, ast.Match,
    ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef, ast.ImportFrom, ast.Import,
)  # fmt: skip
WATCHING = frozenset(  # what looks at frames, at how long things live, or at who calls
    "locals vars dir eval exec super globals breakpoint warn _getframe currentframe inspect traceback ref proxy "
    "finalize getrefcount __class__".split()
)


def cut_at(code: CodeType, line: int) -> bool:
    """Have a function run in parts, that the statement in this line is apart; whether that is new."""
    found = _cuts.get(code) or frozenset()
    is_plain = not code.co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)
    if line in found or len(found) >= MOST or line < code.co_firstlineno or not is_plain:
        return False
    _cuts.put(code, found | {line})
    return True


def cuts_of(code: CodeType) -> frozenset[int]:
    """The lines that are apart, if functions are to run in parts here."""
    found = _cuts.get(code) if _cuts.entries else None
    return found if found and all(ask(code) for ask in APPLIES) else frozenset()


def apart_from(code: CodeType, name: str) -> None:
    """Cut a part where it first mentions a variable that keeps it from being one by itself."""
    where = registered.get(code)
    if where is None or not isinstance(where.node, ast.FunctionDef) or not NAME.fullmatch(where.node.name):
        return
    for s in where.node.body:
        if name in names.mentioned(s):
            cut_at(code, s.lineno)
            return


def in_parts(
    args: ast.arguments, body: list[ast.stmt], free: Iterable[str], lines: frozenset[int]
) -> tuple[list[ast.FunctionDef], list[ast.stmt]]:
    """The parts of a function in which the statements in these lines are apart, and its body, which calls them."""
    if any(_name_of(n) in WATCHING or isinstance(n, DECLARING) for s in body for n in walk(s)):
        return [], body
    cutter = _Cutter(args, body, set(free), lines)
    body = cutter.cut()
    return cutter.made, body


def _name_of(node: ast.AST) -> str | None:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


class _Cutter:
    """What is known of the variables of one function."""

    def __init__(self, args: ast.arguments, body: list[ast.stmt], free: set[str], lines: frozenset[int]):
        self.body, self.lines = body, lines
        self.made: list[ast.FunctionDef] = []
        self.loops = 0  # around the block that is read
        self.parameters = set(names.parameters(args))
        self.local = (names.bound_names(body) | self.parameters) - free
        self.mentions = _mentions(body)
        scope = list(names.walk_scope(list(body)))
        self.stores = Counter([*self.parameters, *(n for node in scope for n in names.bound_by(node))])
        self.looped = set().union(*(names.bound_names([node]) for node in scope if isinstance(node, LOOPS)))
        self.captured = _in_functions(body) & self.local

    def cut(self) -> list[ast.stmt]:
        if not any(map(self._is_apart, self.body)):
            return self.body
        body = self._block(self.body, self.parameters & self.local, set(), is_tail=True)
        elsewhere = (set(_mentions(body)) & self.local) - names.bound_names(body) - self.parameters
        if elsewhere:  # bound in parts alone: they are no global variables out here
            never = ast.If(
                ast.Constant(0),
                [ast.Assign([ast.Name(n, ast.Store())], ast.Constant(None)) for n in sorted(elsewhere)],
                [],
            )
            place(never, self.body[0])
            body.insert(0, never)
        return body

    def _block(self, body: list[ast.stmt], before: set[str], after: set[str], is_tail: bool) -> list[ast.stmt]:
        """The statements of a block, with parts in place of what is between those that stay.

        Args:
            body: the block.
            before: the names that are bound before it.
            after: those that may be read after it.
            is_tail: whether the function ends with it.
        """
        last = max(i for i, s in enumerate(body) if self._is_apart(s))
        end = len(body)
        if is_tail and not any(isinstance(n, STAYING) for s in body[last + 1 :] for n in walk(s)):
            end = last + 1
        made: list[ast.stmt] = []
        start = 0  # of what may be the next part
        for i, s in enumerate(body[:end]):
            if self._is_apart(s) or _leaves(s) or any(isinstance(n, STAYING) for n in walk(s)):
                made += self._part(body[start:i], before, _read_later(body[i:], after))
                before = bound_after(body[start:i], before)
                rest = _read_later(body[i + 1 :], after)
                made.append(self._inside(s, before, rest) if self._is_apart(s) else s)
                before = bound_after([s], before)
                start = i + 1
        if end < len(body):
            return made + self._part(body[start:], before, None)
        return made + self._part(body[start:], before, after)

    def _is_apart(self, s: ast.stmt) -> bool:
        return any(s.lineno <= line <= (s.end_lineno or s.lineno) for line in self.lines)

    def _inside(self, s: ast.stmt, before: set[str], after: set[str]) -> ast.stmt:
        """A loop or a branch, with parts in the blocks in which there are lines that stay."""
        if isinstance(s, ast.For | ast.While) and any(map(self._is_apart, s.body)):
            inside = before | (names.bound_names([s.target]) if isinstance(s, ast.For) else set())
            self.loops += 1
            s.body = self._block(s.body, inside, after | _read_first([s], set()), False)
            self.loops -= 1
        elif isinstance(s, ast.If):
            for name in ("body", "orelse"):
                if any(map(self._is_apart, getattr(s, name))):
                    setattr(s, name, self._block(getattr(s, name), before, after, False))
        return s

    def _part(self, run: list[ast.stmt], before: set[str], after: set[str] | None) -> list[ast.stmt]:
        """A function of these statements and its call; the statements themselves where that cannot be, or is vain.

        `after` are the names that may be read later; None where the function ends with them.
        """
        worth = LOOPING if self.loops else (*LOOPING, ast.Call)  # in a loop calls are mostly short, and many
        if not any(isinstance(n, worth) for s in run for n in walk(s)):
            return run
        inside = _mentions(run)
        outside = {name for name, n in self.mentions.items() if n > inside[name]}
        stored = names.bound_names(run) & self.local
        given = _read_first(run, set()) & self.local
        kept = stored & after if after is not None else set()
        if not given <= before or not kept <= bound_after(run, before):
            return run
        if stored & self.captured & outside:
            return run
        seen = _in_functions(run) & self.local & (outside | self.parameters)
        if any(self.stores[name] != 1 or name in self.looped for name in seen):
            return run
        name = f"<part {len(self.made) + 1}>"
        takes, gives = sorted(given | (kept - bound_after(run, set()))), sorted(kept)
        arguments = ast.arguments([], [ast.arg(n) for n in takes], None, [], [], None, [])
        values = ast.Tuple([ast.Name(n, ast.Load()) for n in gives], ast.Load())
        last: list[ast.stmt] = [] if after is None else [ast.Return(values)]
        for end in last:
            place(end, run[-1])
        part = ast.FunctionDef(name, arguments, [*run, *last], [])
        part.type_params = []  # type: ignore[attr-defined]
        call = ast.Call(ast.Name(name, ast.Load()), [ast.Name(n, ast.Load()) for n in takes], [])
        then: ast.stmt
        if after is None:
            then = ast.Return(call)
        elif gives:
            then = ast.Assign([ast.Tuple([ast.Name(n, ast.Store()) for n in gives], ast.Store())], call)
        else:
            then = ast.Expr(call)
        place(part, run[0])
        place(then, run[0])
        self.made.append(part)
        return [then]


def _blocks(s: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a compound statement."""
    found = [getattr(s, name) for name in ("body", "orelse", "finalbody") if getattr(s, name, None)]
    found += [h.body for h in getattr(s, "handlers", ())]
    return [] if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else found


def _heads(s: ast.stmt) -> set[str]:
    """The names that the head of a compound statement binds."""
    if isinstance(s, ast.For | ast.AsyncFor):
        return names.bound_names([s.target])
    if isinstance(s, ast.With | ast.AsyncWith):
        return names.bound_names([item.optional_vars for item in s.items if item.optional_vars is not None])
    return {h.name for h in getattr(s, "handlers", ()) if h.name}


def _mentions(body: Iterable[ast.AST]) -> Counter[str]:
    """How often each name is mentioned, at any depth."""
    found: Counter[str] = Counter()
    for s in body:
        for n in walk(s):
            if isinstance(n, ast.Name):
                found[n.id] += 1
            elif isinstance(n, NAMED) and n.name:
                found[n.name] += 1
    return found


def _in_functions(body: Sequence[ast.AST]) -> set[str]:
    """The names that functions and generators mention which are made among these statements."""
    nested = (ast.FunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef, ast.AsyncFunctionDef)
    return {name for s in body for n in walk(s) if isinstance(n, nested) for name in names.mentioned(n)}


def _leaves(s: ast.stmt) -> bool:
    """Whether a statement may leave the block that it stands in, other than by an exception."""
    waiting: list[tuple[ast.AST, bool]] = [(s, False)]
    while waiting:
        n, in_loop = waiting.pop()
        if isinstance(n, ast.Return) or (isinstance(n, ast.Break | ast.Continue) and not in_loop):
            return True
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.expr):
            continue
        if isinstance(n, LOOPS):
            waiting += [(inner, True) for inner in n.body] + [(inner, in_loop) for inner in n.orelse]
        else:
            waiting += [(inner, in_loop) for inner in ast.iter_child_nodes(n)]
    return False


def bound_after(body: Iterable[ast.stmt], before: set[str]) -> set[str]:
    """The names that are bound after these statements if those `before` are.

    >>> sorted(bound_after(ast.parse("a = 1\\nif a: b = 2\\nelse: b = c = 3").body, set()))
    ['a', 'b']
    """
    bound = set(before)
    for s in body:
        if isinstance(s, ast.If):
            sides = [bound_after(side, bound) for side in (s.body, s.orelse) if not _ends(side)]
            bound = set.intersection(*sides) if sides else bound
        elif isinstance(s, ast.With):
            bound |= _heads(s)  # what is suppressed in there may leave the rest unbound
        elif isinstance(s, ast.Try):
            bound |= bound_after(s.finalbody, set())
            bound -= {h.name for h in s.handlers if h.name}
        elif isinstance(s, ast.Assign):
            bound |= {n for target in s.targets for n in names.bound_names([target])}
        elif isinstance(s, ast.AnnAssign) and s.value is not None:
            bound |= names.bound_names([s.target])
        elif isinstance(s, ast.FunctionDef | ast.ClassDef):
            bound.add(s.name)
        elif isinstance(s, ast.Import | ast.ImportFrom):
            bound |= {(alias.asname or alias.name).split(".")[0] for alias in s.names}
    return bound


def _ends(side: Sequence[ast.stmt]) -> bool:
    return bool(side) and isinstance(side[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _read_first(body: Iterable[ast.stmt], bound: set[str]) -> set[str]:
    """The names that these statements may read before they bind them."""
    found: set[str] = set()
    bound = set(bound)
    for s in body:
        blocks = _blocks(s)
        if not blocks:
            found |= _reads([s]) - bound
        else:
            found |= _reads(_head_nodes(s)) - bound
            inside = bound | (_heads(s) if isinstance(s, ast.For | ast.With) else set())
            for block in blocks:
                found |= _read_first(block, inside if block is getattr(s, "body", None) else bound)
        bound = bound_after([s], bound)
    return found


def _read_later(rest: Sequence[ast.stmt], after: set[str]) -> set[str]:
    """The names that may be read in the rest of a block or after it, as they are before.

    >>> rest = ast.parse("for _ in a:\\n    if b: continue\\n    w = 1").body[0].body
    >>> sorted(_read_later(rest, {"v", "w"}))
    ['b', 'v', 'w']
    """
    until = next((i for i, s in enumerate(rest) if _leaves(s)), len(rest))  # what is behind it may not be bound
    return _read_first(rest, set()) | (after - bound_after(rest[:until], set()))


def _head_nodes(s: ast.stmt) -> list[ast.AST]:
    """The expressions of a compound statement that are in none of its blocks."""
    fields: list[Any] = [getattr(s, "test", None), getattr(s, "iter", None), getattr(s, "target", None)]
    fields += [item.context_expr for item in getattr(s, "items", ())]
    fields += [item.optional_vars for item in getattr(s, "items", ())]
    fields += [h.type for h in getattr(s, "handlers", ())]
    return [n for n in fields if n is not None]


def _reads(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that are read, at any depth; what a statement adds to is read, too."""
    found: set[str] = set()
    for s in nodes:
        if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name):
            found.add(s.target.id)
        found |= {n.id for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return found
