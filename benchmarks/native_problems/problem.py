"""What a problem of the benchmark is made of."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Problem:
    """One program, its adjoint by hand, and the same program for other libraries.

    Args:
        name: what ``--problems`` takes.
        title: what the tables print.
        primal: the program, an `njit` function that returns one number.
        by_hand: its adjoint, an `njit` function of the same arguments: the gradients by the arguments `wrt`.
        wrt: the positions of the arguments that are differentiated by.
        arguments: ``arguments(size)`` makes the arguments; always the same for one size.
        size: the size of the table.
        sizes: four sizes, for time and memory against size.
        goal: how many times as long as `by_hand` the generated adjoint may take.
        call: what the call of a verb may add to that, in seconds.
        peers: for "JAX", "PyTorch" and "HIPS autograd" what makes the program out of `jax.numpy`, `torch` or
            `autograd.numpy`, for the same arguments.
        primals, adjoints: more columns, functions of the same arguments.
    """

    name: str
    title: str
    primal: Callable
    by_hand: Callable
    wrt: tuple[int, ...]
    arguments: Callable[[int], tuple]
    size: int
    sizes: tuple[int, int, int, int]
    goal: float
    call: float = 0.0
    peers: dict[str, Callable] = field(default_factory=dict)
    primals: dict[str, Callable] = field(default_factory=dict)
    adjoints: dict[str, Callable] = field(default_factory=dict)
