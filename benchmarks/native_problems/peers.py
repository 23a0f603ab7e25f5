"""The gradients of a problem by other libraries, where they are installed."""

from collections.abc import Callable

import numpy as np

from native_problems.problem import Problem

try:
    import autograd
    import autograd.numpy as anp
except ImportError:
    autograd = anp = None
try:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = jnp = None
try:
    import torch

    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
except ImportError:
    torch = None


def of_jax(problem: Problem, args: tuple) -> Callable:
    """Compiled once; the arguments are JAX's own arrays, and constant numbers are part of the program."""
    constant = tuple(i for i, a in enumerate(args) if not isinstance(a, np.ndarray) and i not in problem.wrt)
    derivative = jax.jacfwd if problem.is_jacobian else jax.grad
    jitted = jax.jit(derivative(problem.peers["JAX"](jnp), problem.wrt), static_argnums=constant)
    args = tuple(a if i in constant else jnp.asarray(a) for i, a in enumerate(args))
    return lambda: jax.block_until_ready(jitted(*args))


def of_torch(problem: Problem, args: tuple) -> Callable:
    f = problem.peers["PyTorch"](torch)
    tensors = [torch.tensor(a) if isinstance(a, np.ndarray) or i in problem.wrt else a for i, a in enumerate(args)]
    for i in problem.wrt:
        tensors[i].requires_grad_()
    return lambda: torch.autograd.grad(f(*tensors), [tensors[i] for i in problem.wrt])


def of_autograd(problem: Problem, args: tuple) -> Callable:
    g = autograd.grad(problem.peers["HIPS autograd"](anp), problem.wrt)
    return lambda: g(*args)


LIBRARIES = {"JAX": (jax, of_jax), "PyTorch": (torch, of_torch), "HIPS autograd": (autograd, of_autograd)}


def columns(problem: Problem, args: tuple) -> dict[str, Callable[[], tuple]]:
    """For each library that is there and has the program: what runs it and returns the gradients."""
    return {
        name: make(problem, args)
        for name, (module, make) in LIBRARIES.items()
        if module is not None and name in problem.peers
    }


def far_apart(found: tuple, wanted: tuple) -> float:
    """The largest difference of two tuples of gradients, each relative to the largest element of its own."""
    pairs = [(np.asarray(f), np.asarray(w)) for f, w in zip(found, wanted, strict=True)]
    if any(f.shape != w.shape for f, w in pairs):
        return np.inf
    return max(float(np.max(np.abs(f - w)) / np.max(np.abs(w))) for f, w in pairs)
