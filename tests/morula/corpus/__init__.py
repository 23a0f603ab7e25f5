"""Programs to differentiate, in rooms named after what they exercise; `test_corpus.py` holds one law for all of them.

A program is a small function, and what it is called with stands above it::

    program = Programs()

    @program(VECTOR)
    def swapped(a): ...

It returns a real number or an array. Programs are written as users write, oddities included: many once had a wrong
number or an internal error.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

LOG: list[Any] = []  # programs may append to it; what they append is compared with the plain call


@dataclass(frozen=True)
class Program:
    """One program with its arguments, and what is known of it."""

    f: Callable[..., Any]
    args: tuple[Any, ...]
    want: Any = None
    refused: str | None = None
    in_one_piece: bool = False


class Programs(list[Program]):
    """The programs of a room: a decorator that takes the arguments of each.

    Args of the decorator:
        args: copied for each call.
        want: the gradient with respect to the only argument, where it is known exactly.
        refused: what the error says; then there is no derivative.
        in_one_piece: the strides of the arguments matter.
    """

    def __call__(self, *args, **known):
        def declare(f):
            self.append(Program(f, args, **known))
            return f

        return declare


def programs() -> list[tuple[str, Program]]:
    """Every program, beside the name of its room."""
    rooms = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    return [(room, program) for room in rooms for program in importlib.import_module(f"corpus.{room}").program]


def floats(*values):
    return np.array(values, dtype=float)


def uniform(seed, *shape):
    return np.random.default_rng(seed).uniform(0.3, 1.5, shape)


X, Y, Z, W = 0.7, 1.3, -0.4, 2.1
VECTOR, OTHER = uniform(97, 4), uniform(98, 4)
MATRIX, SQUARE = uniform(109, 3, 4), uniform(5, 3, 3)
TWO, THREE = floats(1.5, 0.7), floats(1.1, 2.3, 3.7)
NUMBERS = [0.7, 1.3, -0.4]
TABLE = {"p": 0.7, "q": 1.3}
PAIR = (0.7, 1.3)
ARRAYS = [floats(0.3, 0.8), floats(1.1, -0.5)]
