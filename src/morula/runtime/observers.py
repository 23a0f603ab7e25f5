"""Methods that Python itself calls while it looks at an object: ``__bool__``, ``__len__``, ``__eq__``, ``__repr__`` ...

The interpreter and C code (a test, a sort, the look-up of a key) call them without shadows. That is right as long as
they only look: one that stores what may be active is refused, for an object from which active values can be reached.
"""

import ast
import dis
import weakref
from types import FunctionType
from typing import Any

from morula.errors import NotDifferentiable
from morula.runtime.kinds import is_library_code, is_plain_object
from morula.transform import SourceUnavailable, source_of

OBSERVERS = (
    "__bool__ __len__ __repr__ __str__ __format__ __hash__ __eq__ __ne__ __int__ __index__ "
    "__contains__ __dir__ __instancecheck__ __subclasscheck__"
).split()
STORING = frozenset("append appendleft add extend insert update setdefault push put setattr __setattr__".split())
QUIET_CALLS = frozenset("len hash repr str int bool id type isinstance ascii format".split())

_storing: weakref.WeakKeyDictionary[type, str | None] = weakref.WeakKeyDictionary()


def refuse_unseen(obj: Any) -> None:
    """Refuse an object with active values where Python calls methods of it that would have to be followed."""
    if type(obj) not in (list, dict):
        refuse_finalizer(obj)
        refuse_storing_observer(obj)
        if weakref.getweakrefcount(obj) and is_plain_object(obj):
            raise no_weak_reference(obj)


def no_weak_reference(obj: Any) -> NotDifferentiable:
    return NotDifferentiable(
        f"a weak reference leads to a {type(obj).__qualname__} that holds active values: when such an object dies "
        "cannot be reproduced. Use an ordinary reference"
    )


def refuse_finalizer(obj: Any) -> None:
    """Objects with shadows live as long as the run, and Python itself calls ``__del__``, without shadows.

    One that does not look at its object (but counts, say) is let be.
    """
    code = getattr(getattr(type(obj), "__del__", None), "__code__", None)
    if code is not None and any(step.argval == code.co_varnames[0] for step in dis.get_instructions(code)):
        raise NotDifferentiable(
            f"an object of class {type(obj).__qualname__}, which has a __del__ method, holds active values: "
            "when it runs cannot be reproduced. Use a context manager instead"
        )


def refuse_storing_observer(obj: Any) -> None:
    cls = type(obj)
    name = storing_observer_of(cls)
    if name is not None:
        raise NotDifferentiable(
            f"{cls.__qualname__}.{name} stores values, and Python calls it where they cannot be followed, while "
            "objects of this class hold active values: do that in an ordinary method"
        )


def storing_observer_of(cls: type) -> str | None:
    """The name of an observer of the class that stores something, or None; looked up once."""
    name = _storing.get(cls, "")
    if name == "":
        name = _storing[cls] = _storing_observer(cls)
    return name


def _storing_observer(cls: type) -> str | None:
    for name in OBSERVERS:
        method = next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)
        if type(method) is FunctionType and not is_library_code(method) and stores(method):
            return name
    return None


def stores(f: FunctionType) -> bool:
    try:
        node = source_of(f.__code__).node
    except SourceUnavailable:
        return False
    outside = {n for s in ast.walk(node) if isinstance(s, ast.Global | ast.Nonlocal) for n in s.names}
    own = node.args.args[0].arg if getattr(node, "args", None) and node.args.args else ""  # type: ignore[union-attr]
    return any(_stores(inner, outside, own) for inner in ast.walk(node))


def _stores(node: ast.AST, outside: set[str], own: str) -> bool:
    match node:
        case ast.Assign(targets=targets, value=value):
            return any(_is_outside(t, outside) and not _is_step(t, value) for t in targets) and not _is_quiet(value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return _is_outside(target, outside) and not _is_quiet(value)
        case ast.AugAssign(target=target, op=op, value=value):
            return _is_outside(target, outside) and not (isinstance(op, ast.Add | ast.Sub) and _is_quiet(value))
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=base, attr=attr), args=args)):
            ours = isinstance(base, ast.Name) and base.id == own
            return (attr in STORING or ours) and not all(map(_is_quiet, args or [base]))
        case ast.Call(func=ast.Name(id="setattr"), args=[_, _, value]):
            return not _is_quiet(value)
    return False


def _is_outside(target: ast.expr, outside: set[str]) -> bool:
    """Whether an assignment reaches beyond the method's own variables."""
    if isinstance(target, ast.Tuple | ast.List):
        return any(_is_outside(t, outside) for t in target.elts)
    return isinstance(target, ast.Attribute | ast.Subscript) or (isinstance(target, ast.Name) and target.id in outside)


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
