"""Random draws move with their parameters: the same bits make a draw that depends on them smoothly.

A location shifts a draw and a scale stretches it; ``weibull``, ``pareto``, ``power`` and ``triangular`` are inverse
distribution functions of what the bits say. So `rng.normal(mu, sigma)` has the derivatives of ``mu + sigma * z``, as
the finite differences of a program that seeds its generator have ("pathwise" derivatives; Mohamed et al., JMLR 21
(2020), section 5). The other parameters decide which bits are rejected, and are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from ...projection import unbroadcast
from ...rules import rrule
from ...tangents import NotImplementedTangent
from .shared import could_be_active

Partial = Callable[..., Any]
Parameters = dict[str, tuple[Any, Partial | None]]  # name -> its default, and the derivative of a draw by it
REQUIRED = Parameter.empty


def _one(z: Any, y: Any, *parameters: Any) -> Any:
    return 1.0


def _standard(z: Any, y: Any, *parameters: Any) -> Any:
    return z


def _times_log(x: Any, y: Any) -> Any:
    """``y log x``, and 0 where ``y`` is."""
    return np.where(y == 0, 0.0, y * np.log(np.where(y == 0, 1.0, x)))


def _by_mode(z: Any, y: Any, left: Any, mode: Any, right: Any) -> Any:
    rises = y <= mode
    far, whole = np.where(rises, y - left, right - y), np.where(rises, mode - left, right - mode)
    return far / np.where(whole == 0, 1.0, 2 * whole)


def _by_left(z: Any, y: Any, left: Any, mode: Any, right: Any) -> Any:
    falls = 1 - (y - left) / (2 * (right - left)) - _by_mode(z, y, left, mode, right)
    return np.where(y <= mode, falls, (right - y) / (2 * (right - left)))


def _by_right(z: Any, y: Any, left: Any, mode: Any, right: Any) -> Any:
    return 1 - _by_left(z, y, left, mode, right) - _by_mode(z, y, left, mode, right)


LOCATION: Parameters = {"loc": (0.0, _one), "scale": (1.0, _standard)}
SCALE: Parameters = {"scale": (1.0, _standard)}

# name -> its parameters, and those of the standard draw (None: as given) from the same bits, or None where none is used
DRAWS: dict[str, tuple[Parameters, tuple | None]] = {
    "normal": (LOCATION, (0.0, 1.0)),
    "laplace": (LOCATION, (0.0, 1.0)),
    "logistic": (LOCATION, (0.0, 1.0)),
    "gumbel": (LOCATION, (0.0, 1.0)),
    "exponential": (SCALE, (1.0,)),
    "rayleigh": (SCALE, (1.0,)),
    "uniform": ({"low": (0.0, lambda z, y, *_: 1 - z), "high": (1.0, _standard)}, (0.0, 1.0)),
    "lognormal": ({"mean": (0.0, lambda z, y, *_: y), "sigma": (1.0, lambda z, y, *_: y * np.log(z))}, (0.0, 1.0)),
    "weibull": ({"a": (REQUIRED, lambda z, y, a: -_times_log(z, y) / a**2)}, (1.0,)),
    "pareto": ({"a": (REQUIRED, lambda z, y, a: -(1 + y) * np.log1p(z) / a**2)}, (1.0,)),
    "power": ({"a": (REQUIRED, lambda z, y, a: -_times_log(z, y) / a**2)}, (1.0,)),
    "gamma": ({"shape": (REQUIRED, None), "scale": (1.0, _standard)}, (None, 1.0)),
    "vonmises": ({"mu": (REQUIRED, _one), "kappa": (REQUIRED, None)}, None),
    "triangular": (
        {"left": (REQUIRED, _by_left), "mode": (REQUIRED, _by_mode), "right": (REQUIRED, _by_right)},
        None,
    ),
}


COVARIANCE = (
    "the draws of multivariate_normal depend on how it factors the covariance: write mean + "
    "rng.standard_normal(n) @ np.linalg.cholesky(cov).T"
)


def _refused(name: str, parameter: str) -> NotImplementedTangent:
    return NotImplementedTangent(
        f"the draws of {name} jump as {parameter} varies, because it decides which bits are rejected; "
        "keep it constant, or draw by a quantile function, as scipy.stats.gamma.ppf(rng.uniform(size=n), shape)"
    )


def _bound(f: Any, name: str) -> tuple[Any, Any]:
    """The generator that `f` is bound to, or None, and the method that takes it first."""
    rng = getattr(f, "__self__", None)
    return rng, f if rng is None else getattr(type(rng), name)


def _declare(f: Any, name: str) -> None:
    """The rule of a method of generators, or of one bound to NumPy's global generator."""
    parameters, standard = DRAWS[name]
    rng, method = _bound(f, name)
    names = (*parameters, "size")

    def rule(*args: Any, **options: Any) -> Any:
        generator, given = (args[0], args[1:]) if rng is None else (rng, args)
        before = deepcopy(generator)
        y = method(generator, *given, **options)
        options |= dict(zip(names, given, strict=False))
        values: list[Any] = [options.get(k, default) for k, (default, _) in parameters.items()]

        def draw_pullback(y_bar: Any) -> Any:
            z = None
            if standard is not None:
                again = [v if s is None else s for v, s in zip(values, standard, strict=True)]
                z = method(deepcopy(before), *again, size=np.shape(y))
            bars: list[Any] = []
            for (k, (_, partial)), value in zip(parameters.items(), values, strict=True):
                if not could_be_active(value):
                    bars.append(None)
                elif partial is None:
                    bars.append(_refused(name, k))
                else:
                    bars.append(unbroadcast(y_bar * partial(z, y, *values), np.shape(value)))
            front = () if rng is not None else (None,)
            return (*front, *bars, None)[: len(args)]

        return y, draw_pullback

    rule.__name__ = f"{name}_rule"
    kind = Parameter.POSITIONAL_OR_KEYWORD
    front = [] if rng is not None else [Parameter("self", kind)]
    listed = [Parameter(k, kind, default=default) for k, (default, _) in parameters.items()]
    signature = Signature([*front, *listed, Parameter("size", kind, default=None)])
    rrule(f, signature=lambda *args: signature)(rule)


def _declare_normal_vectors(f: Any) -> None:
    """`multivariate_normal` moves with its mean; what it does with the covariance is its own factor of it."""
    rng, method = _bound(f, "multivariate_normal")

    def rule(*args: Any, **options: Any) -> Any:
        generator, given = (args[0], args[1:]) if rng is None else (rng, args)
        y = method(generator, *given, **options)
        mean = given[0] if given else options["mean"]
        rest = [NotImplementedTangent(COVARIANCE) if could_be_active(x) else None for x in given[1:]]

        def normal_vectors_pullback(y_bar: Any) -> Any:
            front = () if rng is not None else (None,)
            return (*front, unbroadcast(y_bar, np.shape(mean)), *rest)

        return y, normal_vectors_pullback

    kind = Parameter.POSITIONAL_OR_KEYWORD
    front = [] if rng is not None else [Parameter("self", kind)]
    signature = Signature(
        [*front, Parameter("mean", kind), Parameter("cov", kind), Parameter("size", kind, default=None)]
    )
    rrule(f, signature=lambda *args: signature)(rule)


for _owner in (np.random.Generator, np.random.RandomState, np.random):
    for _name in DRAWS:
        _declare(getattr(_owner, _name), _name)
    _declare_normal_vectors(getattr(_owner, "multivariate_normal"))  # noqa: B009
