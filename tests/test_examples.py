"""The main job, run as a user runs it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def influenza(tmp_path_factory) -> tuple[str, Path]:
    """What the example prints, and the plot that it leaves."""
    where = tmp_path_factory.mktemp("influenza")
    command = [sys.executable, str(ROOT / "examples" / "influenza.py")]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout, where / "influenza.png"


def number_after(label: str, text: str) -> float:
    found = re.search(re.escape(label) + r"\s+([-+.\de]+)", text)
    assert found, f"no {label!r} in\n{text}"
    return float(found[1])


def test_fitted_parameters_are_those_of_an_independent_fit(influenza) -> None:
    from scipy.integrate import solve_ivp
    from scipy.optimize import least_squares

    in_bed = [3, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4]

    def residuals(p):
        beta, gamma, first = p

        def sir(t, y):
            return [-beta * y[0] * y[1] / 763, beta * y[0] * y[1] / 763 - gamma * y[1]]

        run = solve_ivp(sir, (1, 14), [763 - first, first], t_eval=range(1, 15), rtol=1e-8, atol=1e-8)
        return run.y[1] - in_bed

    beta, gamma, first = least_squares(residuals, [1.7, 0.45, 2.0]).x
    text, _ = influenza
    assert number_after("beta   (per day)", text) == pytest.approx(beta, abs=2e-3)
    assert number_after("gamma  (per day)", text) == pytest.approx(gamma, abs=2e-3)
    assert number_after("R0 = beta / gamma", text) == pytest.approx(beta / gamma, abs=1e-2)
    assert number_after("infectives on day 1", text) == pytest.approx(first, abs=2e-2)


def test_gradient_agrees_with_central_differences(influenza) -> None:
    assert number_after("largest relative difference", influenza[0]) < 1e-7


def test_the_exact_gradient_needs_a_quarter_of_the_evaluations(influenza) -> None:
    text, _ = influenza
    exact, differences = number_after("exact gradient", text), number_after("SciPy's differences", text)
    assert 5 <= exact <= differences / 3.5


def test_it_fits_a_screen_and_draws(influenza) -> None:
    text, plot = influenza
    lines = text.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 100
    assert plot.read_bytes().startswith(b"\x89PNG") and plot.stat().st_size > 20_000


def test_the_plot_goes_where_one_says(tmp_path) -> None:
    target = tmp_path / "here.png"
    command = [sys.executable, str(ROOT / "examples" / "influenza.py"), str(target)]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=300)
    assert target.exists() and not (tmp_path / "influenza.png").exists()


@pytest.fixture(scope="module")
def remission(tmp_path_factory) -> tuple[str, Path]:
    """What the example of censored times prints, and its plot."""
    where = tmp_path_factory.mktemp("remission")
    command = [sys.executable, str(ROOT / "examples" / "censored_weibull.py")]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout, where / "censored_weibull.png"


def test_censored_times_are_fitted_as_r_fits_them(remission) -> None:
    # R's survreg: intercept 3.516 with treatment and 2.248 without, log(scale) -0.312, log-likelihood -106.6.
    text, plot = remission
    assert number_after("shape", text) == pytest.approx(1.366, abs=1e-3)
    assert number_after("scale, 6-MP", text) == pytest.approx(33.65, abs=0.05)
    assert number_after("scale, placebo", text) == pytest.approx(9.47, abs=0.02)
    assert number_after("log-likelihood", text) == pytest.approx(-106.6, abs=0.05)
    assert plot.read_bytes().startswith(b"\x89PNG") and plot.stat().st_size > 20_000


def test_the_gradient_of_censored_times_agrees_with_differences(remission) -> None:
    assert number_after("largest relative difference", remission[0]) < 1e-9


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What an example prints, and its plot."""

    def run(name: str) -> tuple[str, Path]:
        where = tmp_path_factory.mktemp(name)
        command = [sys.executable, "-W", "error", str(ROOT / "examples" / f"{name}.py")]
        done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout, where / f"{name}.png"

    return run


def test_the_cheapest_flight_to_mars_is_that_of_hohmann(printed) -> None:
    text, plot = printed("shooting")
    rows = [line.split()[-2:] for line in text.splitlines() if "days)" in line or "km/s)" in line]
    assert len(rows) == 3 and all(float(a) == pytest.approx(float(b), rel=1e-5) for a, b in rows)
    assert number_after("duration (days)", text) == pytest.approx(258.86, abs=0.01)
    assert number_after("largest relative difference", text) < 1e-6
    assert plot.read_bytes().startswith(b"\x89PNG") and plot.stat().st_size > 20_000


def test_the_strength_of_a_penalty_is_where_the_validation_loss_has_no_slope(printed) -> None:
    text, plot = printed("ridge_strength")
    assert 0.01 < number_after("best strength", text) < 0.2
    assert abs(number_after("its slope there", text)) < 1e-7
    assert number_after("largest relative difference", text) < 1e-5
    assert plot.read_bytes().startswith(b"\x89PNG") and plot.stat().st_size > 20_000
