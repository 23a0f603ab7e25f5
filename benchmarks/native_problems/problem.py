"""What a problem of the benchmark is made of."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

import morula


@dataclass(frozen=True)
class Problem:
    """One program, its adjoint by hand, and the same program for other libraries.

    Args:
        name: what ``--problems`` takes.
        title: what the tables print.
        primal: the program, an `njit` function that returns one number, or an array (`is_jacobian`).
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
        is_jacobian: the program returns an array, and its Jacobians are wanted.
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
    is_jacobian: bool = False

    def generated(self, args: tuple) -> Callable[[], tuple]:
        """What runs the generated adjoint."""
        if not self.is_jacobian:
            g = morula.grad(self.primal, self.wrt)
            return lambda: g(*args)
        names = inspect.signature(self.primal.py_func).parameters  # type: ignore[attr-defined]
        moving = [args[i] for i in self.wrt]
        constant = {name: args[i] for i, name in enumerate(names) if i not in self.wrt}
        return lambda: morula.jacobian(self.primal, *moving, **constant)
