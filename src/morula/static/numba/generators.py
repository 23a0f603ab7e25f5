"""The random generator of compiled code, and how NumPy's stands for it while a Python function is followed.

Numba keeps a Mersenne Twister of its own in each thread, which only compiled code seeds. From a given state it draws
what NumPy's draws, but for the functions in `OTHERS`. A compiled function that draws is followed as Python;
meanwhile, NumPy's generator has Numba's state, and Numba's continues afterwards where NumPy's has stopped.
"""

import ctypes
import dis
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numba import _helperlib

from morula.errors import NotDifferentiable, describe
from morula.static.numba.frozen import FIXED, MISSING, content_of
from morula.static.tiers.dispatch import is_dispatcher

WORDS = 624  # of a Mersenne Twister
OTHERS = frozenset(  # whose algorithm is another one in Numba than in NumPy
    "beta chisquare f gamma negative_binomial standard_gamma standard_t vonmises".split()
)
OF_NUMPY = {id(getattr(np.random, name)): name for name in dir(np.random) if callable(getattr(np.random, name))}
NAMES = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


class _State(ctypes.Structure):
    """``rnd_state_t`` of Numba's ``_random.c``."""

    _fields_ = (
        ("index", ctypes.c_int),
        ("words", ctypes.c_uint32 * WORDS),
        ("has_gauss", ctypes.c_int),
        ("gauss", ctypes.c_double),
        ("is_initialized", ctypes.c_int),
    )


class Generator:
    """Numba's generator in this thread, with the states of `numpy.random.RandomState`."""

    def get_state(self) -> tuple[str, np.ndarray, int, int, float]:
        held = _held()
        return "MT19937", np.array(held.words, np.uint32), held.index, held.has_gauss, held.gauss

    def set_state(self, state: tuple) -> None:
        held = _held()
        held.words[:] = state[1].tolist()
        held.index, held.has_gauss, held.gauss = state[2:]


def _held() -> _State:
    return _State.from_address(_helperlib.rnd_get_np_state_ptr())


NUMBAS = Generator()
_here = threading.local()  # `stands`: whether NumPy's generator stands for Numba's; `followed`: see `is_followed`
_draws: "WeakKeyDictionary[Any, frozenset[str]]" = WeakKeyDictionary()


@contextmanager
def drawing_as_compiled(f: Any) -> Iterator[None]:
    """While the Python function of a compiled one is followed, it draws what the compiled one would.

    Raises:
        NotDifferentiable: for what it calls, NumPy and Numba draw different numbers from one state.
    """
    _here.followed = is_followed() + 1
    try:
        with _drawing_as_compiled(f):
            yield
    finally:
        _here.followed -= 1


def is_followed() -> int:
    """Whether the Python function of a compiled one is followed in this thread, and inside how many others."""
    return getattr(_here, "followed", 0)


@contextmanager
def _drawing_as_compiled(f: Any) -> Iterator[None]:
    names = draws_of(f)
    if not names:
        yield
        return
    if others := sorted(n for n in names if n in OTHERS or n.startswith("random.")):
        called = ", ".join(n if n.startswith("random.") else f"np.random.{n}" for n in others)
        raise NotDifferentiable(
            f"{describe(f)} calls {called}, for which no adjoint is generated, and whose draws in Python are not those "
            "of compiled code. Draw outside, and pass the draws as arguments"
        )
    if getattr(_here, "stands", False):
        yield
        return
    with _handed_over(NUMBAS, np.random.mtrand._rand):
        _here.stands = True
        try:
            yield
        finally:
            _here.stands = False


def refuse_draws(f: Any) -> None:
    """Raise where the Python function of a compiled one would draw from a generator that was not seeded by it."""
    names = draws_of(f)
    if names and "seed" not in names:
        raise NotDifferentiable(
            f"{describe(f)} draws at random (np.random.{min(names)}) and is differentiated inside a differentiated "
            "function, as its Python function, which draws other numbers. Draw outside, and pass the draws as arguments"
        )


@contextmanager
def drawing_itself(f: Any) -> Iterator[None]:
    """While a compiled function runs as it is, inside one that is followed as its Python function."""
    if not getattr(_here, "stands", False) or not draws_of(f):
        yield
        return
    _here.stands = False
    try:
        with _handed_over(np.random.mtrand._rand, NUMBAS):
            yield
    finally:
        _here.stands = True


@contextmanager
def _handed_over(source: Any, target: Any) -> Iterator[None]:
    """`target` goes on where `source` stands, and `source` where that stops; `target` is then as it was before."""
    before = target.get_state()
    target.set_state(source.get_state())
    try:
        yield
    finally:
        source.set_state(target.get_state())
        target.set_state(before)


def draws_of(f: Any) -> frozenset[str]:
    """The names in `numpy.random`, and those in `random` as ``"random.<name>"``, that a compiled function may call."""
    found = _draws.get(f)
    if found is None:
        names: set[str] = set()
        _collect(f.py_func, names, set())
        found = _draws[f] = frozenset(names)
    return found


def _collect(function: FunctionType, names: set[str], seen: set[int]) -> None:
    seen.add(id(function))
    for value in _read(function, function.__code__):
        if is_dispatcher(value):
            value = value.py_func
        if id(value) in OF_NUMPY:
            names.add(OF_NUMPY[id(value)])
        elif getattr(value, "__self__", None) is random._inst:
            names.add(f"random.{value.__name__}")
        elif isinstance(value, FunctionType) and id(value) not in seen:
            if (value.__module__ or "").split(".")[0] not in FIXED:
                _collect(value, names, seen)


def _read(function: FunctionType, code: CodeType) -> Iterator[Any]:
    """What the names in a piece of code stand for, with the attributes of modules that it takes."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    value: Any = MISSING
    for step in dis.get_instructions(code):
        if step.opname in ATTRIBUTES and isinstance(value, ModuleType):
            value = getattr(value, step.argval, MISSING)
            continue
        yield value
        value = MISSING
        if step.opname in NAMES:
            name = step.argval
            value = content_of(cells[name]) if name in cells else function.__globals__.get(name, MISSING)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _read(function, inner)


__all__ = ["NUMBAS", "drawing_as_compiled", "drawing_itself", "is_followed", "refuse_draws"]
