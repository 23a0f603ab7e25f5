"""What second derivatives cost, beside HIPS autograd, JAX and PyTorch where they are installed.

    python benchmarks/second_order.py [--repeat 15]

All columns of a table are measured in one interleaved run; the medians are printed, ratios count. Every library's
result is compared with the first one's before it is timed. JAX works with 64 bits here.
"""

import argparse
from collections.abc import Callable

import numpy as np
from timing import interleaved, keep

import morula

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
except ImportError:
    torch = None


# -- programs, for any library that looks like NumPy ------------------------------------------------------------------


def rosenbrock(np):
    return lambda x: np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def logistic(np, X, y):
    def loss(w):
        p = 1 / (1 + np.exp(-(X @ w)))
        return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))

    return loss


def two_layers(np, X, targets, n, hidden, out):
    """The mean squared error of a network, whose weights are one vector."""

    def loss(w):
        first, second = w[: n * hidden].reshape((n, hidden)), w[n * hidden :].reshape((hidden, out))
        return np.mean((np.tanh(X @ first) @ second - targets) ** 2)

    return loss


def rosenbrock_loop(x):
    total = 0.0
    for i in range(len(x) - 1):
        total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return total


# -- tables -----------------------------------------------------------------------------------------------------------


def hessians(make: Callable, x: np.ndarray, *data: np.ndarray) -> dict[str, Callable]:
    """One column for each library: the Hessian of what `make` makes, at `x`."""
    f = make(np, *data)
    columns = {"morula gradient": lambda: morula.gradient(f, x)[0], "morula hessian": lambda: morula.hessian(f, x)}
    if autograd is not None:
        of_autograd = autograd.hessian(make(anp, *data))
        columns["HIPS autograd"] = lambda: of_autograd(x)
    if jax is not None:
        of_jax = jax.hessian(make(jnp, *map(jnp.asarray, data)))
        jitted, at = jax.jit(of_jax), jnp.asarray(x)
        columns["JAX"] = lambda: of_jax(at).block_until_ready()
        columns["JAX, jit"] = lambda: jitted(at).block_until_ready()
    if torch is not None:
        g, here = make(torch, *map(torch.from_numpy, data)), torch.from_numpy(x)
        columns["PyTorch"] = lambda: torch.autograd.functional.hessian(g, here)
        columns["PyTorch, func"] = lambda: torch.func.hessian(g)(here)
    return columns


def products(make: Callable, x: np.ndarray, v: np.ndarray, *data: np.ndarray) -> dict[str, Callable]:
    """One column for each library: the product of the Hessian at `x` and the direction `v`."""
    f = make(np, *data)
    columns = {
        "primal": lambda: f(x),
        "morula gradient": lambda: morula.gradient(f, x)[0],
        "morula hvp": lambda: morula.hvp(f, x, v),
    }
    if autograd is not None:
        of_autograd = autograd.hessian_vector_product(make(anp, *data))
        columns["HIPS autograd"] = lambda: of_autograd(x, v)
    if jax is not None:
        gradient, at, along = jax.grad(make(jnp, *map(jnp.asarray, data))), jnp.asarray(x), jnp.asarray(v)

        def of_jax(x, v):
            return jax.jvp(gradient, (x,), (v,))[1]

        jitted = jax.jit(of_jax)
        columns["JAX"] = lambda: of_jax(at, along).block_until_ready()
        columns["JAX, jit"] = lambda: jitted(at, along).block_until_ready()
    if torch is not None:
        g, here, there = make(torch, *map(torch.from_numpy, data)), torch.from_numpy(x), torch.from_numpy(v)
        columns["PyTorch"] = lambda: torch.autograd.functional.hvp(g, here, there)[1]
    return columns


ROWS: dict[str, dict[str, float]] = {}


def show(title: str, mine: str, columns: dict[str, Callable], repeat: int) -> None:
    want = np.asarray(columns[mine]())
    for name, run in columns.items():
        if name not in ("primal", "morula gradient"):
            found = np.asarray(run())
            assert np.allclose(found, want, rtol=1e-6, atol=1e-9 * np.max(abs(want))), f"{name} has another result"
    seconds = ROWS[title.strip()] = interleaved(repeat, **columns)
    print(f"\n{title}")
    for name, t in seconds.items():
        line = f"  {name:<18}{t * 1e3:12.3f} ms{t / seconds['morula gradient']:10.1f}x the gradient"
        if name not in ("primal", "morula gradient", mine):
            line += f"{t / seconds[mine]:10.2f}x {mine}"
        print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--json", metavar="PATH", help="keep the figures for the site")
    options = parser.parse_args()
    repeat = options.repeat
    rng = np.random.default_rng(0)

    x = rng.normal(size=50)
    show("Hessian of the Rosenbrock function, 50 numbers", "morula hessian", hessians(rosenbrock, x), repeat)
    v = rng.normal(size=50)
    show("its product with a direction, Rosenbrock, 50 numbers", "morula hvp", products(rosenbrock, x, v), repeat)
    columns = {
        "primal": lambda: rosenbrock_loop(x),
        "morula gradient": lambda: morula.gradient(rosenbrock_loop, x)[0],
        "morula hvp": lambda: morula.hvp(rosenbrock_loop, x, v),
    }
    if autograd is not None:
        of_autograd = autograd.hessian_vector_product(rosenbrock_loop)
        columns["HIPS autograd"] = lambda: of_autograd(x, v)
    show("the same product, Rosenbrock as a loop over elements", "morula hvp", columns, repeat)

    X, labels = rng.normal(size=(1000, 100)), (rng.random(1000) > 0.5).astype(float)
    w = rng.normal(size=100) / 10
    show("Hessian of a logistic regression, d=100, n=1000", "morula hessian", hessians(logistic, w, X, labels), repeat)

    n, hidden, out = 250, 360, 28
    X, targets = rng.normal(size=(64, n)), rng.normal(size=(64, out))
    weights, v = rng.normal(size=n * hidden + hidden * out) / 20, rng.normal(size=n * hidden + hidden * out)

    def network(np, X, targets):
        return two_layers(np, X, targets, n, hidden, out)

    show(
        f"product with a direction for a network of two layers and {weights.size} weights, batches of 64",
        "morula hvp",
        products(network, weights, v, X, targets),
        repeat,
    )
    keep(options.json, "Second derivatives", "morula gradient", ROWS)


if __name__ == "__main__":
    main()
