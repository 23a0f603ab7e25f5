"""Methods that Python itself calls while it looks at an object: ``__bool__``, ``__len__``, ``__eq__``, ``__repr__`` ...

The interpreter and C code (a test, a sort, the look-up of a key) call them without shadows. That is right as long as
they only look. One that keeps what it computes in attributes of its object is let be, and these are looked at when
they are read (`Record.check`); one whose text says that it may store elsewhere is watched when it runs
(`watched_observers`).
"""

import ast
import dis
import functools
import threading
import weakref
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from morula.eager.calls.watched_observers import original_of, watch
from morula.eager.context.kinds import captured_values, is_empty, is_library_code
from morula.eager.memory.array_shadows import NO_ACTION
from morula.errors import NotDifferentiable
from morula.frames import is_engine_frame
from morula.transform import SourceUnavailable, reading_of

OBSERVERS = (
    "__bool__ __len__ __repr__ __str__ __format__ __hash__ __eq__ __ne__ __int__ __index__ "
    "__contains__ __dir__ __instancecheck__ __subclasscheck__"
).split()
STORING = frozenset(
    "append appendleft add extend insert update setdefault push put setattr __setattr__ __setitem__".split()
)
QUIET_CALLS = frozenset("len hash repr str int bool id type isinstance ascii format".split())

DYING_UNSEEN: set[type] = {threading.local}  # classes to whose instances weak references may lead

LOOKS, KEEPS, STORES = range(3)  # what an observer does: nothing; store in its own object; store elsewhere

_storing: weakref.WeakKeyDictionary[type, dict[str, int]] = weakref.WeakKeyDictionary()


def refuse_unseen(obj: Any, records: Any) -> None:
    """Refuse an object with active values where Python calls methods of it that would have to be followed.

    Those that may have to be are watched until the run with these `records` ends.
    """
    if type(obj) not in (list, dict):
        refuse_finalizer(obj)
        watch_observers(type(obj), records)
        if weakref.getweakrefcount(obj) and not isinstance(obj, tuple(DYING_UNSEEN)):
            if any(runs_users_code(r.__callback__) for r in weakref.getweakrefs(obj) if isinstance(r, weakref.ref)):
                raise no_callback(obj)


def no_weak_reference(obj: Any) -> NotDifferentiable:
    return NotDifferentiable(
        f"a weak reference leads to a {type(obj).__qualname__} that no variable leads to: whether it is still alive "
        "in the plain program is not known. Keep it in a variable, or use an ordinary reference"
    )


def no_callback(obj: Any) -> NotDifferentiable:
    return NotDifferentiable(
        f"a weak reference with a callback leads to a {type(obj).__qualname__} that holds active values: when such an "
        "object dies cannot be reproduced. Use a context manager instead"
    )


def runs_users_code(callback: Any) -> bool:
    """Whether the callback of a weak reference is more than the bookkeeping of the engine or the standard library."""
    if type(callback) is not FunctionType:
        return callback is not None and callback is not NO_ACTION
    if is_engine_frame(callback.__globals__):
        return False
    return not is_library_code(callback) or any(
        callable(v) and not isinstance(v, weakref.ref) for v in captured_values(callback)
    )


def refuse_finalizer(obj: Any) -> None:
    """Objects with shadows live as long as the run, and Python itself calls ``__del__``, without shadows.

    One that neither looks at its object nor stores anything (but counts, say) is let be.
    """
    cls = type(obj)
    finalizer = getattr(cls, "__del__", None)
    code = getattr(finalizer, "__code__", None)
    if (
        isinstance(finalizer, FunctionType)
        and code is not None
        and (any(step.argval == code.co_varnames[0] for step in dis.get_instructions(code)) or stores(finalizer, cls))
    ):
        raise NotDifferentiable(
            f"an object of class {type(obj).__qualname__}, which has a __del__ method, holds active values: "
            "when it runs cannot be reproduced. Use a context manager instead"
        )


def watch_observers(cls: type, records: Any) -> None:
    """Watch the methods of a class that may store beyond their object when Python calls them."""
    for name, how in _of_observers(cls).items():
        if how == STORES:
            owner = next((base for base in cls.__mro__ if name in base.__dict__), object)
            method = original_of(owner.__dict__.get(name))
            if type(method) is FunctionType:
                watch(owner, name, method, functools.partial(places_of, method, cls), records)


def places_of(f: FunctionType, cls: type) -> list[Any]:
    """What a method, and the functions that it calls, name or capture: where they may store."""
    functions: set[Any] = set()
    stores(f, cls, functions)
    found = [v for g in functions for v in (*captured_values(g), *map(g.__globals__.get, g.__code__.co_names))]
    classes = {*cls.__mro__, *(v for v in found if isinstance(v, type))}
    return found + [v for c in classes for v in vars(c).values() if not callable(v)]


def refuse_storing_metaclass(meta: type) -> None:
    """Refuse the class of a class that holds active values, where an observer of it may store beyond the class."""
    for name, how in _of_observers(meta).items():
        if how == STORES:
            raise NotDifferentiable(
                f"{meta.__qualname__}.{name} stores values, and Python calls it where they cannot be followed, while "
                "objects of this class hold active values: do that in an ordinary method"
            )


def keeps_values(cls: type) -> bool:
    """Whether an observer of the class stores something in its object."""
    return any(how != LOOKS for how in _of_observers(cls).values())


def _of_observers(cls: type) -> dict[str, int]:
    """What the observers of the class do; looked up once."""
    found = _storing.get(cls)
    if found is None:
        methods = ((name, _class_attribute(cls, name)) for name in OBSERVERS)
        does = {name: stores(method, cls) for name, method in methods if type(method) is FunctionType}
        found = _storing[cls] = does
    return found


def stores(f: FunctionType, cls: type | None = None, seen: set[Any] | None = None) -> int:
    """What a function stores that may be active, beyond its own variables, itself or in what it calls.

    `cls`: of whose instances it is a method. Functions are followed where a name or ``self.name`` leads to them.
    """
    seen = set() if seen is None else seen
    if f in seen or is_library_code(f):
        return LOOKS
    seen.add(f)
    try:
        node = reading_of(f.__code__).node
    except SourceUnavailable:
        return LOOKS
    parameters = getattr(node, "args", None)
    own = parameters.args[0].arg if cls is not None and parameters and parameters.args else ""
    body = _Body(node, own, f)
    run = _run_by_a_call(node)
    does = [KEEPS if body.is_own(inner) else STORES for inner in run if body.stores(inner)]
    most = max(does, default=LOOKS)
    for inner in run:
        for reached, its_class in _followed(inner, f, own, cls):
            function = reached.fget if isinstance(reached, property) else reached
            if isinstance(reached, functools.cached_property):
                most, function = max(most, KEEPS), reached.func
            if type(function) is FunctionType:
                most = max(most, stores(function, its_class, seen))
    return most


def _run_by_a_call(node: ast.AST) -> list[ast.AST]:
    """The nodes of a function without its decorators and defaults, which ran when it was made."""
    body = getattr(node, "body", node)
    return [inner for part in (body if isinstance(body, list) else [body]) for inner in ast.walk(part)]


def _followed(node: ast.AST, f: FunctionType, own: str, cls: type | None) -> Iterator[tuple[Any, type | None]]:
    """What an expression leads to that may run: a method or property of `own`, or a function that is called by name."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == own and cls is not None:
            yield _class_attribute(cls, attr), cls
        case ast.Call(func=ast.Name(id=name)):
            yield _variable(f, name), None
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)):
            owner = _variable(f, name)
            if isinstance(owner, ModuleType):
                yield getattr(owner, attr, None), None


def _class_attribute(cls: type, name: str) -> Any:
    return original_of(next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None))


def _variable(f: FunctionType, name: str) -> Any:
    """What a captured or global variable of a function holds now."""
    if name in f.__code__.co_freevars:
        cell = (f.__closure__ or ())[f.__code__.co_freevars.index(name)]
        return None if is_empty(cell) else cell.cell_contents
    return f.__globals__.get(name)


class _Body:
    """The statements of one function.

    Attributes:
        own: the name of its first parameter, where it is a method; "" where not.
        outside: variables of other scopes that it rebinds.
        fresh: variables that hold nothing but containers that it makes itself.
    """

    def __init__(self, node: ast.AST, own: str, f: FunctionType):
        self.own = own
        self.outside = {n for s in ast.walk(node) if isinstance(s, ast.Global | ast.Nonlocal) for n in s.names}
        made: dict[str, bool] = {}
        for inner in ast.walk(node):
            if isinstance(inner, ast.Assign | ast.AnnAssign | ast.NamedExpr):
                targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        made[target.id] = made.get(target.id, True) and _is_fresh(inner.value, f)
            elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                made.setdefault(inner.id, True)
        self.fresh = {name for name, is_made in made.items() if is_made} - self.outside

    def stores(self, node: ast.AST) -> bool:
        match node:
            case ast.Assign(targets=targets, value=value):
                return any(self.reaches_out(t) and not _is_step(t, value) for t in targets) and not _is_quiet(value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self.reaches_out(target) and not _is_quiet(value)
            case ast.AugAssign(target=target, op=op, value=value):
                return self.reaches_out(target) and not (isinstance(op, ast.Add | ast.Sub) and _is_quiet(value))
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=args)) if name == self.own:
                return not all(map(_is_quiet, args or [ast.Name(name)]))
            case ast.Call(func=ast.Attribute(value=base, attr=attr), args=args) if attr in STORING:
                return not (isinstance(base, ast.Name) and base.id in self.fresh) and not all(map(_is_quiet, args))
            case ast.Call(func=ast.Name(id="setattr"), args=[_, _, value]):
                return not _is_quiet(value)
        return False

    def is_own(self, node: ast.AST) -> bool:
        """Whether a statement that stores does so in attributes of the method's own object alone."""
        match node:
            case ast.Assign(targets=targets):
                return all(self._is_own_target(t) for t in targets)
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                return self._is_own_target(target)
            case ast.Call(func=ast.Name(id="setattr") | ast.Attribute(attr="__setattr__"), args=[ast.Name(id=o), *_]):
                return o == self.own
        return False

    def _is_own_target(self, target: ast.expr) -> bool:
        if isinstance(target, ast.Tuple | ast.List):
            return all(map(self._is_own_target, target.elts))
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            return target.value.id == self.own
        return not self.reaches_out(target)

    def reaches_out(self, target: ast.expr) -> bool:
        """Whether an assignment reaches beyond the function's own variables."""
        if isinstance(target, ast.Tuple | ast.List):
            return any(map(self.reaches_out, target.elts))
        if isinstance(target, ast.Attribute | ast.Subscript):
            return not (isinstance(target.value, ast.Name) and target.value.id in self.fresh)
        return isinstance(target, ast.Name) and target.id in self.outside


DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


MAKERS = frozenset("dict list set sorted deque defaultdict Counter OrderedDict".split())


def _is_fresh(value: ast.expr | None, f: FunctionType) -> bool:
    """Whether an expression in `f` makes a container of its own."""
    match value:
        case ast.Call(func=ast.Name(id=name)):
            return name in MAKERS or any(_variable(f, name) is c for c in (dict, list, set))  # `_dict` of named tuples
        case ast.Call(func=ast.Attribute(value=ast.JoinedStr())):  # the lines or words of a text
            return True
    return isinstance(value, DISPLAYS)


def _is_step(target: ast.expr, value: ast.expr) -> bool:
    """``t = t + 1``: whatever is active in `t` stays as it is."""
    match value:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return ast.unparse(left) == ast.unparse(target) and _is_quiet(right)
    return False


def _is_quiet(node: ast.expr) -> bool:
    """Whether the value of an expression can be seen never to be active."""
    match node:
        case ast.Constant() | ast.JoinedStr() | ast.Compare():
            return True
        case ast.BinOp(left=left, right=right):
            return _is_quiet(left) and _is_quiet(right)
        case ast.UnaryOp(operand=operand):
            return _is_quiet(operand)
        case ast.Tuple(elts=items):
            return all(map(_is_quiet, items))
        case ast.Call(func=ast.Name(id=name)):
            return name in QUIET_CALLS
    return False
