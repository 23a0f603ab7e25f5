"""The state of random generators, which is put back where a draw has to be repeated."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, MethodType
from typing import Any


def generator_of(f: Any, args: tuple) -> Any:
    """The generator that a call of `f` draws from, of NumPy or of Python; None where it draws from none."""
    owner = f.__self__ if isinstance(f, BuiltinFunctionType | MethodType) else args[0] if args else None
    kind = type(owner)
    if kind.__name__ in ("Generator", "RandomState") and kind.__module__.startswith("numpy.random"):
        return owner
    return owner if isinstance(owner, random.Random) else None


def state_of(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    bits = getattr(generator, "bit_generator", None)
    return generator.get_state() if bits is None else bits.state


def set_state(generator: Any, state: Any) -> None:
    bits = getattr(generator, "bit_generator", None)
    if isinstance(generator, random.Random):
        generator.setstate(state)
    elif bits is None:
        generator.set_state(state)
    else:
        bits.state = state


@contextmanager
def as_it_was(generator: Any, state: Any) -> Iterator[None]:
    """The generator draws what it drew from `state` on, while the block runs."""
    if generator is None:
        yield
        return
    now = state_of(generator)
    set_state(generator, state)
    try:
        yield
    finally:
        set_state(generator, now)


def is_random_draw(f: Any, args: tuple) -> bool:
    """Whether `f` draws from one of NumPy's generators."""
    owner = getattr(f, "__self__", None) if type(f) is BuiltinFunctionType else (args[0] if args else None)
    return type(owner).__name__ in ("Generator", "RandomState") and type(owner).__module__.startswith("numpy.random")
