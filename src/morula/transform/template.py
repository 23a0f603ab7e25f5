"""The compiled twin of a function: made once per code object, bound to closures and defaults at run time."""

import ast
import builtins
import inspect
import itertools
import re
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import CodeType, FunctionType, ModuleType
from typing import Any

from morula.transform import names, parts, source, state
from morula.transform.build import CTX, load, tuple_of
from morula.transform.bytecode.same import same_code
from morula.transform.codes import ByCode, held_sets
from morula.transform.deep import copied, deeply
from morula.transform.expressions import Refused
from morula.transform.mangling import mangled
from morula.transform.profilers import counted
from morula.transform.reading import forget_readings, reading_of, rebound_beside, registered
from morula.transform.source import FUTURE_FLAGS, SourceUnavailable
from morula.transform.statements import Statements, refuses_whole
from morula.transform.syntax import compiled, one_at_a_time, place


@dataclass(frozen=True)
class Template:
    """What the transform made of one code object.

    Attributes:
        code: the twin, ``(ctx, *values, *shadows) -> (value, shadow)``; None when it is refused.
        binder: code with the signature of the function that returns its arguments as one flat tuple.
        parameters: names of the parameters, in the order of the binder's tuple.
        simple: every parameter is an ordinary positional one.
        freevars: captured variables of the function itself.
        suffix: what a shadow's name ends with.
        is_generator: the twin yields pairs.
        refused: the construct (and its line) that has no shadow-passing form.
        assumed: globals that were taken for granted, with their values; of what may lead back to the code, weakly.
        globals_read: global variables whose values the function reads.
        plain_reads: those that it reads without asking for a shadow, and everything that it takes for granted.
        cuts: the lines that are apart, of a function that runs in parts.
        parts: the code of these, by the names of the variables that the twin has them in.
    """

    code: CodeType | None
    binder: CodeType
    parameters: tuple[str, ...]
    simple: bool
    freevars: tuple[str, ...]
    suffix: str
    is_generator: bool
    refused: tuple[str, int] | None
    assumed: dict[str, Any]
    globals_read: tuple[str, ...]
    plain_reads: frozenset[str]
    cuts: frozenset[int]
    parts: dict[str, CodeType]

    def still_holds(self, namespace: dict[str, Any]) -> bool:
        """Whether the globals that were taken for granted still are what they were."""
        for name, value in self.assumed.items():
            if type(value) is weakref.ref:
                value = value()
            if value is None or namespace.get(name, value) is not value:
                return False
            if name not in namespace and getattr(builtins, name, None) is not value:
                return False
        return True


_templates: ByCode[Template] = ByCode()
_in_parts: ByCode[Template] = ByCode()  # of functions that run in parts


def template_of(function: FunctionType) -> Template:
    """The template of `function`'s code, made at the first call.

    Raises:
        SourceUnavailable: the source of the function is not available.
    """
    code = function.__code__
    cuts = parts.cuts_of(code)
    table = _in_parts if cuts else _templates
    found = table.get(code)
    if found is None or found.cuts != cuts or not found.still_holds(function.__globals__):
        with one_at_a_time:
            where = reading_of(code)
            found = deeply(lambda: _make(function, where, cuts))
            table.put(code, found)
    if "line_profiler" in sys.modules and found.code is not None:
        counted_code = counted(function, found.code)
        if counted_code is not found.code:
            found = replace(found, code=counted_code)
            table.put(code, found)
    return found


def parts_below(code: CodeType) -> Iterator[CodeType]:
    """The parts of a function, as far as it has run in parts, and theirs."""
    found = _in_parts.get(code)
    for part in found.parts.values() if found is not None else ():
        yield part
        yield from parts_below(part)


def forget_templates() -> None:
    """Drop every template and parsed source."""
    _templates.clear()
    _in_parts.clear()
    forget_readings()


def forget_readers(names: set[str]) -> None:
    """Drop every template that reads one of these global variables plainly: they have become state."""
    for entries in (_templates.entries, _in_parts.entries):
        # A copy makes no objects, so no collection, which may end a code object and drop its entry.
        for key in [k for k, (_, template) in entries.copy().items() if not names.isdisjoint(template.plain_reads)]:
            entries.pop(key, None)


def text_of(function: FunctionType) -> str:
    """The code of `function`'s twin, for people; of a function that is not refused."""
    code = function.__code__
    with one_at_a_time:
        where = reading_of(code)
        made = deeply(lambda: _Made(function, where))
        taken = {*made.taken, *made.params}
        name = next(n for n in ("ctx", "ctx_", "ctx__", *(f"ctx{i}" for i in range(99))) if n not in taken)
        return ast.unparse(made.twin).replace(CTX, name) if made.twin is not None else ""


class _Made:
    """The syntax tree of a function's twin, and what was found on the way to it."""

    twin: ast.FunctionDef | None = None

    def __init__(self, function: FunctionType, where: source.FunctionSource, cuts: frozenset[int] = frozenset()):
        code = function.__code__
        rebound = where.rebound + (rebound_beside(function) if where.from_byte_code else ())
        if rebound:
            forget_readers(state.learn(rebound, function.__globals__))
        self.node = mangled(copied(where.node), where.class_name)
        self.args, body = _signature_and_body(self.node)
        self.parts: list[ast.FunctionDef] = []
        if cuts and isinstance(self.node, ast.FunctionDef):
            self.parts, body = parts.in_parts(self.args, body, code.co_freevars, cuts)
            self.node.body = body
        self.global_names = names.Globals(function.__globals__)
        self.taken = names.identifiers(self.node) | set(code.co_freevars)
        self.suffix = next(s for s in _suffixes() if not any(n.endswith(s) for n in self.taken))
        self.params = names.parameters(self.args)
        self.refused = refuses_whole(self.node)
        if self.refused is None:
            try:
                free = (*code.co_freevars, *(part.name for part in self.parts))
                self.twin = _twin(code, self.node, self.args, body, free, self.global_names, self.suffix, self.taken)
            except Refused as reason:
                self.refused = reason


def _make(function: FunctionType, where: source.FunctionSource, cuts: frozenset[int]) -> Template:
    code = function.__code__
    made = _Made(function, where, cuts)
    args, global_names = made.args, made.global_names
    twin, own = (None, {}) if made.twin is None else _compiled(made.twin, code, made.suffix, where, made.parts)
    return Template(
        twin,
        _binder(args, made.params, made.node, code),
        tuple(made.params),
        not (args.vararg or args.kwarg or args.kwonlyargs),
        code.co_freevars,
        made.suffix,
        bool(code.co_flags & inspect.CO_GENERATOR),
        None if made.refused is None else (made.refused.construct, made.refused.line),
        {name: weakref.ref(x) if may_lead_back(x) else x for name, x in global_names.assumed.items()},
        tuple(sorted(global_names.read - set(global_names.assumed))),
        frozenset((global_names.read | set(global_names.assumed)) - global_names.state),
        cuts,
        own,
    )


def may_lead_back(x: Any) -> bool:
    """Whether `x` may hold functions of the user's: it is found in their namespace, too."""
    if isinstance(x, type):
        return getattr(builtins, x.__name__, None) is not x
    return isinstance(x, FunctionType | ModuleType)


def _suffixes() -> Any:
    return itertools.chain(["_d"], (f"_d{i}" for i in itertools.count(1)))


def _signature_and_body(node: Any) -> tuple[ast.arguments, list[ast.stmt]]:
    if isinstance(node, ast.Lambda):
        returned = ast.copy_location(ast.Return(node.body), node.body)
        return node.args, [returned]
    if isinstance(node, ast.GeneratorExp):
        raise SourceUnavailable("it is the inside a generator expression that was made outside")
    return node.args, node.body


def _twin(
    code: CodeType,
    node: Any,
    args: ast.arguments,
    body: list[ast.stmt],
    freevars: tuple[str, ...],
    global_names: names.Globals,
    suffix: str,
    taken: set[str],
) -> ast.FunctionDef:
    scope = names.function_scope(args, body, freevars, global_names)
    emitter = Statements(scope, global_names, suffix, taken)
    emitter.here = body[0]
    positional = [a.arg for a in [*args.posonlyargs, *args.args]]
    emitter.first_parameter = positional[0] if positional else None
    emitter.pair_cells(body)
    head = emitter.out
    rest = emitter.body(body)
    if code.co_flags & inspect.CO_GENERATOR:  # which may be closed where nobody hears of an error
        rest = [ast.Try(rest, [emitter.let_through()], [], [])]
        place(rest[0], body[0])
    statements = [*head, *rest]
    only_inside = names.walrus_only(body) & scope.local
    if only_inside:  # what a comprehension binds out here must be a variable of the twin
        targets: list[ast.expr] = [
            ast.Name(n, ast.Store()) for name in sorted(only_inside) for n in (name, name + suffix)
        ]
        binding = ast.Assign(targets, ast.Constant(None))
        never = ast.If(ast.Constant(0), [binding], [])
        statements.insert(0, never)
    rebound = sorted(names.bound_names(body) & set(freevars))
    if rebound:
        statements.insert(0, ast.Nonlocal([*rebound, *(n + suffix for n in rebound)]))
    if _can_fall_off(statements):
        last = ast.Return(tuple_of([ast.Constant(None), ast.Constant(None)]))
        place(last, body[-1])
        statements.append(last)
    params = names.parameters(args)
    signature = ast.arguments(
        [],
        [ast.arg(CTX), *(ast.arg(p) for p in params), *(ast.arg(p + suffix) for p in params)],
        None,
        [],
        [],
        None,
        [],
    )
    name = node.name if isinstance(node, ast.FunctionDef) else "lambda_"
    twin = ast.FunctionDef(name, signature, statements, [])
    twin.type_params = []  # type: ignore[attr-defined]
    place(twin, body[0])
    return ast.copy_location(twin, node)


def _can_fall_off(statements: list[ast.stmt]) -> bool:
    return not isinstance(statements[-1], ast.Return | ast.Raise)


def _compiled(
    twin: ast.FunctionDef,
    original: CodeType,
    suffix: str,
    where: source.FunctionSource,
    parts_of_it: Sequence[ast.FunctionDef] = (),
) -> tuple[CodeType, dict[str, CodeType]]:
    """Compile the twin so that the captured variables, and their shadows, stay captured; and parts that stand apart."""
    twin.name = "<twin>"  # no identifier: a global of the function's own name must stay a global
    captured = [name for n in original.co_freevars for name in (n, n + suffix)]
    captured += [part.name + suffix for part in parts_of_it]
    outer = ast.FunctionDef(
        "<capture>",
        ast.arguments([], [ast.arg(n) for n in captured], None, [], [], None, []),
        [*parts_of_it, twin],
        [],
    )
    outer.type_params = []  # type: ignore[attr-defined]
    place(outer, twin)
    if original.co_firstlineno < twin.lineno:  # code begins where its decorators do
        decorator = ast.Constant(None)
        place(decorator, twin)
        decorator.lineno = original.co_firstlineno
        twin.decorator_list = [decorator]
    module = ast.Module([outer], [])
    flags = original.co_flags & FUTURE_FLAGS
    whole = _inner_code(compiled(module, original.co_filename, flags), "<capture>")
    if held_sets(original):
        from morula.transform.constant_sets import holding_sets_of  # few functions hold any

        whole = holding_sets_of(whole, original)
    code = _inner_code(whole, twin.name)
    code = _requalified(code, code.co_qualname, original.co_qualname)
    _register_nested(code, twin, where, lambda: compiled(module, "", flags))
    apart: dict[str, CodeType] = {}
    for part in parts_of_it:
        own = _inner_code(whole, part.name)
        own = apart[part.name] = _requalified(own, own.co_qualname, original.co_qualname)
        registered.put(own, source.FunctionSource(part, where.filename, where.class_name, where.rebound))
        _register_nested(own, part, where, lambda: compiled(module, "", flags))
    return code.replace(co_name=original.co_name), apart


def _requalified(code: CodeType, ours: str, theirs: str) -> CodeType:
    """`code`, and all code in it, under the qualified names that the plain functions have."""
    consts = tuple(
        _requalified(c, ours, theirs)
        if isinstance(c, CodeType)
        else c.replace(ours, theirs, 1)
        if isinstance(c, str) and c.startswith(ours)  # the __qualname__ of a class
        else c
        for c in code.co_consts
    )
    name, qualname = code.co_name, code.co_qualname.replace(ours, theirs, 1)
    made = COMPREHENSION_NAME.fullmatch(name)
    if made is not None:
        plain = f"<{'genexpr' if made[1] == 'generatorexp' else made[1]}>"
        name, qualname = plain, qualname.replace(name, plain)
    elif parts.NAME.fullmatch(name):  # the function itself, to whoever reads a traceback
        name = theirs.rpartition(".")[2]
    return code.replace(co_consts=consts, co_name=name, co_qualname=qualname)


COMPREHENSION_NAME = re.compile(r"(listcomp|setcomp|dictcomp|generatorexp)\d+")


def _inner_code(code: CodeType, name: str) -> CodeType:
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


def _register_nested(
    code: CodeType, node: ast.AST, where: source.FunctionSource, compiled: Callable[[], CodeType]
) -> None:
    """Remember the syntax tree of every function that the twin itself defines.

    Their code is compiled from the user's own tree, but inside the twin, so it is found by its place here and
    not by a search through the file.
    """
    stack = [c for c in code.co_consts if isinstance(c, CodeType)]
    if not stack:
        return
    functions: dict[source.Place, list] = {}
    source._index(node, where.class_name, functions)
    while stack:
        inner = stack.pop()
        stack.extend(c for c in inner.co_consts if isinstance(c, CodeType))
        found = [
            pair
            for pair in functions.get((inner.co_name, inner.co_firstlineno), [])
            if source._same_signature(pair[0], inner)
        ]
        if len(found) > 1:
            codes = source.told_apart([n for n, _ in found], compiled)
            found = [pair for pair in found if pair[0] in codes and same_code(codes[pair[0]], inner)]
        if found:
            original = source.FunctionSource(found[0][0], where.filename, found[0][1], where.rebound)
            registered.put(inner, original)


def _binder(args: ast.arguments, params: list[str], node: ast.AST, code: CodeType) -> CodeType:
    """Code of ``def f(<signature>): return (<every parameter>,)``; Python itself then binds a call."""
    bare = ast.arguments(
        [ast.arg(a.arg) for a in args.posonlyargs],
        [ast.arg(a.arg) for a in args.args],
        ast.arg(args.vararg.arg) if args.vararg else None,
        [ast.arg(a.arg) for a in args.kwonlyargs],
        [None if d is None else ast.Constant(None) for d in args.kw_defaults],
        ast.arg(args.kwarg.arg) if args.kwarg else None,
        [ast.Constant(None) for _ in args.defaults],
    )
    binder = ast.FunctionDef("binder", bare, [ast.Return(tuple_of([load(p) for p in params]))], [])
    binder.type_params = []  # type: ignore[attr-defined]
    place(binder, node)
    module = ast.Module([binder], [])
    made = _inner_code(compiled(module, code.co_filename), "binder")
    return made.replace(co_name=code.co_name, co_qualname=code.co_qualname)
