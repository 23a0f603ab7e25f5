"""From a code object back to the syntax tree of the function it was compiled from."""

import __future__

import ast
import functools
import inspect
import linecache
import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType

from morula.transform.bytecode.same import same_code
from morula.transform.deep import copied, deeply
from morula.transform.state import Rebound, may_rebind_globals, rebound_globals
from morula.transform.syntax import children, compiled, one_at_a_time, parsed, walk

FUTURE_FLAGS = functools.reduce(
    operator.or_, [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names]
)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp


class SourceUnavailable(Exception):
    """The source of a function is not available; the message says why."""


@dataclass(frozen=True)
class FunctionSource:
    """A function's syntax tree and where it stands."""

    node: FunctionNode
    filename: str
    class_name: str | None  # the innermost enclosing class, for the mangling of private names
    rebound: tuple[Rebound, ...] = ()  # global variables that the file rebinds inside functions
    from_byte_code: bool = False


Place = tuple[str, int]  # name and first line of a function


@dataclass(frozen=True)
class _File:
    text: str
    tree: ast.Module
    functions: dict[Place, list[tuple[FunctionNode, str | None]]]
    codes: dict[Place, list[CodeType]]
    rebound: tuple[Rebound, ...]
    rewritten: list[dict[Place, list[CodeType]]] = field(default_factory=list)  # as pytest compiles it, when asked for


MOST_FILES = 300
_files: dict[str, tuple[int, _File]] = {}  # filename -> (hash of its text, what was parsed)


def source_of(code: CodeType) -> FunctionSource:
    """The syntax tree that `code` was compiled from, from its source.

    Several lambdas on a line are told apart by the columns recorded in the bytecode.

    Raises:
        SourceUnavailable: no source, or the file no longer holds this function.
    """
    with one_at_a_time:
        return _source_of(code)


def _source_of(code: CodeType) -> FunctionSource:
    filename = code.co_filename
    alone = _alone(code)
    if alone is not None:
        return alone
    file = _parsed(filename)
    place = (code.co_name, code.co_firstlineno)
    found = _candidates(file, place, code)
    if not found:  # the lines above it have been edited: the function itself may be what it was
        places = [p for p in file.functions if p[0] == code.co_name and p != place]
        found = [pair for p in places for pair in _candidates(file, p, code)]
    if not found:
        raise SourceUnavailable(
            f"line {code.co_firstlineno} of {filename} no longer contains it (was the file edited after it was "
            "imported?)"
        )
    node, class_name = found[0]  # several would be functions that do the same
    return FunctionSource(node, filename, class_name, file.rebound)


def _alone(code: CodeType) -> FunctionSource | None:
    """The function that starts where `code` says, read without the rest of a long file; None: the file is to be parsed.

    It counts only if it compiles to what `code` does, so where its text ends may be guessed.
    """
    filename, first = code.co_filename, code.co_firstlineno
    lines = linecache.getlines(filename)
    if len(lines) < LONG or filename in _files or code.co_name.startswith("<") or _is_rewritten(code):
        return None
    text = function_text(lines, first)
    indented = text[:1].isspace()
    try:
        tree = parsed("\n" * (first - 1 - indented) + ("if 1:\n" if indented else "") + text)
    except SyntaxError:
        return None
    statements = tree.body[0].body if indented and isinstance(tree.body[0], ast.If) else tree.body
    node = statements[0]
    if len(statements) != 1 or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    if node.name != code.co_name or not _same_signature(node, code):
        return None
    class_name = _enclosing_class(code.co_qualname)
    body: list[ast.stmt] = [node]
    if class_name is not None:
        around = ast.ClassDef(class_name, [], [], body, [])
        around.type_params = []  # type: ignore[attr-defined]
        body = [around]
    captured = [ast.arg(name) for name in code.co_freevars if name != "__class__"]
    outer = ast.FunctionDef("<outer>", ast.arguments([], captured, None, [], [], None, []), body, [])
    outer.type_params = []  # type: ignore[attr-defined]
    codes: dict[Place, list[CodeType]] = {}
    try:
        module = ast.fix_missing_locations(ast.Module([outer], []))
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | (code.co_flags & FUTURE_FLAGS)
        _collect_codes(deeply(lambda: compiled(module, "", flags)), codes)
    except SyntaxError:
        return None
    if not any(same_code(made, code) for made in codes.get((node.name, first), [])):
        return None
    return FunctionSource(node, filename, class_name, _rebound_in(filename, lines))


LONG = 300  # lines, from which on a function is read alone


def function_text(lines: list[str], first: int) -> str:
    """The lines of a function from line `first` on, up to where a line begins as far to the left: perhaps too few.

    >>> function_text(["if 1:\\n", "  def f(\\n", "    x\\n", "  ):\\n", "    return x\\n", "  y = 2\\n"], 2)
    '  def f(\\n    x\\n  ):\\n    return x\\n'
    """
    head = lines[first - 1]
    margin = len(head) - len(head.lstrip())
    last, in_body = first, False
    for i in range(first - 1, len(lines)):
        line = lines[i]
        start = line.lstrip()
        if not start or start.startswith("#"):
            continue
        if in_body and len(line) - len(start) <= margin and start[0] not in ")]}":
            break
        in_body = in_body or start.startswith(("def ", "async "))
        last = i + 1
    return "".join(lines[first - 1 : last])


def _enclosing_class(qualname: str) -> str | None:
    """The innermost class around a function of this qualified name."""
    parts = qualname.split(".")[:-1]
    classes = [a for a, b in zip(parts, [*parts[1:], ""], strict=False) if a != "<locals>" and b != "<locals>"]
    return classes[-1] if classes else None


def _rebound_in(filename: str, lines: list[str]) -> tuple[Rebound, ...]:
    """The global variables that a file rebinds inside functions; it is parsed only if its text may do so."""
    lines_then = _rebound.get(filename)
    if lines_then is None or lines_then[0] is not lines:
        found = tuple(set(rebound_globals(parsed("".join(lines))))) if may_rebind_globals(lines) else ()
        lines_then = _rebound[filename] = (lines, found)
    return lines_then[1]


_rebound: dict[str, tuple[list[str], tuple[Rebound, ...]]] = {}  # filename -> (its lines, what it rebinds)


def _candidates(file: _File, place: Place, code: CodeType) -> list[tuple[FunctionNode, str | None]]:
    """The functions that start at `place` and compile to what `code` does."""
    found = [pair for pair in file.functions.get(place, []) if _same_signature(pair[0], code)]
    if not found or (len(found) == 1 and any(same_code(made, code) for made in _codes_for(file, code).get(place, []))):
        return found
    if len(found) == 1:
        return []
    codes = told_apart([node for node, _ in found], lambda: _compiled(file.tree))
    same = [pair for pair in found if pair[0] in codes and same_code(codes[pair[0]], code)]
    return _by_columns(same, code) if len(same) > 1 else same


def told_apart(nodes: list[FunctionNode], compiled: Callable[[], CodeType]) -> dict[FunctionNode, CodeType]:
    """The code that each of some functions on one line compiles to: found by giving them lines of their own."""
    before = [{name: getattr(n, name, None) for name in POSITION} for n in nodes]
    try:
        for i, node in enumerate(nodes):
            for name, value in zip(POSITION, (FAR + i, 0, FAR + i, 0), strict=True):
                setattr(node, name, value)
        codes: dict[Place, list[CodeType]] = {}
        _collect_codes(compiled(), codes)
    finally:
        for node, fields in zip(nodes, before, strict=True):
            for name, kept in fields.items():
                setattr(node, name, kept)
    by_line = {line: made[0] for (_, line), made in codes.items()}
    return {node: by_line[FAR + i] for i, node in enumerate(nodes) if FAR + i in by_line}


POSITION = ("lineno", "col_offset", "end_lineno", "end_col_offset")
FAR = 1 << 24  # a line that no file has


def _codes_for(file: _File, code: CodeType) -> dict[Place, list[CodeType]]:
    """What the text compiles to; pytest rewrites assertions before."""
    if not _is_rewritten(code):
        return file.codes
    if not file.rewritten:
        codes: dict[Place, list[CodeType]] = {}
        tree = copied(file.tree)
        sys.modules["_pytest.assertion.rewrite"].rewrite_asserts(tree, file.text.encode())
        _collect_codes(_compiled(tree), codes)
        file.rewritten.append(codes)
    return file.rewritten[0]


def _is_rewritten(code: CodeType) -> bool:
    if "_pytest.assertion.rewrite" not in sys.modules:
        return False
    names = (*code.co_names, *code.co_varnames, *code.co_cellvars)
    return any(n.startswith("@py") for n in names) or any(
        _is_rewritten(inner) for inner in code.co_consts if isinstance(inner, CodeType)
    )


def _parsed(filename: str) -> _File:
    lines = linecache.getlines(filename) or linecache.getlines(_file_of_frozen(filename))
    if not lines:
        raise SourceUnavailable(f"no source is kept for {filename!r}")
    text = "".join(lines)
    key = hash(text)
    cached = _files.get(filename)
    if cached is not None and cached[0] == key:
        return cached[1]
    try:
        tree = parsed(text)
    except SyntaxError:
        try:  # an IPython cell with magics, a doctest fragment: what does not parse cannot be read back
            tree = parsed(inspect.cleandoc(text))
        except SyntaxError:
            raise SourceUnavailable(f"the text of {filename!r} does not parse") from None
    functions: dict[Place, list[tuple[FunctionNode, str | None]]] = {}
    _index(tree, None, functions)
    file = _File(text, tree, functions, {}, tuple(set(rebound_globals(tree))))
    try:
        whole = deeply(lambda: _compiled(tree))
    except SyntaxError:
        raise SourceUnavailable(f"the text of {filename!r} does not compile") from None
    _collect_codes(whole, file.codes)
    if len(_files) >= MOST_FILES:  # such as the cells of a notebook
        del _files[next(iter(_files))]
    _files[filename] = (key, file)
    return file


def _compiled(tree: ast.Module) -> CodeType:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # a notebook's
    return compiled(tree, "", flags)


def _file_of_frozen(filename: str) -> str:
    """Where the text lies of a module that is part of the interpreter, ``<frozen name>``; "" where it is none."""
    if not filename.startswith("<frozen "):
        return ""
    return getattr(sys.modules.get(filename[len("<frozen ") : -1]), "__file__", None) or ""


def _collect_codes(code: CodeType, out: dict[Place, list[CodeType]]) -> None:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            out.setdefault((inner.co_name, inner.co_firstlineno), []).append(inner)
            _collect_codes(inner, out)


def _index(node: ast.AST, class_name: str | None, out: dict) -> None:
    waiting = [(node, class_name)]
    while waiting:
        node, class_name = waiting.pop()
        for child in children(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                out.setdefault((child.name, first), []).append((child, class_name))
            elif isinstance(child, ast.Lambda):
                out.setdefault(("<lambda>", child.lineno), []).append((child, class_name))
            elif isinstance(child, ast.GeneratorExp):
                out.setdefault(("<genexpr>", child.lineno), []).append((child, class_name))
            waiting.append((child, child.name if isinstance(child, ast.ClassDef) else class_name))


def _same_signature(node: FunctionNode, code: CodeType) -> bool:
    if isinstance(node, ast.GeneratorExp):
        return True
    a = node.args
    named = [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    return (
        len(a.posonlyargs) + len(a.args) == code.co_argcount
        and len(a.kwonlyargs) == code.co_kwonlyargcount
        and (a.vararg is not None) == bool(code.co_flags & inspect.CO_VARARGS)
        and (a.kwarg is not None) == bool(code.co_flags & inspect.CO_VARKEYWORDS)
        and all(n == m or n.startswith("__") for n, m in zip(named, code.co_varnames, strict=False))
        and (not isinstance(node, ast.Lambda) or _lambdas_in(node.body) == _lambdas_in_code(code))
    )


def _lambdas_in(body: ast.AST) -> int:
    return sum(isinstance(n, ast.Lambda) for n in walk(body))


def _lambdas_in_code(code: CodeType) -> int:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return sum((c.co_name == "<lambda>") + _lambdas_in_code(c) for c in inner)


def _by_columns(found: list, code: CodeType) -> list:
    """Keep the candidates whose extent holds every position of `code`, the tightest of them."""
    spots = [
        (line, col, end_line, end_col)
        for line, end_line, col, end_col in code.co_positions()
        if None not in (line, col, end_line, end_col) and (end_line, end_col) > (line, col)
    ]
    fitting = []
    for node, cls in found:
        start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        if all(start <= (li, c) and (el, ec) <= end for li, c, el, ec in spots):
            fitting.append((node, cls))
    inner = [(n, c) for n, c in fitting if not any(m is not n and any(k is m for k in walk(n)) for m, _ in fitting)]
    return inner or found


def forget_sources() -> None:
    """Drop every parsed file."""
    _files.clear()
    _rebound.clear()
