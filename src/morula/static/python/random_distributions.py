"""Draws of distributions whose parameters decide which random bits are used: ``rng.poisson(3.0)``, ``rng.gamma(a, b)``.

No derivative by such a parameter is known, so that the eager tier refuses one that moves, and so does the text.
"""

from __future__ import annotations

import ast
import random
from typing import Any

import numpy as np

from morula.static.python.forms import Form
from morula.static.python.ir import Unsupported
from morula.static.python.random_numbers import Drawer, RandomNumbers, arguments_by_name
from morula.static.python.scopes import Array, Display

__all__ = ["RandomDistributions"]

OF_NUMPY = {  # the names of the parameters, of which as many may be left out as come after the bar
    "beta": "a b |", "chisquare": "df |", "f": "dfnum dfden |", "gamma": "shape | scale", "gumbel": "| loc scale",
    "laplace": "| loc scale", "logistic": "| loc scale", "lognormal": "| mean sigma",
    "noncentral_chisquare": "df nonc |",
    "pareto": "a |", "power": "a |", "rayleigh": "| scale", "standard_cauchy": "|", "standard_gamma": "shape |",
    "standard_t": "df |", "triangular": "left mode right |", "vonmises": "mu kappa |", "wald": "mean scale |",
    "weibull": "a |",
}  # fmt: skip
WHOLE = {
    "binomial": "n p |", "geometric": "p |", "hypergeometric": "ngood nbad nsample |", "logseries": "p |",
    "negative_binomial": "n p |", "poisson": "| lam", "zipf": "a |",
}  # fmt: skip
OF_PYTHON = {  # one number each
    "betavariate": "alpha beta |", "gammavariate": "alpha beta |", "lognormvariate": "mu sigma |",
    "paretovariate": "alpha |", "triangular": "low high mode |", "vonmisesvariate": "mu kappa |",
    "weibullvariate": "alpha beta |",
}  # fmt: skip


class RandomDistributions(RandomNumbers):
    """The part of a `front.Builder` that draws from them."""

    def drawn_by_parameters(self, drawer: Drawer, name: str, node: ast.Call) -> Any:
        """A number or an array that is drawn."""
        is_numpy = drawer.made_by is not random.Random
        parameters = ({**OF_NUMPY, **WHOLE} if is_numpy else OF_PYTHON).get(name)
        if name == "multivariate_normal" and is_numpy:
            return self._of_vectors(drawer, node)
        if parameters is None or self.sub is not None or self.defining:
            return self.drawn_of_distribution(drawer, name, node)
        required, optional = (part.split() for part in parameters.split("|"))
        nodes = self._by_name([*required, *optional, *["size"] * is_numpy], required, node)
        size = self._size_drawn(nodes.pop("size")) if "size" in nodes else None
        values = {key: self.held(self.value(n)) for key, n in nodes.items()}
        values = {k: self.new_array(v) if isinstance(v, Display) else v for k, v in values.items()}
        operands = [v if isinstance(v, str) else self.as_array(v) for v in values.values()]
        if any(map(self.is_wanted, operands)):
            raise Unsupported("random numbers of a distribution that is differentiated by", self.line)
        given = [f"{key}={{a{i}}}" for i, key in enumerate(values)]
        return self._drawn_still(drawer, name, given, operands, size)

    def _of_vectors(self, drawer: Drawer, node: ast.Call) -> Any:
        nodes = self._by_name(["mean", "cov", "size"], ["mean", "cov"], node)
        size = self._size_drawn(nodes.pop("size")) if "size" in nodes else None
        values = [self.held(self.value(n)) for n in nodes.values()]
        mean, cov = (self.as_array(self.new_array(v) if isinstance(v, Display) else v) for v in values)
        if len(mean.shape) != 1 or cov.shape != mean.shape * 2 or self.sub is not None or self.defining:
            raise Unsupported("random vectors of a distribution that does not fit", self.line)
        shape = (*(size or ()), *mean.shape)
        return self._drawn_still(drawer, "multivariate_normal", ["{a0}", "{a1}"], [mean, cov], size, shape)

    def _drawn_still(
        self, drawer: Drawer, name: str, given: list[str], operands: list[Any], size: tuple | None, shape: Any = None
    ) -> Any:
        """A draw by operands that may not move."""
        shapes = [x.shape for x in operands if isinstance(x, Array)]
        if not all(isinstance(x, str) or x.dtype in (np.float64, np.int64) for x in operands):
            raise Unsupported("random numbers of a distribution of something other than numbers", self.line)
        if shape is None and shapes:
            try:
                shape = np.broadcast_shapes(*shapes, *([] if size is None else [size]))
            except ValueError:
                shape = None
            if shape is None or (size is not None and shape != size):
                raise Unsupported("random numbers of a shape that is not that of their parameters", self.line)
        shape = size if shape is None else shape
        sized = [] if size is None else [f"size={size!r}"]
        text = f"{drawer.atom}.{name}({', '.join([*given, *sized])})"
        terms, still = (None,) * len(operands), tuple(range(len(operands)))
        if shape is None:
            kind = "int" if name in WHOLE else "float"
            return self.compute(
                "numpy", *operands, f=Form(text, frozenset([kind]), terms, is_drawn=True, is_constant=True, still=still)
            )
        like = np.zeros(shape, np.int64 if name in WHOLE else np.float64)
        return self.made(lambda *_: like, text, operands, lambda _: terms, is_drawn=True, is_constant=True, still=still)

    def _by_name(self, names: list[str], required: list[str], node: ast.Call) -> dict[str, ast.expr]:
        nodes = arguments_by_name(names, node)
        if nodes is None or not set(required) <= nodes.keys():
            raise Unsupported("a call to a generator of random numbers that does not fit", self.line)
        return nodes

    def _size_drawn(self, node: ast.expr) -> tuple[int, ...] | None:
        """The shape of what is drawn; None for one number."""
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        found = self._written_out(node)
        shape = found if isinstance(found, tuple) else (found,)
        if not shape or not all(type(k) is int and k > 0 for k in shape):
            raise Unsupported("random numbers of a shape that is not known, or that has none", self.line)
        return shape
