"""``output=`` of `scipy.ndimage`: a type, or an array that is written."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ....programs import program


def kind_of(output: Any) -> Any:
    """The type that is asked for, by itself or by an array; ``None`` for that of the input."""
    return output.dtype if isinstance(output, np.ndarray) else output


def written(y: Any, output: Any) -> Any:
    """A result where the caller wants it; a program follows the write."""
    if not isinstance(output, np.ndarray):
        return y
    output[...] = y
    return output


def may_write(*fs: Any) -> None:
    """Declare programs for functions whose rules decline to write: they do it after the call."""
    for f in fs:
        program(f)(_writing(f, list(inspect.signature(f).parameters).index("output")))


def _writing(f: Any, at: int) -> Any:
    def into(config: Any, *args: Any, **named: Any) -> Any:
        if len(args) > at:
            output = args[at]
            return written(f(*args[:at], kind_of(output), *args[at + 1 :], **named), output)
        output = named["output"]
        rest = {k: v for k, v in named.items() if k != "output"}
        return written(f(*args, output=kind_of(output), **rest), output)

    return into
