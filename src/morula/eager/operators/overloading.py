"""Operators of objects: Python's own protocol, and where NumPy takes part in it."""

from typing import Any
from weakref import ProxyTypes

import numpy as np

from chainrules import reason_unsupported, scalar_rule_for
from morula.eager.calls.registry import no_rule
from morula.eager.context.kinds import (
    defers_to,
    exactly,
    has_method,
    is_exact_number,
    is_number_type,
    plain_number,
)
from morula.eager.context.part import Part
from morula.eager.numpy.array_likes import wraps
from morula.eager.numpy.overrides import overrides
from morula.eager.operators.operations import OPERATOR, UFUNC, as_numpy_reads
from morula.errors import NotDifferentiable

Pair = tuple[Any, Any]
ndarray = np.ndarray


def answers_itself(x: Any, y: Any, dunder: str) -> bool:
    """Whether a number or an array of no class of the user's takes `y` without asking the class of that for a method.

    Args:
        x: the left operand, whose class has no method in Python.
        y: the right operand, whose class has one.
        dunder: the method of the left operand.
    """
    if not isinstance(y, VALUES) or isinstance(y, type(x)):  # a class that is derived from that of `x` is asked first
        return False
    if isinstance(x, ndarray | np.generic):
        return hasattr(type(x), dunder) and not defers_to(y)
    return type(x) in (int, float, complex) and getattr(type(x), dunder, DEFERS)(x, y) is not NotImplemented


def is_an_element(x: Any, y: Any) -> bool:
    """Whether NumPy asks each element of an array, or each item of `y`, instead of the class of `y`."""
    # a class with both methods is a sequence to a NumPy number, which makes an array of it
    is_sequence = has_method(type(y), "__len__") and has_method(type(y), "__getitem__")
    return (isinstance(x, ndarray) or (isinstance(x, np.generic) and is_sequence)) and not defers_to(y)


def of_objects(y: Any) -> NotDifferentiable:
    return NotDifferentiable(
        f"for an array and a {type(y).__qualname__} NumPy makes an array of objects; give the class "
        "__array_ufunc__ = None, which leaves the operator to it"
    )


VALUES = (int, float, complex, str, bytes, list, tuple)  # which NumPy makes numbers and arrays of
DEFERS = lambda x, y: NotImplemented


class Overloading(Part):
    """Binary operators by the methods of the operands."""

    __slots__ = ()

    def overloaded(self, name: str, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        """Python's own protocol: the method of the left, or of the right, or the right first if it is a subclass."""
        tx, ty = type(x), type(y)
        if tx in ProxyTypes or ty in ProxyTypes:
            return getattr(self, name)(self.behind(x), x_d, self.behind(y), y_d)
        if is_number_type(tx) and is_number_type(ty):
            constant = x_d is None and y_d is None
            return (OPERATOR[name](x, y), None) if constant else self.generic_number(name, (x, y), (x_d, y_d))
        if x_d is None and y_d is None and {tx, ty} & {str, bytes} and (is_exact_number(tx) or is_exact_number(ty)):
            return OPERATOR[name](x, y), None  # raises
        left, right = has_method(tx, f"__{name.rstrip('_')}__"), has_method(ty, f"__r{name.rstrip('_')}__")
        if isinstance(x, ndarray | np.generic) and not left and overrides(y, "__array_ufunc__") and name in UFUNC:
            return self.call(UFUNC[name], (x, y), (x_d, y_d))
        if not (left or right) or (not left and answers_itself(x, y, f"__{name.rstrip('_')}__")):
            return self._without_methods(name, x, x_d, y, y_d)
        if isinstance(y, ndarray) and isinstance(x, np.generic) and not left and name in UFUNC:
            return self.call(UFUNC[name], (x, y), (x_d, y_d))
        if isinstance(x, ndarray | np.generic) and not left and not defers_to(y) and not isinstance(y, ndarray):
            if isinstance(x, ndarray) and has_method(ty, "__array_wrap__") and name in UFUNC:
                return self.call(UFUNC[name], (x, y), (x_d, y_d))
            if has_method(ty, "__array__"):
                return getattr(self, name)(x, x_d, *self.call1(ty.__array__, y, y_d))
            if is_an_element(x, y):
                return self._array_of_objects(name, x, x_d, y, y_d)
            x = x.item()
        return self._by_methods(name, x, x_d, y, y_d, left, right)

    def _without_methods(self, name: str, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        """An operator for which the class of neither operand has a method in Python."""
        if name in UFUNC and ((isinstance(x, ndarray) and wraps(y)) or (isinstance(y, ndarray) and wraps(x))):
            return self.call(UFUNC[name], (x, y), (x_d, y_d))
        if isinstance(x, ndarray | np.generic) and (made := self.as_array(y, y_d)) is not None:
            return getattr(self, name)(x, x_d, *made)
        if isinstance(y, ndarray | np.generic) and (made := self.as_array(x, x_d)) is not None:
            return getattr(self, name)(*made, y, y_d)
        found = self.sequence_operator(name, x, x_d, y, y_d)
        if found is not None:
            return found
        u, v = plain_number(x), plain_number(y)
        kinds = np.float64 if isinstance(x, float) else np.float64 | np.complex128
        if u is not x and isinstance(x, float | complex) and not isinstance(x, np.generic) and isinstance(y, kinds):
            v = y.item()  # the class of `x` is asked first, to which it is one of Python's numbers
        if u is not x or v is not y:  # an IntEnum, say, computes as the number that it is
            if isinstance(v, ndarray | np.generic):
                u = as_numpy_reads(u)
            elif isinstance(x, ndarray | np.generic):
                v = as_numpy_reads(v)
            return getattr(self, name)(u, x_d, v, y_d)
        if x_d is not None or y_d is not None or self.active_matrix(x) or self.active_matrix(y):
            OPERATOR[name](x, y)  # raises, where Python does
            raise no_rule(OPERATOR[name], x, y)
        return OPERATOR[name](x, y), None

    def _array_of_objects(self, name: str, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        """An operator between an array and an object that NumPy takes for an element."""
        if self.any_active((x, y), (x_d, y_d), {}, {}):
            if reason_unsupported(OPERATOR[name], x, y) is not None:
                raise no_rule(OPERATOR[name], x, y)
            raise of_objects(y)
        return OPERATOR[name](x, y), None

    def _by_methods(self, name: str, x: Any, x_d: Any, y: Any, y_d: Any, left: bool, right: bool) -> Pair:
        """An operator by the methods in Python that the class of the left operand has, of the right, or both."""
        tx, ty, dunder, reflected = type(x), type(y), f"__{name.rstrip('_')}__", f"__r{name.rstrip('_')}__"
        attempts = [(tx, dunder, x, x_d, y, y_d)] if left else []
        if right and (tx is not ty or not left):
            attempt = (ty, reflected, y, y_d, x, x_d)
            first = issubclass(ty, tx) and getattr(ty, reflected, None) is not getattr(tx, reflected, None)
            attempts.insert(0 if first else len(attempts), attempt)
        for kind, method, a, a_d, b, b_d in attempts:
            z, z_d = self.special(kind, method, (a, b), (a_d, b_d))
            if z is not NotImplemented:
                return z, z_d
        found = self.sequence_operator(name, x, x_d, y, y_d)
        if found is not None:
            return found
        if left is not right:
            plain = getattr(tx if not left else ty, dunder if not left else reflected, None)
            if plain is not None:
                z = plain(x, y) if not left else plain(y, x)
                if z is not NotImplemented:
                    if x_d is not None or y_d is not None:
                        raise no_rule(plain)
                    return z, None
        return OPERATOR[name](x, y), None  # raises the TypeError that Python raises

    def generic_number(self, name: str, args: tuple, ds: tuple) -> Pair:
        """Exact numbers (Fraction, Decimal), by the rule of the operator, whose partials keep their arithmetic."""
        rule = scalar_rule_for(OPERATOR[name])
        if rule is None:
            raise no_rule(OPERATOR[name])
        y = OPERATOR[name](*args)
        node: list = [0]
        for p, d in zip(rule.partials, ds, strict=False):
            if d is not None:
                node += [d, exactly(p(y, *args) if callable(p) else p, type(y))]
        self.append(node)
        return y, node
