"""Generated text run by Python: what it computes can be judged in a small part of the time that compiling it takes.

Numbers are NumPy's, which divide as compiled code does. What Numba makes of the text is not tested here: programs that
seem wrong this way are judged again compiled, and every tenth portion of programs is compiled anyway.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
from native_helpers import twin
from numba.core.dispatcher import Dispatcher

from morula.static.numba import vector_math
from morula.static.numba.emit.namespace import HELPERS
from morula.static.numba.generated import defined
from morula.static.numba.kernels import Kernels

NUMBERS = itertools.count()
NUMPYS = {"pow": "power"} | {f"a{name}": f"arc{name}" for name in "sin cos tan sinh cosh tanh tan2".split()}


class Nothing(int):
    """What Numba's variables hold before they are assigned: zero, or an array without elements."""

    shape = (0, 0, 0)
    size = 0


def maths() -> SimpleNamespace:
    """Elementary functions, as `math` and `vector_math` call them: NaN where `math` raises."""
    found = {}
    for name in {*dir(math), *vector_math.__all__}:
        theirs = getattr(np, NUMPYS.get(name, name), None)
        found[name] = theirs if isinstance(theirs, np.ufunc) else getattr(math, name, None)
    return SimpleNamespace(**found)


MATHS = maths()
PYTHONS = HELPERS | {"vector_math": MATHS, "opaque": lambda x: x, "prange": range, "threads": lambda: 3}
PYTHONS["nothing"] = Nothing()


def set_lanes(dots: np.ndarray, index: tuple, value: np.ndarray) -> None:
    dots[index] = value


def set_complex_lanes(dots: np.ndarray, index: tuple, value: np.ndarray) -> None:
    dots[index] = value.real, value.imag


def put_lane(made: np.ndarray, k: int, found: Any) -> None:
    if np.iscomplexobj(found):
        halves = made.reshape((-1, 2, made.shape[-1]))
        halves[:, 0, k], halves[:, 1, k] = np.ravel(found).real, np.ravel(found).imag
        return
    made.reshape((-1, made.shape[-1]))[:, k] = np.ravel(found)


def dot_lanes(a: np.ndarray, b: np.ndarray, a_dot: Any, b_dot: Any, width: int) -> np.ndarray:
    found = 0.0
    if a_dot is not None:
        found = np.stack([a_dot[..., k] @ b for k in range(width)], axis=-1)
    return found if b_dot is None else found + np.stack([a @ b_dot[..., k] for k in range(width)], axis=-1)


def widened(owner: list[np.ndarray], size: int, dtype: type) -> np.ndarray:
    wider = np.empty(size, dtype)
    wider[: owner[0].size] = owner[0]
    owner[0] = wider
    return wider


PYTHONS |= {
    "room_for": lambda size, dtype: [np.empty(size, dtype)],
    "start_of": lambda owner, dtype: owner[0],
    "widened": widened,
    "hold": lambda owner: None,
    "added": lambda x, y: x + y,
    "complex_lane_of": lambda dots, k: dots[..., 0, k] + 1j * dots[..., 1, k],
    "complex_lanes": lambda x: x.astype(complex),
    "complex_lanes_at": lambda dots, index, width: dots[index][0] + 1j * dots[index][1],
    "conj_lanes": np.conj,
    "dot_lanes": dot_lanes,
    "get_complex_lane": lambda x, k: x[k],
    "get_lane": lambda x, k: x[k],
    "imag_lanes": np.imag,
    "lanes_at": lambda dots, index, width: dots[index].copy(),
    "lanes_times": lambda g, x: np.where((g == 0.0) | (x == 0.0), 0.0, g * x),
    "no_complex_lanes": lambda width: np.zeros(width, complex),
    "no_lanes": np.zeros,
    "put_lane": put_lane,
    "real_lanes": np.real,
    "set_complex_lanes": set_complex_lanes,
    "set_lanes": set_lanes,
}


def in_numpy(x: Any) -> Any:
    """Numbers of Python's as NumPy's; those in tuples, too."""
    if isinstance(x, tuple):
        items = [in_numpy(item) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    return {float: np.float64, complex: np.complex128}.get(type(x), lambda x: x)(x)


def pythons(value: Any) -> Any:
    """What stands for an object that generated code names."""
    if isinstance(value, Dispatcher) and not value.py_func.__code__.co_filename.startswith(
        "<"
    ):  # it may name intrinsics
        return value.py_func
    return MATHS if value is math or value is vector_math else value


def run_by_python(kernels: Kernels, text: str, name: str, namespace: dict[str, Any]) -> Callable:
    """In the place of `Kernels.compiled`."""
    held = PYTHONS | {key: pythons(value) for key, value in namespace.items() if key not in HELPERS}
    exec(compile(text, f"<{name}>", "exec"), held)
    code = held[name].__code__
    if local := code.co_varnames[code.co_argcount :]:  # Numba's variables are zero before they are assigned
        begin = text.index("\n", text.index(f"def {name}(")) + 1
        exec(compile(f"{text[:begin]}    {' = '.join(local)} = nothing\n{text[begin:]}", f"<{name}>", "exec"), held)
    function = held[name]
    held.update({key: pythons(value) for key, value in namespace.items() if key not in HELPERS and key == name})

    def called(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*map(in_numpy, args))

    called.compile = lambda types: None  # type: ignore[attr-defined]
    compiled = {**HELPERS, **namespace}
    called.py_func = defined(text, name, f"<{name} {next(NUMBERS)}>", compiled)  # type: ignore[attr-defined]
    return called


def primal_by_python(kernels: Kernels, *args: Any) -> Any:
    """In the place of `Kernels.primal`."""
    return twin(kernels.dispatcher)(*args)


@contextmanager
def interpreted() -> Iterator[None]:
    """Kernels that are made in this block run as Python."""
    before = Kernels.compiled, Kernels.primal
    Kernels.compiled, Kernels.primal = run_by_python, primal_by_python  # type: ignore[method-assign]
    try:
        yield
    finally:
        Kernels.compiled, Kernels.primal = before  # type: ignore[method-assign]
