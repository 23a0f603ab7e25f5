"""The gradient of each call of a package against central differences: ``python -m tests.real.check PACKAGE``."""

import importlib
import json
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import morula

STEP = 1e-5  # relative
TOLERANCE = 2e-5  # relative to the largest entry of a gradient; added to what two steps of differences disagree by


def number_of(result: Any) -> Any:
    """A result as one real number: the sum of its numbers, each with a weight of its own."""
    if isinstance(result, tuple | list):
        return sum((1.0 + 0.1 * k) * number_of(r) for k, r in enumerate(result))
    if np.ndim(result) == 0:
        return result if not np.iscomplexobj(result) else result.real + 0.7 * result.imag
    flat = np.ravel(result)
    if np.iscomplexobj(flat):
        flat = flat.real + 0.7 * flat.imag
    return (flat * (1.0 + 0.1 * np.cos(np.arange(flat.size)))).sum()


def differences(f: Callable, args: tuple, step: float) -> list[np.ndarray]:
    """The gradient of `f` by central differences, argument by argument."""
    gradients = []
    for k, x in enumerate(args):
        x = np.asarray(x, float)
        gradient = np.empty(x.shape)
        for at in np.ndindex(x.shape):
            h = step * max(1e-3, abs(x[at]))
            values = []
            for moved in (x[at] + h, x[at] - h):
                shifted = x.copy()
                shifted[at] = moved
                value = shifted if shifted.ndim else float(shifted)
                values.append(float(f(*args[:k], value, *args[k + 1 :])))
            gradient[at] = (values[0] - values[1]) / (2 * h)
        gradients.append(gradient)
    return gradients


def copies(args: tuple) -> tuple:
    """Arguments that a call may write into."""
    return tuple(np.array(x, float) if np.ndim(x) else x for x in args)


def outcome_of(function: Callable, args: tuple) -> dict[str, Any]:
    """What becomes of one call: ``right``, ``wrong``, ``refused``, ``crash``, or ``invalid`` without Morula."""

    def loss(*given: Any) -> Any:
        return number_of(function(*given))

    plain = lambda *given: loss(*copies(given))
    try:
        value = float(plain(*args))
        numeric = differences(plain, args, STEP)
        finer = differences(plain, args, STEP / 4)
    except Exception:
        return {"kind": "invalid", "why": traceback.format_exc()}
    start = time.perf_counter()
    try:
        found, gradients = morula.withgradient(loss, *copies(args))
    except morula.MorulaError as error:
        message = "".join(traceback.format_exception_only(error))
        return {"kind": "refused", "why": message, "type": type(error).__name__}
    except Exception:
        return {"kind": "crash", "why": traceback.format_exc()}
    seconds = time.perf_counter() - start
    if not np.isclose(value, found, rtol=1e-12, atol=1e-300, equal_nan=True):
        return {"kind": "wrong", "why": f"the value is {value!r}, and with a gradient {found!r}"}
    for k, (g, n, m) in enumerate(zip(gradients, numeric, finer, strict=True)):
        g = np.zeros(n.shape) if g is None else np.asarray(g)
        size = max(np.abs(n).max(initial=0.0), 1e-12 * abs(value))
        if not np.all(np.abs(g - n) <= TOLERANCE * size + 4 * np.abs(n - m).max(initial=0.0)):
            return {"kind": "wrong", "why": f"argument {k}: {g.tolist()}, by differences {n.tolist()}"}
    if not any(np.any(n) for n in numeric):
        return {"kind": "invalid", "why": "the gradient is zero"}
    return {"kind": "right", "seconds": seconds}


def main(name: str, chosen: list[str]) -> None:
    """Print a line of JSON for each call of a package."""
    warnings.simplefilter("ignore")
    calls = importlib.import_module(f"tests.real.packages.{name}").CALLS
    for call, (function, *args) in calls.items():
        if not chosen or call in chosen:
            print("\0" + json.dumps({"call": call, **outcome_of(function, tuple(args))}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
