"""What Numba has compiled into a function: the globals, captured variables and callees that it took for constant.

A compiled function keeps the representation that it was made of, with the values of its names. That tells what numbers
and functions were. It tells nothing of what arrays held, of attributes of modules, nor, for a function from the disk
cache, what its callees were. Such a function is compiled once more, with what its names stand for now, and the two
texts in LLVM's language are compared.
"""

import builtins
import hashlib
import re
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core import ir, types
from numba.core.compiler import Flags
from numba.core.itanium_mangler import mangle_abi_tag
from numba.core.registry import CPUDispatcher

from morula.eager.memory.fingerprints import fingerprint
from morula.errors import NotDifferentiable, describe
from morula.static.numba.called_rules import has_rule
from morula.static.numba.frozen import FIXED, MISSING, content_of, frozen_names, is_copied, is_fixed
from morula.static.numba.implementations import implementations
from morula.static.tiers.dispatch import is_compiled_ufunc, is_dispatcher

UNKNOWN = object()  # a frozen value of which nothing is kept


@dataclass(frozen=True)
class Frozen:
    """A frozen value of which the text is kept."""

    text: str


@dataclass
class Overload:
    """What one overload was compiled with.

    Attributes:
        names: how each is called, how its value is had now, and what it was.
        callees: the compiled functions that it calls.
        is_proven_by: the values of those names of which too little is kept, with which compiling anew gave the same.
    """

    names: list[tuple[str, Callable[[], Any], Any]] = field(default_factory=list)
    callees: dict[int, Any] = field(default_factory=dict)
    is_proven_by: Any = None

    def add(self, name: str, now: Callable[[], Any], frozen: Any) -> None:
        self.names.append((name, now, frozen))
        for callee in [frozen] if is_dispatcher(frozen) else implementations(frozen):
            self.callees[id(callee)] = callee


_READ: "weakref.WeakKeyDictionary[Any, Overload]" = weakref.WeakKeyDictionary()  # by library


def refuse_stale(f: Any, is_proven: Callable[[str], bool] = lambda text: False) -> None:
    """Raise where a compiled function, or one that it calls, was compiled with other values than it would be now.

    Args:
        f: the function.
        is_proven: whether machine code, by its `mark_of`, is known to be that of what names stand for now.

    Raises:
        NotDifferentiable: which says what has changed.
    """
    waiting, seen = [f], {id(f)}
    while waiting:
        g = waiting.pop()
        if has_rule(g):
            continue
        compiled = g._dispatcher if is_compiled_ufunc(g) else g
        for signature, overload in list(compiled.overloads.items()):
            read = _READ.get(overload.library)
            if read is None:
                read = _READ[overload.library] = _read(compiled.py_func, overload)
            _refuse_stale(g, compiled, signature, overload, read, is_proven)
            fresh = {key: callee for key, callee in read.callees.items() if key not in seen}
            seen |= fresh.keys()
            waiting += fresh.values()


def _refuse_stale(
    f: Any, compiled: Any, signature: tuple, overload: Any, read: Overload, is_proven: Callable[[str], bool]
) -> None:  # fmt: skip
    doubtful = []
    for name, look, frozen in read.names:
        now = look()
        same = now is MISSING or is_same(frozen, now)
        if same is None:
            doubtful.append((name, _print(now)))
        elif not same:
            was = frozen.text if isinstance(frozen, Frozen) else _description(frozen)
            is_other = was == _description(now)
            raise _stale(
                f, f"{name!r} was another" if is_other else f"{name!r} was {was}, and it is {_description(now)} now"
            )
    if doubtful and read.is_proven_by is None:
        if not is_proven(mark_of(overload)) and text_of(overload) not in texts_now(compiled, signature):
            raise _stale(f, f"{' or '.join(repr(name) for name, _ in doubtful)} was another")
        read.is_proven_by = doubtful
    elif doubtful and read.is_proven_by != doubtful:
        changed = next((name for name, value in doubtful if (name, value) not in read.is_proven_by), "a name")
        raise _stale(f, f"{changed!r} has changed since")


def _stale(f: Any, fact: str) -> NotDifferentiable:
    name = describe(f)
    return NotDifferentiable(
        f"{name} no longer matches its Python function: when Numba compiled it, {fact}. Call {name}.recompile(), "
        "and that of each compiled function that calls it, or pass what changes as an argument"
    )


# -- what is kept of an overload ------------------------------------------------------------------------------------


def _read(function: FunctionType, overload: Any) -> Overload:
    annotation = overload.type_annotation
    if isinstance(annotation, str):  # from the disk cache
        return _read_text(function, annotation)
    found = Overload()
    linked = {id(library) for library in getattr(overload.library, "_linking_libraries", ())}
    own = _names(function)
    for s in (s for block in annotation.blocks.values() for s in block.body if isinstance(s, ir.Assign)):
        value = s.value
        if isinstance(value, ir.Global | ir.FreeVar):
            if value.name in own:
                found.add(value.name, _looker(function, value.name), value.value)
            elif not is_of_numba(value):  # from the body of a callee, which Numba has set in the place of its call
                found.add(value.name, lambda: None, UNKNOWN)
        elif isinstance(value, ir.Expr) and value.op == "getattr":
            owner, target = (annotation.typemap.get(name) for name in (value.value.name, s.target.name))
            if isinstance(owner, types.Module) and not is_fixed(owner.pymod):
                frozen = getattr(target, "dispatcher", getattr(target, "pymod", UNKNOWN))
                found.add(f"{owner.pymod.__name__}.{value.attr}", _attribute(owner.pymod, value.attr), frozen)
    for t in annotation.typemap.values():
        if isinstance(t, types.Dispatcher):
            found.callees[id(t.dispatcher)] = t.dispatcher
    for callee in found.callees.values():
        current = [o.library for o in callee.overloads.values()]
        if callee.py_func is not function and linked and not any(id(library) in linked for library in current):
            found.add(callee.__name__, lambda: None, UNKNOWN)  # compiled anew since, or set in the place of its call
    return found


def is_of_numba(value: Any) -> bool:
    """Whether Numba itself has named a builtin, or a function that nobody rebinds: where a branch tests, say."""
    inner = value.value
    module = getattr(inner, "__module__", None) or ""
    return inner is getattr(builtins, value.name, MISSING) or module.split(".")[0] in FIXED


def _read_text(function: FunctionType, text: str) -> Overload:
    found = Overload()
    for name, value in re.findall(r"(?:global|freevar)\((\w+): (.*?)(?:\)  ::|$)", text, re.M):
        look = _looker(function, name)
        now = look()
        if isinstance(now, ModuleType):
            if not is_fixed(now):
                for attribute in set(re.findall(r", attr=(\w+)\)", text)) & vars(now).keys():
                    found.add(f"{name}.{attribute}", _attribute(now, attribute), UNKNOWN)
        elif is_dispatcher(now):
            found.callees[id(now)] = now
            if reads_values(now.py_func, set()):
                found.add(name, look, UNKNOWN)
        else:
            found.add(name, look, Frozen(value))
    return found


def _names(function: FunctionType) -> set[str]:
    return set(frozen_names(function.__code__))


def _looker(function: FunctionType, name: str) -> Callable[[], Any]:
    """How the value of a free name is had."""
    free = function.__code__.co_freevars
    if name in free:
        cell = (function.__closure__ or ())[free.index(name)]
        return lambda: content_of(cell)
    return lambda: function.__globals__.get(name, MISSING)


def _attribute(module: ModuleType, name: str) -> Callable[[], Any]:
    return lambda: vars(module).get(name, MISSING)


def reads_values(function: FunctionType, seen: set[int]) -> bool:
    """Whether a function, or one that it calls, reads numbers or arrays from outside."""
    seen.add(id(function))
    for name in _names(function):
        value = _looker(function, name)()
        inner = getattr(value, "py_func", None)
        if isinstance(inner, FunctionType):
            if id(inner) not in seen and reads_values(inner, seen):
                return True
        elif isinstance(value, ModuleType):
            if not is_fixed(value):
                return True
        elif value is not MISSING and not callable(value):
            return True
    return False


# -- comparing ------------------------------------------------------------------------------------------------------


def is_same(frozen: Any, now: Any) -> bool | None:
    """Whether a name stands for what it stood for; None where that is not known."""
    if frozen is UNKNOWN:
        return None
    if isinstance(frozen, Frozen):
        if isinstance(now, int | float | complex | str | np.generic | type(None)):
            return str(now) == frozen.text
        return True if callable(now) else None
    if isinstance(frozen, tuple):
        if type(frozen) is not type(now) or len(frozen) != len(now):
            return False
        parts = [is_same(a, b) for a, b in zip(frozen, now, strict=True)]
        return False if False in parts else None if None in parts else True
    if isinstance(frozen, np.ndarray):
        return True if frozen is now and not is_copied(frozen) else None
    if frozen is now:
        return True
    if isinstance(frozen, int | float | complex | np.number):
        return type(frozen) is type(now) and np.asarray(frozen).tobytes() == np.asarray(now).tobytes()
    return bool(type(frozen) is type(now) and not is_dispatcher(now) and frozen == now)


def _print(x: Any) -> Any:
    """What is equal as long as a value is the same."""
    if isinstance(x, np.ndarray):
        return x.shape, x.strides, str(x.dtype), fingerprint(x)
    if isinstance(x, tuple):
        return tuple(map(_print, x))
    return (type(x), repr(x)) if isinstance(x, int | float | complex | str) else id(x)


def _description(x: Any) -> str:
    text = repr(x) if isinstance(x, int | float | complex | str | tuple) else f"of type {type(x).__qualname__}"
    return text if len(text) < 60 else f"{text[:60]}..."


# -- compiling anew -------------------------------------------------------------------------------------------------

# What differs from one compilation of the same function to the next: also which of Numba's own messages, that name
# the file of a line, a body holds which Numba has optimised before.
_NUMBERED = re.compile(
    r"(?<=B)\d+v\d+(?=B)|(?<=__v)\d+(?=__)|(?:(?<=_)|(?<= at ))0x[0-9a-f]+|^; ModuleID.*\n"
    r"|(?<=\.pickle)(data|buf)\.(?:[0-9a-f]{40}|\d+)"
    r"|^attributes #.*\n|^; Function Attrs.*\n| #\d+(?= |$)"
    r"|^@\.const\.pickle(?:buf.*|data.*sha1 = .*|data.*missing Environment.*|data.*\\0AFile \\22.*)\n"
    r"|^@\"\.const\.missing Environment.*\n",
    re.M,
)


def _comparable(module: Any, overload: Any) -> str:
    """The text of a module without what differs from one compilation to the next.

    The options stand in the names of an overload as they are printed, sets such as those of `fastmath` in any order.
    """
    text = _NUMBERED.sub("", str(module))
    for tag in overload.fndesc.abi_tags:
        text = text.replace(mangle_abi_tag(tag), "")
    return text


def text_of(overload: Any) -> str:
    """The text of an overload in LLVM's language."""
    library = overload.library
    is_from_disk = isinstance(overload.type_annotation, str)
    return _comparable(library._get_module_for_linking() if is_from_disk else library._final_module, overload)


def mark_of(overload: Any) -> str:
    """A hash of the text that Numba keeps on disk with the machine code of an overload."""
    return hashlib.sha256(_comparable(overload.library._get_module_for_linking(), overload).encode()).hexdigest()


def texts_now(compiled: Any, signature: tuple) -> tuple[str, ...]:
    """The texts, of either kind, of a function that is compiled with what its names stand for now."""
    f = compiled.py_func
    space = dict(f.__globals__)
    copy = FunctionType(f.__code__, space, f.__name__, f.__defaults__, f.__closure__)
    copy.__module__, copy.__qualname__ = f.__module__, f.__qualname__
    options = dict(compiled.targetoptions)
    if isinstance(compiled, CPUDispatcher):  # those of `numba.vectorize` know fewer options
        options |= _inherited(compiled.overloads[signature])
    fresh = type(compiled)(copy, locals=dict(compiled.locals), targetoptions=options)
    space.update({name: fresh for name, value in space.items() if value is compiled})
    fresh.compile(signature)
    overload = fresh.overloads[signature]
    library = overload.library
    return _comparable(library._final_module, overload), _comparable(library._get_module_for_linking(), overload)


def _inherited(overload: Any) -> dict[str, Any]:
    """The options that a callee takes over from the function with which it is first compiled."""
    text = " ".join(map(Flags.demangle, overload.fndesc.abi_tags))
    found: dict[str, Any] = dict(re.findall(r"\b(error_model)=(\w+)", text))
    if "forceinline=True" in text:
        found["forceinline"] = True
    fast = re.search(r"fastmath=FastMathOptions\(\{(.*?)\}\)", text)
    if fast is not None:
        found["fastmath"] = set(re.findall(r"'(\w+)'", fast[1]))
    return found
