"""What a function costs as a layer of another library, and what a rule over functions costs.

Run ``python benchmarks/interop.py``; libraries that are not installed are left out. Each row has the shortest of many
times, and what it is held against: for a layer the same layer written by hand and Morula's own gradient, for a function
of another library that library's own gradient.
"""

import functools
import importlib.util
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import chainrules
import morula

N = 100
X = np.linspace(0.1, 1.0, N)


def model(x: Any) -> Any:
    return (np.sin(x) * x).sum()


def slope(x: Any) -> Any:
    return np.cos(x) * x + np.sin(x)


def quartic(x: Any) -> Any:
    return ((x - 1.0) ** 4).sum() + (x[1:] * x[:-1]).sum() ** 2


def shortest(run: Callable[[], Any], seconds: float = 1.0) -> float:
    """The shortest time of many runs."""
    run()
    run()
    found, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(found) < 5:
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def row(name: str, here: float, beside: float, limit: str) -> None:
    print(f"{name:44}{here * 1e6:10.0f} us{beside * 1e6:10.0f} us{(here - beside) * 1e6:10.0f} us  {limit}", flush=True)


def in_jax() -> None:
    """Layers of JAX, functions of JAX, and a Hessian."""
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    from morula.jax import from_jax, to_jax

    x = jnp.asarray(X)

    @jax.custom_vjp
    def bare(x: Any) -> Any:
        return jax.pure_callback(lambda x: model(np.asarray(x)), jax.ShapeDtypeStruct((), x.dtype), x)

    def forward(x: Any) -> Any:
        return bare(x), x

    def back(x: Any, bar: Any) -> Any:
        give = lambda x, bar: np.asarray(bar) * slope(np.asarray(x))
        return (jax.pure_callback(give, jax.ShapeDtypeStruct(x.shape, x.dtype), x, bar),)

    bare.defvjp(forward, back)
    layer = to_jax(model, out_like=lambda x: jax.ShapeDtypeStruct((), x.dtype))
    own = shortest(lambda: morula.gradient(model, X))
    for name, compiler in (("eager", lambda f: f), ("jit", jax.jit)):
        ours, theirs = (compiler(jax.value_and_grad(f)) for f in (layer, bare))
        row(
            f"to_jax, value and gradient, {name}",
            shortest(lambda f=ours: jax.block_until_ready(f(x))),
            shortest(lambda f=theirs: jax.block_until_ready(f(x))) + own,
            "at most 100 us",
        )
    foreign = jax.jit(lambda x: (jnp.sin(x) * x).sum())
    plain, gradient = from_jax(foreign), jax.jit(jax.grad(foreign))
    row(
        "from_jax, gradient",
        shortest(lambda: morula.gradient(plain, X)),
        shortest(lambda: np.asarray(gradient(X))),
        "at most 150 us",
    )
    y = jnp.asarray(X[:20])
    bend = jax.jit(jax.hessian(to_jax(quartic)))
    row(
        "Hessian of 20 variables through JAX",
        shortest(lambda: jax.block_until_ready(bend(y))),
        shortest(lambda: morula.hessian(quartic, X[:20])),
        "at most 8 ms in all",
    )


def in_torch() -> None:
    """Layers of PyTorch, and functions of PyTorch."""
    import torch

    from morula.torch import from_torch, to_torch

    class Bare(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return torch.tensor(model(x.detach().numpy()))

        @staticmethod
        def backward(ctx: Any, bar: Any) -> Any:
            (x,) = ctx.saved_tensors
            return bar * torch.from_numpy(slope(x.detach().numpy()))

    def both(f: Callable) -> None:
        x = torch.from_numpy(X).requires_grad_()
        f(x).backward()

    own = shortest(lambda: morula.gradient(model, X))
    layer = to_torch(model)
    row(
        "to_torch, value and backward",
        shortest(lambda: both(layer)),
        shortest(lambda: both(Bare.apply)) + own,
        "at most 100 us",
    )
    foreign = lambda x: (torch.sin(x) * x).sum()
    plain = from_torch(foreign)
    row(
        "from_torch, gradient",
        shortest(lambda: morula.gradient(plain, X)),
        shortest(lambda: both(foreign)),
        "at most 150 us",
    )


def over_functions() -> None:
    """A rule that differentiates the function it is given."""

    def apply(f: Callable, x: Any) -> Any:
        return f(x)

    @chainrules.rrule(apply, needs=("reverse",))
    def _(config: Any, f: Callable, x: Any) -> Any:
        y, back = config.rrule_via(f, (x,), {})
        return y, lambda y_bar: (None, back(y_bar)[1])

    for name, f, x in (
        ("a few arrays", model, X), ("a loop of 300 steps", loop, 0.3), ("a loop of 3,000 steps", long_loop, 0.3),
    ):  # fmt: skip
        here, beside = shortest(lambda f=f, x=x: morula.gradient(apply, f, x)), shortest(
            lambda f=f, x=x: morula.gradient(f, x)
        )  # fmt: skip
        row(f"rrule_via, {name}: {here / beside:.2f}x", here, beside, "at most 1.2x")


def loop(x: Any, steps: int = 300) -> Any:
    total = 0.0
    for k in range(steps):
        total += math.sin(x * k) / (k + 1.0)
    return total


def long_loop(x: Any) -> Any:
    return loop(x, 3000)


def shard_loss(w: Any, shard: Any) -> Any:
    total = 0.0
    for k in range(300):
        total += math.sin(w * shard + k) ** 2
    return total


def on_a_worker() -> None:
    """What a worker does for a number and its gradient, beside the gradient itself."""
    from morula.interop.worker import value_and_bars

    here = shortest(functools.partial(value_and_bars, shard_loss, (True, False), 0.3, 2.0))
    beside = shortest(lambda: morula.gradient(lambda w: shard_loss(w, 2.0), 0.3))
    row(f"a shard of a map on its worker: {here / beside:.2f}x", here, beside, "at most 1.3x")


def main() -> None:
    """Print the table."""
    print(f"{'':44}{'measured':>13}{'beside':>13}{'more':>13}")
    for library, measure in (("jax", in_jax), ("torch", in_torch)):
        if importlib.util.find_spec(library) is None:
            print(f"{library} is not installed: nothing of it was measured")
        else:
            measure()
    over_functions()
    on_a_worker()


if __name__ == "__main__":
    main()
