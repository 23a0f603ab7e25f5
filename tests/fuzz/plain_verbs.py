"""The other verbs on random programs of real numbers: static adjoints and the eager tier must agree."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np

import morula

VERBS = ("jvp", "hvp", "pullback", "jacobian", "part")


def call_of(verb: str, f: Callable, packed: Callable, chance: float) -> Callable[..., Any]:
    """What a verb finds for ``f(*args)``, as a function of these: the value if it gives one, and derivatives.

    ``"part"`` stands for a gradient with respect to some of the arguments.
    """
    rng = random.Random(chance)
    scale = rng.choice([1.0, -0.5, 0.25])
    twice = rng.random() < 0.5

    def tangent(x: Any, i: int) -> Any:
        if type(x) is np.ndarray:
            return np.cos(np.arange(float(x.size)) + i).reshape(x.shape) * scale if x.dtype == float else None
        return scale / (i + 1.0) if type(x) in (float, np.float64) else None

    def found(*args: Any) -> tuple[Any, Any]:
        tangents = tuple([tangent(x, i) for i, x in enumerate(args)])
        if verb == "jvp":
            y, y_dot = morula.jvp(f, args, tangents)
            return y, (float(y_dot) if isinstance(y_dot, float) else y_dot,)
        if verb == "hvp":
            return None, morula.hvp(packed, args, tangents)
        if verb == "jacobian":
            return None, morula.jacobian(f, *args, mode=rng.choice(["forward", "reverse"]))
        if verb == "part":
            some = tuple(sorted(rng.sample(range(len(args)), rng.randint(1, len(args)))))
            return morula.value_and_grad(f, some)(*args)
        y, back = morula.pullback(f, *args)
        first = back(scale)
        return y, (*first, *back(2.0)) if twice else first

    return found


def with_packed(source: str) -> str:
    """A program, with a function of all its arguments in a tuple."""
    (parameters,) = re.findall(r"def program\((.*)\):", source)
    given = ", ".join(f"v[{i}]" for i, _ in enumerate(parameters.split(", ")))
    return f"{source}\ndef packed(v):\n    return program({given})\n"
