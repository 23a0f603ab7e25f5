"""One model as a plain program, with the loops, branches and writes that other engines do not take."""

from typing import Any

import numpy as np


def model(p: dict, x: np.ndarray, n: int = 3, mode: str = "a") -> dict:
    y = np.zeros(n, x.dtype)
    for i in range(n):
        if x[i] > 0.15 or mode == "b":
            y[i] = np.sin(x[i]) * p["w"]
        else:
            y[i] = x[i] ** 2 * p["w"] * 3
    return {"y": y, "e": (y**2).sum() * p["b"]}


def written_in(xp: Any) -> Any:
    """The same in another library."""

    def native(p: dict, x: Any, n: int = 3, mode: str = "a") -> dict:
        y = xp.where(x > 0.15, xp.sin(x) * p["w"], x**2 * p["w"] * 3)
        return {"y": y, "e": xp.sum(y**2) * p["b"]}

    return native


def scalar_of(f: Any, xp: Any) -> Any:
    """A number that depends on everything `f` returns."""

    def scalar(p: dict, x: Any) -> Any:
        found = f(p, x)
        return found["e"] + xp.sum(found["y"] ** 3)

    return scalar


def doctored(x: Any) -> Any:
    """Has a rule that is wrong by a factor of 1000, so that whoever passes by it is seen."""
    return np.sum(np.asarray(x) ** 2)
