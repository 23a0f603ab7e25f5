"""Types by how the run time treats them."""

import dis
import functools
import os
import re
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    NoneType,
    NotImplementedType,
    SimpleNamespace,
    WrapperDescriptorType,
)
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from chainrules import Thunk
from morula.errors import NotDifferentiable
from morula.static.tiers.dispatch import is_compiled_class

# Numbers whose arithmetic is that of real scalars; their tape entries hold nothing but partials.
REAL = frozenset({float, int, bool, np.float64, np.float32, np.float16, np.longdouble})

# Those that Python has, and those that are doubles or become doubles beside them.
PYTHON = frozenset({float, int})
DOUBLES = PYTHON | {np.float64}

# Numbers and arrays of them.
NUMERIC = frozenset(
    {np.ndarray, float, int, bool, complex} | {t for t in np.sctypeDict.values() if issubclass(t, np.number | np.bool_)}
)

# Values that can neither be active nor hold anything active.
ATOMS = frozenset(
    {
        str,
        bytes,
        int,
        bool,
        float,
        complex,
        NoneType,
        type(Ellipsis),
        NotImplementedType,
        range,
        slice,
        CodeType,
        ModuleType,
        type,
        np.dtype,
        BuiltinFunctionType,
        np.ufunc,
        *(t for t in set(np.sctypeDict.values()) if issubclass(t, np.generic) and t is not np.object_),
        *(type(np.dtype(t)) for t in "?bBhHiIlLqQefdgFDGSUV"),
    }
)

HASHABLE_CALLABLES = frozenset({FunctionType, BuiltinFunctionType, MethodDescriptorType, type, np.ufunc, type(np.sum)})

PARTIALS = (functools.partial, Thunk)
PLACEHOLDER = getattr(functools, "Placeholder", object())  # in a `functools.partial`, since Python 3.14


def around(f: functools.partial, front: tuple, given: tuple) -> tuple:
    """``(*front, *given)``, where `front` stands for the arguments that `f` holds; the first given fill its gaps."""
    gaps = [i for i, x in enumerate(f.args) if x is PLACEHOLDER]
    if not gaps:
        return (*front, *given)
    filled = list(front)
    for i, x in zip(gaps, given, strict=False):
        filled[i] = x
    return (*filled, *given[len(gaps) :])


def refuse_gaps(f: functools.partial) -> None:
    """Raise NotDifferentiable for a partial with placeholders, where its arguments are needed one by one."""
    if any(x is PLACEHOLDER for x in f.args):
        raise NotDifferentiable("a functools.partial with a Placeholder is not followed here; write a lambda")


HEAP_TYPE = 1 << 9
IMMUTABLE_TYPE = 1 << 8


C_METHODS = (WrapperDescriptorType, MethodDescriptorType, ClassMethodDescriptorType)
C_ATTRIBUTES = (GetSetDescriptorType, MemberDescriptorType)


def is_written_in_c(cls: type) -> bool:
    """Whether a class is written in C, Cython or the like.

    Its being on the heap does not tell: those of many extension modules are, and more with each release of Python. But
    `type` gives a class that is made by a statement no descriptors of its own but those of ``__slots__``, ``__dict__``
    and ``__weakref__``.

    >>> import random, _random
    >>> is_written_in_c(_random.Random), is_written_in_c(random.Random)
    (True, False)
    """
    if not cls.__flags__ & HEAP_TYPE or cls.__flags__ & IMMUTABLE_TYPE:
        return True
    return any(
        (isinstance(v, C_METHODS) and v.__objclass__ is cls)
        or is_c_attribute(v, cls)
        or (name == "__new__" and isinstance(v, BuiltinFunctionType) and v.__self__ is cls)
        for name, v in vars(cls).items()
    )


def is_c_attribute(member: Any, cls: type) -> bool:
    """Whether a member of a class is an attribute that C code of this class computes."""
    if not isinstance(member, C_ATTRIBUTES) or member.__objclass__ is not cls:
        return False
    if isinstance(member, GetSetDescriptorType):
        return member.__name__ not in ("__dict__", "__weakref__")
    return not cls.__flags__ & HEAP_TYPE or "__slots__" not in vars(cls)


def is_cython_function(kind: type) -> bool:
    """Whether it is the type of functions that some version of Cython makes, such as methods of random generators."""
    return kind.__name__ == "cython_function_or_method"


def is_exact_number(kind: type) -> bool:
    """Whether a type is Fraction or Decimal, without importing either."""
    return kind.__name__ in ("Fraction", "Decimal") and kind.__module__ in ("fractions", "decimal")


def exactly(p: Any, kind: type) -> Any:
    """A partial in the arithmetic of the value: exact beside exact numbers, as Python refuses products of a float and
    a Decimal, and a float beside others, as NumPy makes an array of objects of an array and a Fraction.

    >>> from decimal import Decimal
    >>> from fractions import Fraction
    >>> exactly(-1.0, Decimal), exactly(0.5, Decimal), exactly(0.5, float), exactly(Fraction(1, 2), float)
    (-1, Decimal('0.5'), 0.5, 0.5)
    """
    if not is_exact_number(kind):
        return float(p) if is_exact_number(type(p)) else p
    if type(p) is not float:
        return p
    if p.is_integer():
        return int(p)
    return kind(p) if kind.__name__ == "Decimal" else p


def module_of(x: Any) -> str:
    """The module that a class or a function says it belongs to; a class may say anything, or None as SymPy's do.

    >>> module_of(np.linalg.solve), module_of(type("C", (), {"__module__": None}))
    ('numpy.linalg', '')
    """
    module = getattr(x, "__module__", None)
    return module if isinstance(module, str) else ""


def is_number_type(kind: type) -> bool:
    """Whether a type is one of Python's own numbers."""
    return kind in (float, int, bool, complex) or is_exact_number(kind)


def defers_to(y: Any) -> bool:
    """Whether NumPy leaves an operator to the right operand."""
    if hasattr(type(y), "__array_ufunc__"):
        return type(y).__array_ufunc__ is None
    return getattr(y, "__array_priority__", -1e6) > 0.0


def plain_number(x: Any) -> Any:
    """An instance of a subclass of Python's numbers as the number itself; anything else as it is."""
    if type(x) in ATOMS:
        return x
    kind: Any
    for kind in (int, float, complex):
        if isinstance(x, kind) and not isinstance(x, np.generic):
            return kind.__pos__(x)
    return x


def is_plain_object(x: Any) -> bool:
    """Whether `x` is an instance of a Python class that keeps its state in attributes."""
    cls = type(x)
    if cls is SimpleNamespace:
        return True
    if not cls.__flags__ & HEAP_TYPE or issubclass(cls, type) or issubclass(cls, BaseException):
        return False
    if is_compiled_class(cls):
        return False
    return dict_of(x) is not None or any("__slots__" in base.__dict__ for base in cls.__mro__)


def has_method(cls: type, name: str) -> bool:
    """Whether a class, or a base of it, defines `name` in Python."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return not isinstance(base.__dict__[name], WRAPPERS)
    return False


def dict_of(o: Any) -> Any:
    """``o.__dict__``; None where there is none, for which a `__getattr__` may answer something else, or raise."""
    try:
        return object.__getattribute__(o, "__dict__")
    except AttributeError:
        return None


def fields_of(o: Any) -> Any:
    """What ``o.__dict__`` holds; nothing where there is none."""
    found = dict_of(o)
    return found if isinstance(found, dict | MappingProxyType) else {}


WRAPPERS = (type(int.__add__), type(list.append), type(len))


def c_method(cls: type, name: str) -> Any:
    """The method that the first base of `cls` written in C defines, whatever overrides it in Python; None without."""
    for base in cls.__mro__:
        found = base.__dict__.get(name)
        if isinstance(found, WRAPPERS):
            return found
    return None


def is_hashable(f: Any) -> bool:
    try:
        hash(f)
    except TypeError:
        return False
    return True


_NUMPY = os.path.dirname(np.__file__) + os.sep
_SPARSE = os.path.join("", "scipy", "sparse", "")  # matrices call no functions of the user

WRITES = re.compile("_?_?(set|insert|zero)|resize|__i(add|sub|mul|truediv|floordiv|mod|pow|matmul)__")


@functools.cache
def _library_folders() -> tuple[str, ...]:
    import sysconfig  # takes milliseconds, which only a run needs

    folders = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(np.__file__)}
    return tuple([os.path.normpath(p) + os.sep for p in folders])


@functools.lru_cache(4096)
def _is_library_file(filename: str) -> bool:
    if filename.startswith("<frozen"):
        return True
    if os.path.basename(filename) == "contextlib.py":
        return False  # it runs the user's generators, which may read what is active only later
    path = os.path.normpath(filename)
    if _SPARSE in path:
        return os.path.dirname(path).endswith(_SPARSE.rstrip(os.sep))
    if "site-packages" in path and not path.startswith(_NUMPY):
        return False
    return path.startswith(_library_folders())


def is_numpy_code(f: FunctionType) -> bool:
    """Whether a function is part of NumPy's own Python code, which works on memory that no transform sees."""
    return f.__code__.co_filename.startswith(_NUMPY)


# NumPy's modules that are ordinary Python over public functions: polynomials as objects, functions that choose between
# real and complex results, matrices, masked arrays, and what calls the methods of these.
_PLAIN = tuple(
    os.path.join(_NUMPY, *path)
    for path in (
        ("polynomial", ""), ("lib", "_polynomial_impl.py"), ("lib", "_scimath_impl.py"), ("lib", "mixins.py"),
        ("ma", ""), ("matrixlib", "defmatrix.py"),
        ("_core", "fromnumeric.py"), ("_core", "_ufunc_config.py"),
    )
)  # fmt: skip


_HELPERS = ("_median_nancheck", "_ureduce")  # of the median of a masked array


def is_plain_numpy_code(f: FunctionType) -> bool:
    """Whether a function of NumPy's can be transformed as a user's."""
    return f.__code__.co_filename.startswith(_PLAIN) or f.__code__.co_name in _HELPERS


def is_library_code(f: Any) -> bool:
    """Whether a function belongs to the standard library, to NumPy or to the sparse matrices of SciPy.

    Such code has no active state of its own. Methods that write numbers into a sparse matrix are not meant: what was
    computed of these before has to be put back.
    """
    code = f.__code__
    return _is_library_file(code.co_filename) and not (WRITES.match(code.co_name) and _SPARSE in code.co_filename)


def is_generated_init(f: Any) -> bool:
    """Whether `f` may be the ``__init__`` of a dataclass."""
    return f.__code__.co_name == "__init__" and f.__code__.co_filename == "<string>"


def is_empty(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


def captured_values(f: Any) -> list[Any]:
    """What the variables that a function captures hold, of those that are bound."""
    found = []
    for cell in getattr(f, "__closure__", None) or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # not bound
            continue
    return found


def functions_of_member(member: Any) -> tuple[Any, ...]:
    """The functions that an attribute of a class consists of: a method's, a property's."""
    if isinstance(member, property):
        return (member.fget, member.fset, member.fdel)
    return (getattr(member, "__func__", getattr(member, "func", member)),)


def rebinds_outside(f: FunctionType) -> bool:
    """Whether a function assigns to a captured or a global variable."""
    code = f.__code__
    found = _rebinding.get(code)
    if found is None:
        found = _rebinding[code] = any(
            step.opname == "STORE_GLOBAL" or (step.opname == "STORE_DEREF" and step.argval in code.co_freevars)
            for step in dis.get_instructions(code)
        )
    return found


_rebinding: WeakKeyDictionary[CodeType, bool] = WeakKeyDictionary()
