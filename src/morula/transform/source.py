"""From a code object back to the syntax tree of the function it was compiled from."""

import ast
import dis
import inspect
import linecache
import sys
import threading
from dataclasses import dataclass
from types import CodeType

from morula.transform.state import Rebound, rebound_globals

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp


class SourceUnavailable(Exception):
    """The source of a function cannot be had; the message says why."""


@dataclass(frozen=True)
class FunctionSource:
    """A function's syntax tree and where it stands."""

    node: FunctionNode
    filename: str
    class_name: str | None  # the innermost enclosing class, for the mangling of private names
    rebound: tuple[Rebound, ...] = ()  # global variables that the file rebinds inside of functions


@dataclass(frozen=True)
class _File:
    tree: ast.Module
    functions: dict[tuple[str, int], list[tuple[FunctionNode, str | None]]]
    codes: dict[tuple[str, int], list[CodeType]]
    rebound: tuple[Rebound, ...]


# Held while syntax trees are made and compiled: the interpreter's own code for that keeps one count of its depth for
# all threads (up to 3.12), and raises a SystemError where they meet.
one_at_a_time = threading.RLock()
_files: dict[str, tuple[int, _File]] = {}  # filename -> (hash of its text, what was parsed)


def source_of(code: CodeType) -> FunctionSource:
    """The syntax tree that `code` was compiled from.

    Several lambdas on a line are told apart by the columns recorded in the bytecode.

    Raises:
        SourceUnavailable: no source, or the file no longer holds this function.
    """
    with one_at_a_time:
        return _source_of(code)


def _source_of(code: CodeType) -> FunctionSource:
    filename = code.co_filename
    file = _parsed(filename)
    found = file.functions.get((code.co_name, code.co_firstlineno), [])
    found = [(node, cls) for node, cls in found if _same_signature(node, code)]
    if found and not _compiled_from(file, code):
        found = []
    if len(found) > 1:
        found = _by_columns(found, code)
    if not found:
        raise SourceUnavailable(
            f"line {code.co_firstlineno} of {filename} no longer holds it (was the file edited after it was imported?)"
        )
    if len(found) > 1:
        raise SourceUnavailable(f"several functions on line {code.co_firstlineno} of {filename} look the same")
    node, class_name = found[0]
    return FunctionSource(node, filename, class_name, file.rebound)


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
        tree = ast.parse(text)
    except SyntaxError:
        try:  # an IPython cell with magics, a doctest fragment: what does not parse cannot be read back
            tree = ast.parse(inspect.cleandoc(text))
        except SyntaxError:
            raise SourceUnavailable(f"the text of {filename!r} does not parse") from None
    functions: dict[tuple[str, int], list[tuple[FunctionNode, str | None]]] = {}
    _index(tree, None, functions)
    file = _File(tree, functions, {}, tuple(set(rebound_globals(tree))))
    try:
        _collect_codes(compile(tree, filename, "exec", dont_inherit=True), file.codes)
    except SyntaxError:  # top-level await in a notebook, say: nothing to compare with
        file.codes.clear()
    _files[filename] = (key, file)
    return file


def _file_of_frozen(filename: str) -> str:
    """Where the text lies of a module that is part of the interpreter, ``<frozen name>``; "" where it is none."""
    if not filename.startswith("<frozen "):
        return ""
    return getattr(sys.modules.get(filename[len("<frozen ") : -1]), "__file__", None) or ""


def _collect_codes(code: CodeType, out: dict[tuple[str, int], list[CodeType]]) -> None:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            out.setdefault((inner.co_name, inner.co_firstlineno), []).append(inner)
            _collect_codes(inner, out)


def _compiled_from(file: _File, code: CodeType) -> bool:
    """Whether the text compiles to `code`: it may have been edited since, or belong to something else.

    A test runner that rewrites assertions leaves names that no source has; its code is taken on trust.
    """
    if not file.codes or any(n.startswith("@py") for n in (*code.co_names, *code.co_varnames)):
        return True
    candidates = file.codes.get((code.co_name, code.co_firstlineno), [])
    return any(
        c.co_names == code.co_names
        and _plain_consts(c) == _plain_consts(code)
        and (c.co_code == code.co_code or _steps(c) == _steps(code))
        for c in candidates
    )


def _steps(code: CodeType) -> list[tuple[str, object]]:
    """What the bytecode does, whichever way methods are called: that depends on the imports of the whole file.

    A function inside a twin was compiled without those.
    """
    return [
        ("LOAD_ATTR" if step.opname == "LOAD_METHOD" else step.opname, step.argval)
        for step in dis.get_instructions(code)
        if step.opname not in ("PUSH_NULL", "PRECALL") and not isinstance(step.argval, CodeType)
    ]


def _plain_consts(code: CodeType) -> list[str]:
    return [repr(c) for c in code.co_consts if not isinstance(c, CodeType)]


def _index(node: ast.AST, class_name: str | None, out: dict) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
            out.setdefault((child.name, first), []).append((child, class_name))
        elif isinstance(child, ast.Lambda):
            out.setdefault(("<lambda>", child.lineno), []).append((child, class_name))
        elif isinstance(child, ast.GeneratorExp):
            out.setdefault(("<genexpr>", child.lineno), []).append((child, class_name))
        _index(child, child.name if isinstance(child, ast.ClassDef) else class_name, out)


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
    return sum(isinstance(n, ast.Lambda) for n in ast.walk(body))


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
    inner = [(n, c) for n, c in fitting if not any(m is not n and any(k is m for k in ast.walk(n)) for m, _ in fitting)]
    if len(inner) > 1:  # nothing in the bytecode but constants: compare what each body compiles to
        return [pair for pair in inner if _compiles_to(pair[0], code)][:1] or inner
    return inner


def _compiles_to(node: FunctionNode, code: CodeType) -> bool:
    if not isinstance(node, ast.Lambda):
        return False
    probe = compile(ast.Expression(node), code.co_filename, "eval").co_consts
    made = [c for c in probe if isinstance(c, CodeType)]
    return bool(made) and made[0].co_code == code.co_code and made[0].co_consts == code.co_consts


def forget_sources() -> None:
    """Drop every parsed file."""
    _files.clear()
