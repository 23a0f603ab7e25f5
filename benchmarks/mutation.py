"""What writes into arrays and reads of elements cost, beside functional forms, plain primals and HIPS autograd.

    python benchmarks/mutation.py [--repeat 20] [--profile NAME]

Three things are asked for:

* a loop that writes elements takes at most 1.5 times as long as the same loop in functional form, which collects
  numbers in a list and makes one array of them at the end (gradient against gradient);
* a loop of NumPy slice assignments takes, gradient and all, at most 3 times as long as its primal (what NumPy itself
  needs for that shows in the column of gradients written by hand);
* reading ``a[i]`` for every i of n elements costs O(n) in all: the time per element does not grow with n.

All columns of a table are measured in one interleaved run; the medians are printed, ratios count. `--profile` runs
one row's gradient under cProfile instead. HIPS autograd, which knows no writes, is left out where it is not
installed.
"""

import argparse
import cProfile
import math
import pstats
from collections.abc import Callable

import numpy as np
from timing import interleaved

import morula

try:
    import autograd
    import autograd.numpy as anp
except ImportError:
    autograd = anp = None

WRITES = 1.5  # asked for: an element-write loop over its functional form
SLICES = 3.0  # asked for: forward and backward together over the primal
GROWTH = 2.0  # time per element at the largest n over that at the smallest, beyond which it is not linear


# -- element writes, and the same loops in functional form -----------------------------------------------------


def recurrence_writes(x):
    n = len(x)
    y = np.zeros(n)
    y[0] = x[0]
    for i in range(1, n):
        y[i] = math.sin(y[i - 1]) + x[i]
    return y.sum()


def recurrence_list(x):
    n = len(x)
    y = [x[0]]
    for i in range(1, n):
        y.append(math.sin(y[i - 1]) + x[i])
    return np.array(y).sum()


def squares_writes(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * x[i]
    return y.sum()


def squares_list(x):
    y = []
    for i in range(len(x)):
        y.append(x[i] * x[i])
    return np.array(y).sum()


def integration_writes(x):
    n = len(x)
    y = np.zeros((n, 2))
    y[0, 0] = x[0]
    y[0, 1] = 1.0
    for i in range(1, n):
        y[i, 0] = y[i - 1, 0] + 0.01 * y[i - 1, 1]
        y[i, 1] = y[i - 1, 1] - 0.01 * x[i] * y[i - 1, 0]
    return (y * y).sum()


def integration_list(x):
    n = len(x)
    p, q = x[0], 1.0
    ps, qs = [p], [q]
    for i in range(1, n):
        p, q = p + 0.01 * q, q - 0.01 * x[i] * p
        ps.append(p)
        qs.append(q)
    y = np.array([ps, qs])
    return (y * y).sum()


def running_writes(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] += 2.0 * x[i]
    return y.sum()


def running_list(x):
    y = []
    for i in range(len(x)):
        y.append(0.0 + 2.0 * x[i])
    return np.array(y).sum()


ELEMENTS = {
    "y[i] = sin(y[i - 1]) + x[i]": (recurrence_writes, recurrence_list),
    "y[i] = x[i] * x[i]": (squares_writes, squares_list),
    "y[i, 0], y[i, 1] = Euler step": (integration_writes, integration_list),
    "y[i] += 2 * x[i]": (running_writes, running_list),
}


# -- time loops of slice assignments ---------------------------------------------------------------------------

STEPS = 100


def diffusion(u):
    for _ in range(STEPS):
        u[1:-1] += 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u.sum()


def diffusion_flux(u):
    for _ in range(STEPS):
        flux = u[1:] - u[:-1]
        u[1:-1] = u[1:-1] + 0.2 * (flux[1:] - flux[:-1])
    return u.sum()


def decay(u):
    for _ in range(STEPS):
        u *= 1 - 1e-3 * u
    return u.sum()


def wave(u):
    v = np.zeros_like(u)
    for _ in range(STEPS):
        v[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u += 0.1 * v
    return u.sum()


def burgers(u):
    for _ in range(STEPS):
        u[1:] -= 0.1 * u[1:] * (u[1:] - u[:-1])
    return u.sum()


def history(u):
    rows = np.zeros((STEPS, len(u)))
    rows[0] = u
    for i in range(1, STEPS):
        rows[i, 1:-1] = rows[i - 1, 1:-1] + 0.2 * (rows[i - 1, 2:] - 2 * rows[i - 1, 1:-1] + rows[i - 1, :-2])
    return rows.sum()


# The same with their gradients, written by hand: forward with what must be kept, memory brought back, adjoint steps.


def add_second_difference(bar, scale, of):
    """The adjoint of ``scale * (u[2:] - 2 * u[1:-1] + u[:-2])``, whose cotangent is `of`."""
    t = scale * of
    bar[2:] += t
    bar[:-2] += t
    t *= 2
    bar[1:-1] -= t


def diffusion_by_hand(u):
    kept = []
    for _ in range(STEPS):
        kept.append(u[1:-1].copy())
        u[1:-1] += 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
    bar = np.ones_like(u)
    for old in reversed(kept):
        u[1:-1] = old
        add_second_difference(bar, 0.2, bar[1:-1].copy())
    return bar


def diffusion_flux_by_hand(u):
    kept = []
    for _ in range(STEPS):
        flux = u[1:] - u[:-1]
        kept.append(u[1:-1].copy())
        u[1:-1] = u[1:-1] + 0.2 * (flux[1:] - flux[:-1])
    bar = np.ones_like(u)
    flux_bar = np.empty(len(u) - 1)
    for old in reversed(kept):
        u[1:-1] = old
        t = 0.2 * bar[1:-1]
        flux_bar[0] = 0.0
        flux_bar[1:] = t
        flux_bar[:-1] -= t
        bar[1:] += flux_bar
        bar[:-1] -= flux_bar
    return bar


def decay_by_hand(u):
    kept = []
    for _ in range(STEPS):
        factor = 1 - 1e-3 * u
        kept.append((u.copy(), factor))
        u *= factor
    bar = np.ones_like(u)
    for old, factor in reversed(kept):
        u[:] = old
        factor_bar = old * bar
        bar *= factor
        factor_bar *= 1e-3
        bar -= factor_bar
    return bar


def wave_by_hand(u):
    v = np.zeros_like(u)
    kept = []
    for _ in range(STEPS):
        kept.append((v[1:-1].copy(), u.copy()))
        v[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u += 0.1 * v
    u_bar, v_bar = np.ones_like(u), np.zeros_like(u)
    for v_old, u_old in reversed(kept):
        u[:] = u_old
        v[1:-1] = v_old
        v_bar += 0.1 * u_bar
        add_second_difference(u_bar, 0.1, v_bar[1:-1])
    return u_bar


def burgers_by_hand(u):
    kept = []
    for _ in range(STEPS):
        slope = u[1:] - u[:-1]
        kept.append((u[1:].copy(), slope))
        u[1:] -= 0.1 * u[1:] * slope
    bar = np.ones_like(u)
    for old, slope in reversed(kept):
        u[1:] = old
        t = 0.1 * bar[1:]
        slope += old
        slope *= t
        bar[1:] -= slope
        t *= old
        bar[:-1] += t
    return bar


def history_by_hand(u):
    rows = np.zeros((STEPS, len(u)))
    rows[0] = u
    for i in range(1, STEPS):
        rows[i, 1:-1] = rows[i - 1, 1:-1] + 0.2 * (rows[i - 1, 2:] - 2 * rows[i - 1, 1:-1] + rows[i - 1, :-2])
    bars = np.ones_like(rows)
    for i in range(STEPS - 1, 0, -1):
        bars[i - 1, 1:-1] += bars[i, 1:-1]
        add_second_difference(bars[i - 1], 0.2, bars[i, 1:-1])
    return bars[0]


SLICED = {
    "diffusion, u[1:-1] += ...": (diffusion, diffusion_by_hand),
    "diffusion by fluxes, u[1:-1] = ...": (diffusion_flux, diffusion_flux_by_hand),
    "u *= 1 - dt * u": (decay, decay_by_hand),
    "wave, two fields": (wave, wave_by_hand),
    "Burgers, u[1:] -= ...": (burgers, burgers_by_hand),
    "diffusion, rows[i, 1:-1] = ...": (history, history_by_hand),
}
CELLS = (1_000, 10_000, 100_000)


# -- reads of elements ----------------------------------------------------------------------------------------


def reads(a):
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    return total


def reads_squared(a):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * a[i]
    return total


def reads_of_written(a):
    """Reads from an array that is written in between: both must be independent of its size."""
    b = a * 1.0
    total = 0.0
    for i in range(len(b)):
        total += b[i]
        b[i] = 2.0
    return total


READS = {"total += a[i]": reads, "total += a[i] * a[i]": reads_squared, "the same, b[i] = 2.0": reads_of_written}
SIZES = (100, 1_000, 10_000, 100_000)


# -- tables ---------------------------------------------------------------------------------------------------


def verdict(measured: float, asked: float) -> str:
    return f"{asked:7.2f}x{measured:9.2f}x   {'met' if measured <= asked else 'MISSED'}"


def element_table(repeat: int) -> None:
    n = 1000
    x = np.random.default_rng(0).uniform(0.1, 0.9, n)
    print(f"\n{'element writes, n = 1000':<34}{'us per element':>26}{'asked':>12}{'measured':>10}")
    print(f"{'':<34}{'writes':>13}{'functional':>13}")
    for name, (writes, functional) in ELEMENTS.items():
        assert np.allclose(morula.gradient(writes, x)[0], morula.gradient(functional, x)[0])
        t = interleaved(
            repeat,
            writes=lambda f=writes: morula.gradient(f, x),
            functional=lambda f=functional: morula.gradient(f, x),
            plain_writes=lambda f=writes: f(x),
            plain_functional=lambda f=functional: f(x),
        )
        ratio = t["writes"] / t["functional"]
        print(
            f"  {name:<32}{t['writes'] / n * 1e6:13.2f}{t['functional'] / n * 1e6:13.2f}   {verdict(ratio, WRITES)}"
            f"   (plain: {t['plain_writes'] / n * 1e6:.2f} and {t['plain_functional'] / n * 1e6:.2f})"
        )


def slice_table(repeat: int) -> None:
    heads = f"{'cells':>8}{'primal, ms':>12}{'by hand':>10}{'gradient':>10}{'asked':>11}{'measured':>10}"
    print(f"\n{f'slice loops, {STEPS} steps':<36}{heads}{'over by hand':>24}")
    for name, (f, by_hand) in SLICED.items():
        for cells in CELLS:
            start = np.random.default_rng(0).uniform(0.1, 0.9, cells)
            assert np.allclose(morula.gradient(f, start.copy())[0], by_hand(start.copy()), rtol=1e-9)
            t = interleaved(
                max(3, repeat // 4) if cells > 10_000 else repeat,
                primal=lambda f=f, u=start: f(u.copy()),
                by_hand=lambda f=by_hand, u=start: f(u.copy()),
                gradient=lambda f=f, u=start: morula.gradient(f, u),
            )
            columns = "".join(f"{t[k] * 1e3:{n}.3f}" for k, n in (("primal", 12), ("by_hand", 10), ("gradient", 10)))
            print(
                f"  {name:<34}{cells:8}{columns}   {verdict(t['gradient'] / t['primal'], SLICES):<27}"
                f"{t['gradient'] / t['by_hand']:7.2f}x"
            )


def read_table(repeat: int) -> None:
    print(f"\n{'reads of elements, us per element':<34}" + "".join(f"{f'n = {n}':>13}" for n in SIZES) + "     growth")
    peers: dict[str, Callable] = {name: morula.grad(f) for name, f in READS.items()}
    if autograd is not None:
        peers["HIPS autograd, total += a[i]"] = autograd.grad(reads)
    for name, g in peers.items():
        times = []
        for n in SIZES:
            if name.startswith("HIPS") and n > 10_000:
                break  # quadratic: a minute and more
            x = np.random.default_rng(0).uniform(0.1, 0.9, n)
            rounds = max(3, repeat // 4) if n > 10_000 else repeat
            if name.startswith("HIPS") and n > 1_000:
                rounds = 1
            times.append(interleaved(rounds, column=lambda g=g, x=x: g(x))["column"] / n)
        growth = times[-1] / times[0]
        line = (
            f"  {name:<32}" + "".join(f"{t * 1e6:13.2f}" for t in times) + "            -" * (len(SIZES) - len(times))
        )
        print(line + (f"   {verdict(growth, GROWTH)}" if not name.startswith("HIPS") else f"           {growth:9.2f}x"))


def profile(name: str) -> None:
    rng = np.random.default_rng(0)
    if name in SLICED:
        f, x, rounds = SLICED[name][0], rng.uniform(0.1, 0.9, 1_000), 50
    elif name in ELEMENTS:
        f, x, rounds = ELEMENTS[name][0], rng.uniform(0.1, 0.9, 1_000), 50
    else:
        f, x, rounds = READS[name], rng.uniform(0.1, 0.9, 1_000), 100
    morula.gradient(f, x)
    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(rounds):
        morula.gradient(f, x)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(18)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--profile", choices=[*ELEMENTS, *SLICED, *READS])
    options = parser.parse_args()
    if options.profile is not None:
        profile(options.profile)
        return
    element_table(options.repeat)
    slice_table(options.repeat)
    read_table(options.repeat)


if __name__ == "__main__":
    main()
