"""What a gradient holds in memory, beside the least that arithmetic allows.

    python benchmarks/memory.py [--steps 2000] [--cells 100000]

Bytes are those that Python and NumPy allocate after the arguments exist, counted by `tracemalloc`; the numbers do
not vary from run to run. With the defaults the largest program needs about 3 GB. The minimum of each program, in
arrays of `cells` numbers of 8 bytes, is

in place, linear
    ``u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])`` overwrites its inner cells at each step. Walking back, memory must
    be what it was, so these are kept: one array for a step. The update is linear: nothing else is needed.
in place, nonlinear
    ``u *= 1 - dt * u`` overwrites u, and its two partials are that old u and the factor: two arrays for a step.
pure
    ``x = np.sin(x)``: the partial is the cosine of each argument, and the first of them exists: one array for a step.
linear, pure
    ``y = y + c * x - 0.5 * y`` has constant partials. No step keeps anything; the minimum is what the plain program
    holds at once, as measured. The forward run alone is looked at.

On top of the kept arrays come those that no order of work avoids: the cotangent, and the temporaries of one step.
They are in the peak and not in the minimum.
"""

import argparse
import functools
import gc
import tracemalloc
from collections.abc import Callable

import numpy as np

import morula

try:
    import autograd
    import autograd.numpy as anp
except ImportError:
    autograd = anp = None

BAR = 1.3  # asked for: peak bytes over the minimum
FEW = 6  # arrays that the backward pass may hold beyond what the forward run kept: a cotangent and one step's own
PROBES = (0.75, 0.5, 0.25)  # parts of the way, seen from the start of the program, where the backward pass is watched


# -- programs -------------------------------------------------------------------------------------------------


def in_place_linear(u, steps):
    for _ in range(steps):
        u[1:-1] += 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u.sum()


def in_place_nonlinear(u, steps):
    for _ in range(steps):
        u *= 1 - 1e-3 * u
    return u.sum()


def pure(x, steps):
    for _ in range(steps):
        x = np.sin(x)
    return x.sum()


def pure_autograd(x, steps):
    for _ in range(steps):
        x = anp.sin(x)
    return anp.sum(x)


def pure_linear(x, steps):
    y = x
    for _ in range(steps):
        y = y + 0.1 * x - 0.5 * y
    return y.sum()


def in_place_watched(u, steps, watch):
    """`in_place_linear`, telling how far the backward pass has come."""
    marks = {int(steps * part) for part in PROBES}
    for i in range(steps):
        if i in marks:
            u[0] = morula.hook(watch, u[0])
        u[1:-1] += 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u.sum()


def pure_watched(x, steps, watch):
    """`pure`, likewise."""
    marks = {int(steps * part) for part in PROBES}
    for i in range(steps):
        if i in marks:
            x = morula.hook(watch, x)
        x = np.sin(x)
    return x.sum()


# -- measuring ------------------------------------------------------------------------------------------------


class Traced:
    """Bytes allocated since the start of a block: `peak` of it, and what is there `now`."""

    def __enter__(self):
        gc.collect()
        tracemalloc.start()
        self.start = tracemalloc.get_traced_memory()[0]
        return self

    def now(self) -> int:
        return tracemalloc.get_traced_memory()[0] - self.start

    def peak(self) -> int:
        return tracemalloc.get_traced_memory()[1] - self.start

    def restart_peak(self) -> None:
        tracemalloc.reset_peak()

    def __exit__(self, *_):
        self.final_peak = self.peak()
        tracemalloc.stop()


def peak_of(run: Callable[[], object]) -> int:
    with Traced() as traced:
        run()
    return traced.final_peak


def mega(n: float) -> str:
    return f"{n / 1e6:10.2f} MB"


def show(name: str, minimum: float, peak: int, asked: float | None) -> None:
    ratio = peak / minimum
    verdict = "" if asked is None else "   met" if ratio <= asked else "   MISSED"
    bar = f"{asked:5.2f}x" if asked is not None else "    - "
    print(f"  {name:<44}{mega(minimum)}{mega(peak)}   {bar}{ratio:8.2f}x{verdict}")


# -- tables ---------------------------------------------------------------------------------------------------


def peaks(start: np.ndarray, steps: int) -> None:
    """The peak of `gradient`, forward and backward together, over the minimum."""
    array = start.nbytes
    inner = array - 2 * start.itemsize
    print(f"\n  {'gradient, in all':<44}{'minimum':>13}{'peak':>13}   {'asked':>6}{'measured':>9}")
    for name, f, minimum in (
        ("in place, linear", in_place_linear, steps * inner),
        ("in place, nonlinear", in_place_nonlinear, 2 * steps * array),
        ("pure", pure, steps * array),
    ):
        morula.gradient(f, start[:8].copy(), 2)  # what is made once is no part of the program's memory
        x = start.copy()
        show(name, minimum, peak_of(functools.partial(morula.grad(f), x, steps)), BAR)
    if autograd is not None:
        autograd.grad(pure_autograd)(start[:8], 2)
        show("pure, HIPS autograd", steps * array, peak_of(lambda: autograd.grad(pure_autograd)(start, steps)), None)


def forward_alone(start: np.ndarray, steps: int) -> None:
    """The peak of `pullback`, which keeps a tape but not the arrays that no partial reads."""
    array = start.nbytes
    print(f"\n  {'forward run alone':<44}{'minimum':>13}{'peak':>13}   {'asked':>6}{'measured':>9}")
    for name, f, minimum in (
        ("in place, linear", in_place_linear, steps * array),
        ("in place, nonlinear", in_place_nonlinear, 2 * steps * array),
        ("pure", pure, steps * array),
    ):
        show(name, minimum, peak_of(functools.partial(morula.pullback, f, start.copy(), steps)), BAR)
    morula.pullback(pure_linear, start[:8].copy(), 2)
    plain = peak_of(lambda: pure_linear(start, steps))
    mine = peak_of(lambda: morula.pullback(lambda x: pure_linear(x, steps), start))
    print(
        f"  {'linear, pure (minimum: plain run)':<44}{mega(plain)}{mega(mine)}            {mine / plain:7.2f}x"
        f"   {(mine - plain) / steps:.0f} bytes of tape for a step of 4 operations"
    )


def backward(start: np.ndarray, steps: int) -> None:
    """How memory goes in the backward pass: of `gradient`, which runs once, and of `pullback`, twice."""
    array = start.nbytes
    print("\n  backward pass, in arrays")
    for name, f, watched in (
        ("in place, linear", in_place_linear, in_place_watched),
        ("pure", pure, pure_watched),
    ):
        with Traced() as traced:
            _, back = morula.pullback(f, start.copy(), steps)
            forward, kept = traced.peak(), traced.now()
            print(f"  {name}: the forward run keeps {kept / array:.1f}")
            first = None
            for call in ("first", "second"):
                traced.restart_peak()
                bar = back(1.0)[0]
                assert first is None or np.array_equal(first, bar), "two calls of back differ"
                first = bar
                print(
                    f"    pullback, {call} call of back: peak {traced.peak() / array:.1f}, afterwards "
                    f"{traced.now() / array:.1f} with the gradient"
                )
        del back
        whole, met = watch_gradient(watched, start, steps)
        over = (whole - forward) / array
        verdict = "met" if over <= FEW else "MISSED"
        print(f"    gradient: peak {whole / array:.1f}, {over:.1f} above the forward run's (asked: {FEW}; {verdict})")
        for part, held in zip(PROBES, met, strict=True):
            asked = part * steps + FEW
            verdict = "met" if held / array <= BAR * asked else "MISSED"
            print(f"    gradient, {part:.0%} of the steps to go: {held / array:.1f} (asked: {asked:.0f}; {verdict})")


def watch_gradient(watched: Callable, start: np.ndarray, steps: int) -> tuple[int, list[int]]:
    """The peak of `gradient`, and the bytes that are held each time the backward pass comes by a probe."""
    met: list[int] = []
    with Traced() as traced:

        def watch(x_bar):
            met.append(traced.now())
            return x_bar

        morula.gradient(lambda u: watched(u, steps, watch), start.copy())
    return traced.final_peak, met


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--cells", type=int, default=100_000)
    options = parser.parse_args()
    start = np.random.default_rng(0).uniform(0.1, 0.9, options.cells)
    print(f"{options.steps} steps over {options.cells} cells: one array is {start.nbytes / 1e6:.2f} MB")
    peaks(start, options.steps)
    forward_alone(start, options.steps)
    backward(start, options.steps)


if __name__ == "__main__":
    main()
