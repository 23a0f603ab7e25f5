"""Whole functions out of byte code, and the proof of them: what was read is compiled, and must do the same."""

import ast
import inspect
from types import CodeType
from typing import Any

from morula.transform.bytecode.blocks import Place
from morula.transform.bytecode.classes import annotation, class_body
from morula.transform.bytecode.comprehensions import generator
from morula.transform.bytecode.graph import graph_of
from morula.transform.bytecode.minimal import minimal
from morula.transform.bytecode.same import same_code
from morula.transform.bytecode.stack import Stack
from morula.transform.bytecode.structure import Structure
from morula.transform.bytecode.values import Class, Function, Unreadable, literal
from morula.transform.syntax import compiled

HAS_DOCSTRING = getattr(inspect, "CO_HAS_DOCSTRING", None)  # since 3.13


def decompiled(code: CodeType) -> ast.FunctionDef | ast.Lambda:
    """A function that compiles to code that does the same as `code`, with the lines of `code`.

    Raises:
        Unreadable: it holds a construct that is not read back.
    """
    try:
        node = Functions().tree_of(code)
        made = _compiled(node, code)
    except Unreadable:
        raise
    except (TypeError, ValueError, SyntaxError, AttributeError, KeyError, IndexError, AssertionError) as reason:
        raise Unreadable(f"byte code of an unknown form ({reason})") from reason
    if not same_code(made, code):
        raise Unreadable("byte code that another way of writing leads to")
    return node


def _compiled(node: ast.FunctionDef | ast.Lambda, code: CodeType) -> CodeType:
    """What `node` compiles to inside a function with the variables that `code` captures."""
    body: ast.stmt
    if isinstance(node, ast.FunctionDef):
        body = ast.FunctionDef("<function>", node.args, node.body, [])
        body.type_params = []  # type: ignore[attr-defined]
    else:
        body = ast.Expr(node)
    captured = ast.arguments([], [ast.arg(n) for n in code.co_freevars], None, [], [], None, [])
    outer = ast.FunctionDef("<capture>", captured, [ast.copy_location(body, node)], [])
    outer.type_params = []  # type: ignore[attr-defined]
    module = ast.fix_missing_locations(ast.Module([outer], []))
    made = compiled(module, code.co_filename, code.co_flags & FUTURES)
    for _ in range(2):
        made = next(c for c in made.co_consts if isinstance(c, CodeType) and c.co_name != "__annotate__")
    return _renamed(made, made.co_qualname, code.co_qualname).replace(co_name=code.co_name)


def _renamed(code: CodeType, ours: str, theirs: str) -> CodeType:
    """`code` with the ``__qualname__`` of the classes in it as it would be in a function of another name."""
    consts = tuple(
        _renamed(c, ours, theirs)
        if isinstance(c, CodeType)
        else theirs + c.removeprefix(ours)
        if isinstance(c, str) and c.startswith(ours)
        else c
        for c in code.co_consts
    )
    return code.replace(co_consts=consts)


FUTURES = 0
for _name in __import__("__future__").all_feature_names:
    FUTURES |= getattr(__import__("__future__"), _name).compiler_flag


class Functions:
    """Makes trees of code objects, at any depth."""

    def tree_of(self, code: CodeType) -> ast.FunctionDef | ast.Lambda:
        if code.co_name.startswith("<") and code.co_name != "<lambda>":
            raise Unreadable(f"the inside {code.co_name}")
        made = Function(code, line=code.co_firstlineno)
        stack = Stack([], [], self)
        stack.line = code.co_firstlineno
        return self.lambda_of(made, stack) if code.co_name == "<lambda>" else self._definition(made, stack)

    def body_of(self, code: CodeType) -> list[ast.stmt]:
        graph = minimal(graph_of(code))
        out, end, _ = Structure(graph, self).read(graph.entry, [], Place())
        if end is not None:
            raise Unreadable("a path without an end")
        stores = {"STORE_GLOBAL", "DELETE_GLOBAL"}
        outside = sorted({n.val for n in graph.nodes.values() if n.op in stores})
        stores = {"STORE_DEREF", "DELETE_DEREF"}
        free = sorted({n.val for n in graph.nodes.values() if n.op in stores and n.val in code.co_freevars})
        head: list[ast.stmt] = [ast.Global(outside)] if outside else []
        head += [ast.Nonlocal(free)] if free else []
        line = out[0].lineno if out else code.co_firstlineno
        for statement in head:
            statement.lineno = statement.end_lineno = line
            statement.col_offset = statement.end_col_offset = 0
        return [*head, *out]

    def lambda_of(self, made: Function, stack: Stack) -> ast.Lambda:
        return stack.placed(ast.Lambda(_arguments(made, stack), _expression(self.body_of(made.code), stack)))

    def definition_of(self, made: Function, target: ast.expr, stack: Stack) -> ast.FunctionDef:
        if not isinstance(target, ast.Name) or not target.id.endswith(made.code.co_name):  # a private name of a class
            raise Unreadable(f"the function {made.code.co_name} under another name")
        return self._definition(made, stack)

    def _definition(self, made: Function, stack: Stack) -> ast.FunctionDef:
        code = made.code
        if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            raise Unreadable("an async function")
        body = self.body_of(code)
        doc = code.co_consts[0] if code.co_consts else None
        has_doc = isinstance(doc, str) if HAS_DOCSTRING is None else bool(code.co_flags & HAS_DOCSTRING)
        stack.line = code.co_firstlineno
        if has_doc:
            body.insert(0, stack.placed(ast.Expr(stack.placed(ast.Constant(doc)))))
        node = ast.FunctionDef(code.co_name, _arguments(made, stack), body, made.decorators, _returned(made))
        node.type_params = []  # type: ignore[attr-defined]
        return stack.placed(node)

    def class_of(self, made: Class, stack: Stack) -> ast.ClassDef:
        stack.line = made.code.co_firstlineno
        node = ast.ClassDef(
            made.name, made.bases, made.keywords, class_body(self.body_of(made.code), made.code, stack), made.decorators
        )
        node.type_params = []  # type: ignore[attr-defined]
        return stack.placed(node)

    def comprehension_of(self, made: Function, iterable: ast.expr, stack: Stack) -> ast.expr:
        body = [s for s in self.body_of(made.code) if not isinstance(s, ast.Nonlocal)]  # what ``:=`` binds out here
        if made.code.co_name == "<genexpr>":
            found = generator(body[0]) if body else None
            if found is None:
                raise Unreadable("a generator expression")
            node: Any = stack.placed(ast.GeneratorExp(*found))
        else:
            node = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
            if not isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
                raise Unreadable("a comprehension")
        node.generators[0].iter = iterable
        return node


def _arguments(made: Function, stack: Stack) -> ast.arguments:
    code = made.code
    names = iter(code.co_varnames)
    notes = _annotations(made)

    def taken(n: int) -> list[ast.arg]:
        return [stack.placed(ast.arg(name, notes.get(name))) for name in (next(names) for _ in range(n))]

    only = taken(code.co_posonlyargcount)
    ordinary = taken(code.co_argcount - code.co_posonlyargcount)
    keyword = taken(code.co_kwonlyargcount)
    star = taken(1)[0] if code.co_flags & inspect.CO_VARARGS else None
    double = taken(1)[0] if code.co_flags & inspect.CO_VARKEYWORDS else None
    given = {}
    if made.kwdefaults is not None:
        given = {k.value: v for k, v in zip(made.kwdefaults.keys, made.kwdefaults.values, strict=True)}
    return ast.arguments(
        only, ordinary, star, keyword, [given.get(a.arg) for a in keyword], double, _items(made.defaults, stack)
    )


def _items(values: Any, stack: Stack) -> list[ast.expr]:
    if values is None:
        return []
    if isinstance(values, ast.Constant):
        return [stack.placed(ast.Constant(v)) for v in literal(values)]
    return list(values.elts)


def _annotations(made: Function) -> dict[str, Any]:
    if made.annotations is None:
        return {}
    if isinstance(made.annotations, ast.Constant):  # all of them strings
        parts: list[Any] = [ast.Constant(v) for v in literal(made.annotations)]
    else:
        parts = made.annotations.elts
    return {k.value: annotation(v, made.code) for k, v in zip(parts[::2], parts[1::2], strict=True)}


def _returned(made: Function) -> Any:
    return _annotations(made).get("return")


def _expression(body: list[ast.stmt], stack: Stack) -> ast.expr:
    """The expression that a lambda returns."""
    match body:
        case [ast.Return(value=value)] if value is not None:
            return value
        case [ast.If(test=test, body=yes, orelse=no), *rest]:
            return stack.placed(ast.IfExp(test, _expression(yes, stack), _expression([*no, *rest], stack)))
    raise Unreadable("the body of a lambda")
