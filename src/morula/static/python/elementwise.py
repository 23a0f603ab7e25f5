"""Operators and functions of NumPy that work element by element, with the partial derivatives of `chainrules`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from chainrules import is_non_differentiable, scalar_rule_for
from morula.static.python.complex_arrays import ComplexArrays, is_complex
from morula.static.python.forms import NUMBER, Term, summed
from morula.static.python.ir import Unsupported, is_name
from morula.static.python.ndarrays import Value
from morula.static.python.scopes import Array
from morula.static.python.slopes import expression_of, with_operands

__all__ = ["Elementwise"]

UFUNCS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "pow": np.power,
    "mod": np.remainder, "floordiv": np.floor_divide, "matmul": np.matmul, "neg": np.negative, "pos": np.positive,
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
    "and": np.bitwise_and, "or": np.bitwise_or, "invert": np.invert,
}  # fmt: skip
SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "mod": "%", "floordiv": "//", "matmul": "@",
    "and": "&", "or": "|",
}  # fmt: skip
PREFIXES = {"neg": "-", "pos": "+", "invert": "~"}
OF_INTEGERS = frozenset([np.add, np.subtract, np.multiply, np.true_divide])
COMPARING = frozenset([np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal])


class Elementwise(ComplexArrays):
    """The part of a `front.Builder` that computes with arrays element by element."""

    are_integers: Callable[[tuple[str, ...]], bool]
    product: Callable[[Any, list[Value], str], Any]

    def array_operator(self, op: str, *operands: Any) -> Any:
        """``a + b`` and the like, of which one is an array."""
        values = [x if isinstance(x, str) else self.as_array(x) for x in operands]
        if op == "matmul":
            return self.product(np.matmul, values, "{a0} @ {a1}")
        if op in PREFIXES:
            text = f"{PREFIXES[op]}{{a0}}"
        else:
            text = f"{{a0}} {SIGNS.get(op, op)} {{a1}}"
        return self.each_element(UFUNCS[op], values, text)

    def each_element(self, f: Any, operands: list[Value], text: str = "") -> Any:
        self.allowed(f)
        text = text or f"{self.given(self.program.space, f)}({', '.join(f'{{a{i}}}' for i in range(len(operands)))})"
        if f.nout != 1 or f.signature is not None or len(operands) != f.nin:
            raise Unsupported(f"a call to {f.__name__}", self.line)
        if any(map(is_complex, operands)):
            return self.complex_element(f, operands, text)
        arrays = [x for x in operands if isinstance(x, Array)]
        if any(x.dtype != np.float64 for x in arrays):
            operands = [self._as_known(x) for x in operands]
        if whole := self._whole_numbers(f, operands):
            run = lambda *xs: f(*[1 if i in whole else x for i, x in enumerate(xs)])
            return self.made(run, text, operands, lambda shape: (None,) * f.nin, ints=whole, is_constant=True)
        floats: tuple[int, ...] = ()
        if f not in COMPARING and any(x.dtype != np.float64 for x in arrays):  # then it is the numbers that decide
            floats = tuple([i for i, x in enumerate(operands) if isinstance(x, str) and is_name(x)])
        python: tuple[int, ...] = ()
        if f in (np.power, np.float_power) and isinstance(operands[1], str):
            python = (1,)
            if self.types_now(operands[1], 20) == NUMBER:  # as NumPy has it: a power by a number of Python's is another
                text = text.replace("{a1}", f"{self.given(self.program.space, np.float64)}({{a1}})")
                self.program.relied_on.append((operands[1], NUMBER))
                python = ()
        return self.made(
            f, text, operands, lambda shape: self._slopes(f, operands, shape), python=python, floats=floats,
            is_constant=is_non_differentiable(f),
        )  # fmt: skip

    def _as_known(self, x: Value) -> Value:
        """A number that is an integer whatever is computed as that integer, for it decides what the array is of."""
        number = self.number_of(x) if isinstance(x, str) and is_name(x) and not self.is_wanted(x) else None
        return self.literal(number) if type(number) is int else x

    def _whole_numbers(self, f: Any, operands: list[Value]) -> tuple[int, ...]:
        """Which operands are integers that are computed, where all others are arrays of integers."""
        names = tuple([i for i, x in enumerate(operands) if isinstance(x, str) and is_name(x)])
        others = [x for i, x in enumerate(operands) if i not in names]
        are_whole = all(isinstance(x, Array) and x.dtype == np.int64 and not self._has_slope(x) for x in others)
        if f not in OF_INTEGERS or not others or not are_whole:
            return ()
        return (
            names if all(not self.is_wanted(operands[i]) and self.are_integers((operands[i],)) for i in names) else ()
        )

    def _slopes(self, f: Any, operands: list[Value], shape: tuple[int, ...]) -> tuple:
        if is_non_differentiable(f) or f is np.sign:
            return (None,) * len(operands)
        if f is np.absolute:
            return (Term(f"{{z}} * {self.given(self.program.space, np.sign)}({{a0}})", of_number="array"),)
        rule = scalar_rule_for(f)
        if rule is None or len(rule.partials) != len(operands) or rule.outputs != 1 or rule.types:
            raise Unsupported(f"a call to {f.__name__}", self.line)
        samples = [self.sample(x) for x in operands]
        return tuple([
            self._slope(f, p, i, operands, samples, shape) for i, p in enumerate(rule.partials)
        ])  # fmt: skip

    def _slope(self, f: Any, p: Any, i: int, operands: list, samples: list, shape: tuple) -> Term | None:
        x = operands[i]
        if (isinstance(x, str) and not is_name(x)) or (isinstance(x, Array) and x.dtype.kind == "b"):
            return None
        to = x.shape if isinstance(x, Array) else ()
        if not callable(p):
            if p == 0:
                return None
            text = summed("{z}", shape, to)
            text = text if p == 1 else f"-{text}" if p == -1 else f"{text} * {float(p)!r}"
            return Term(text, of_number="number" if to == shape else "")
        if hasattr(p, "reason"):  # a partial that is not implemented
            return Term("missing()")
        if f is np.true_divide and i == 1:
            total = summed("{z} * {y}", shape, to) if to else "float(vdot({z}, {y}))"
            return Term(f"-({total} / {{a1}})", of_number="array" if to else "")
        text = self._short_slope(f, i, operands) or self._times(p, len(operands))
        try:
            with np.errstate(all="ignore"):
                slope = np.shape(p(f(*samples), *samples))
        except TypeError as error:  # for truth values
            raise Unsupported(f"a call to {f.__name__}, whose slope ends in {error}", self.line) from None
        if not to and slope == shape and text in ("{z} * {a0}", "{z} * {a1}"):
            return Term(f"float(vdot({{z}}, {text[6:]}))")
        of_number = "array" if slope == shape else "number" if slope == () and to == shape else ""
        return Term(summed(text, shape, to), of_number=of_number)

    def _short_slope(self, f: Any, i: int, operands: list) -> str:
        if f is np.multiply:
            return "{z} * {a1}" if i == 0 else "{z} * {a0}"
        if f is np.true_divide:
            return "{z} / {a1}"
        if f is np.power and i == 0 and isinstance(operands[1], str) and not is_name(operands[1]):
            n = ast.literal_eval(operands[1])
            if n == 2:
                return "{z} * 2.0 * {a0}"
            if n > 1:
                return f"{{z}} * {n!r} * {{a0}} ** {n - 1!r}"
        return ""

    def _times(self, p: Any, count: int) -> str:
        """The cotangent times a partial derivative, as text."""
        names = ["{y}", *[f"{{a{i}}}" for i in range(count)]]
        body = expression_of(p)
        if body is None:
            return f"{{z}} * {self.given(self.program.space, p)}({', '.join(names)})"
        divided = _divided(body, p.__globals__)
        texts = dict(zip(p.__code__.co_varnames, names, strict=False))
        named = partial(self.given, self.program.space)
        text = ast.unparse(with_operands(divided or body, texts, p.__globals__, named))
        return f"{{z}} {'/' if divided else '*'} {text if text in names else f'({text})'}"


def _divided(body: ast.expr, space: dict[str, Any]) -> ast.expr | None:
    """What a partial divides 1 by, if it does."""
    if isinstance(body, ast.Call) and isinstance(body.func, ast.Attribute) and body.func.attr == "true_divide":
        one, by = body.args
        is_one = isinstance(one, ast.Constant) and one.value == 1
        return by if is_one and isinstance(body.func.value, ast.Name) and space.get(body.func.value.id) is np else None
    return None
