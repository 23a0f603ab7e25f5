"""The examples of second derivatives, run as a user runs them."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
NAMES = ["influenza_intervals", "newton_cg", "gradient_penalty"]
FAILED = "the example failed"


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> dict[str, str]:
    """What each example prints; each must leave its plot. Workers that share the tests run each example once."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    for name in NAMES:
        try:
            (shared / f"{name}.lock").touch(exist_ok=False)
        except FileExistsError:  # another worker is at it
            continue
        run(name, shared / f"{name}.txt", tmp_path_factory.mktemp(name))
    return {name: finished(shared / f"{name}.txt") for name in NAMES}


def finished(found: Path) -> str:
    for _ in range(6000):
        if found.exists():
            return found.read_text()
        time.sleep(0.1)
    raise TimeoutError(found)


def run(name: str, found: Path, where: Path) -> None:
    command = [sys.executable, str(ROOT / "examples" / f"{name}.py")]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=600)
    text = done.stdout if done.returncode == 0 else f"{FAILED}\n{done.stderr}"
    plot = where / f"{name}.png"
    if done.returncode == 0 and not (plot.read_bytes().startswith(b"\x89PNG") and plot.stat().st_size > 20_000):
        text = f"{FAILED}\nno plot"
    written = where / "printed.txt"
    written.write_text(text)
    written.rename(found)


def numbers(label: str, text: str) -> list[float]:
    """The numbers on the line that begins with `label`."""
    (line,) = [line for line in text.splitlines() if line.strip().startswith(label)]
    return [float(x) for x in re.findall(r"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?", line.split(label, 1)[1])]


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_a_screen(printed, name) -> None:
    lines = printed[name].splitlines()
    assert FAILED not in lines, printed[name]
    assert len(lines) <= 24 and max(map(len, lines)) <= 100


def test_the_intervals_are_those_of_an_independent_computation(printed) -> None:
    """Gauss and Newton's covariance of a fit of SciPy's own solution; it lacks the curvature of the model."""
    from scipy.integrate import solve_ivp
    from scipy.optimize import least_squares

    in_bed = [3, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4]

    def residuals(theta):
        beta, gamma, first = np.exp(theta)

        def sir(t, y):
            return [-beta * y[0] * y[1] / 763, beta * y[0] * y[1] / 763 - gamma * y[1]]

        run = solve_ivp(sir, (1, 14), [763 - first, first], t_eval=range(1, 15), rtol=1e-9, atol=1e-9)
        return run.y[1] - in_bed

    fit = least_squares(residuals, np.log([1.7, 0.45, 2.0]), jac="3-point")
    covariance = np.linalg.inv(fit.jac.T @ fit.jac) * np.mean(fit.fun**2)
    for i, name in enumerate(["beta", "gamma", "first"]):
        value, low, high, lower, upper = numbers(name, printed["influenza_intervals"].split("Correlations")[0])
        assert value == pytest.approx(np.exp(fit.x[i]), rel=2e-3)
        half = 1.96 * np.sqrt(covariance[i, i])
        assert np.log(high / low) / 2 == pytest.approx(half, rel=0.2)
        assert lower < value < upper
        assert np.log(upper / lower) == pytest.approx(np.log(high / low), rel=0.15)


def test_the_hessian_agrees_with_differences(printed) -> None:
    assert numbers("relative difference", printed["influenza_intervals"])[0] < 1e-3


def test_exact_products_take_fewer_gradients(printed) -> None:
    text = printed["newton_cg"]
    _, _, gradients, products, norm, _ = numbers("Newton-CG, exact products", text)
    assert norm < 1e-6 and products > 0
    assert gradients * 100 < numbers("Newton-CG, its own differences", text)[2]
    assert numbers("the solutions differ by", text)[0] < 1e-6
    assert numbers("a product and the difference of two gradients: largest relative difference", text)[0] < 1e-5


def test_the_penalty_makes_the_network_flatter_and_better(printed) -> None:
    text = printed["gradient_penalty"]
    rows = [numbers(label, text) for label in ("0e+00", "1e-03", "1e-02", "5e-02")]
    slopes = [row[2] for row in rows]
    assert slopes == sorted(slopes, reverse=True)
    assert rows[2][1] < rows[0][1] / 2
    assert float(text.split("relative difference")[1].split()[0]) < 1e-7
