"""Programs of scientists with SciPy: gradient, tangent and Hessian product against differences."""

from importlib import import_module

import numpy as np
import pytest

import morula

NAMES = """
    seir gaussian_process probit garch heat_source robot_arm bayesian_logistic deblurring portfolio phylogenetics
    ray_tracing stiff_kinetics weibull_survival smoothing_splines diode_clipper
""".split()
ALL = {
    f"{name}-{getattr(f, '__name__', type(f).__name__)}": (f, x)
    for name in NAMES
    for f, x in import_module(f"scipy_programs.{name}").PROGRAMS
}
STEP = {  # where a solver within stops early, steps must be larger than what it leaves
    "robot_arm-reached_by": 1e-2, "bayesian_logistic-log_evidence": 1e-2, "portfolio-risk_at_target": 1e-2,
    "portfolio-best_utility": 1e-2, "stiff_kinetics-remaining": 1e-2, "stiff_kinetics-step_by_step": 1e-5,
}  # fmt: skip
ROUGH = {  # FITPACK reaches its smoothness to a thousandth, and the derivative is that of the exact one
    "smoothing_splines-roughness": 5e-2, "smoothing_splines-by_fitpack": 5e-2,
}  # fmt: skip


def slope(f, x, v, h):
    """The derivative along `v` by differences of fourth order."""
    return (8 * (f(x + h * v) - f(x - h * v)) - (f(x + 2 * h * v) - f(x - 2 * h * v))) / (12 * h)


def close(got, want, rtol):
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * 1e-2 * np.max(np.abs(want), initial=1e-300))


@pytest.mark.parametrize("name", ALL)
def test_derivatives_of_a_program(name: str) -> None:
    f, x = ALL[name]
    h, rough = STEP.get(name, 1e-3), ROUGH.get(name, 0.0)
    scale = np.where(x == 0, 1.0, np.abs(x))
    value, (gradient,) = morula.withgradient(f, x)
    assert value == pytest.approx(f(x), rel=1e-9)
    units = np.diag(np.ravel(scale)).reshape(np.shape(x) * 2) if np.ndim(x) else scale
    close(
        gradient * scale, [slope(f, x, e, h) for e in units] if np.ndim(x) else slope(f, x, units, h), max(1e-4, rough)
    )

    v = scale * np.random.default_rng(0).normal(size=np.shape(x))
    assert morula.jvp(f, (x,), (v,))[1] == pytest.approx(np.sum(gradient * v), rel=1e-6)
    along = lambda h: (morula.gradient(f, x + h * v)[0] - morula.gradient(f, x - h * v)[0]) * scale / (2 * h)
    close(morula.hvp(f, x, v) * scale, along(h / 3), max(2e-3, rough))
