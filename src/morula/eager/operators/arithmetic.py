"""Operators of transformed code: numbers at once, arrays through scalar rules, objects through their methods."""

import math
from collections.abc import Callable
from typing import Any
from weakref import ProxyTypes

import numpy as np

from chainrules import scalar_rule_for
from morula.eager.calls.registry import no_rule
from morula.eager.containers.container_types import CONTAINERS, SEQUENCES, container_of
from morula.eager.context.kinds import (
    ATOMS,
    DOUBLES,
    NUMERIC,
    PYTHON,
    REAL,
    has_method,
    is_exact_number,
    plain_number,
)
from morula.eager.numpy.array_subclasses import is_subclass
from morula.eager.operators.in_place import IN_PLACE
from morula.eager.operators.operations import OPERATIONS, OPERATOR, UFUNC, Operation
from morula.eager.operators.overloading import Overloading

ndarray = np.ndarray
float64 = np.float64  # beside an array of another dtype the result has another one, too
Pair = tuple[Any, Any]

# Operators that are piecewise constant, or defined on integers alone.
OBJECT = np.dtype(object)
FLAT = frozenset({"lshift", "rshift", "and_", "or_", "xor", "invert"})


def power_partials(x: Any, p: Any, y: Any) -> tuple[float, float]:
    """The partials of ``x ** p`` for real numbers, with their limits where x is 0."""
    x = float(x) if type(x) is float64 else x  # which raises where NumPy's number warns
    try:
        x_partial = p * x ** (p - 1) if p else 0.0
    except ZeroDivisionError:
        x_partial = math.copysign(math.inf, p)
    except OverflowError:
        x_partial = math.inf
    x_partial = math.nan if type(x_partial) is complex else x_partial
    if x == 0:
        p_partial = 0.0 if p > 0 else -math.inf
    else:
        p_partial = y * math.log(abs(x)) if type(y) is not complex else math.nan
    return x_partial, p_partial


class Arithmetic(Overloading):
    """The operators of a reverse context."""

    __slots__ = ()

    def add(self, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        if type(x) in REAL and type(y) in REAL:
            z = x + y
            if x_d is not None:
                node = [0, x_d, 1.0] if y_d is None else [0, x_d, 1.0, y_d, 1.0]
            elif y_d is not None:
                node = [0, y_d, 1.0]
            else:
                return z, None
            self.append(node)
            return z, node
        return self.operate(ADD, x, x_d, y, y_d)

    def sub(self, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        if type(x) in REAL and type(y) in REAL:
            z = x - y
            if x_d is not None:
                node = [0, x_d, 1.0] if y_d is None else [0, x_d, 1.0, y_d, -1.0]
            elif y_d is not None:
                node = [0, y_d, -1.0]
            else:
                return z, None
            self.append(node)
            return z, node
        return self.operate(SUB, x, x_d, y, y_d)

    def mul(self, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        if type(x) in REAL and type(y) in REAL:
            z = x * y
            if x_d is not None:
                node = [0, x_d, y] if y_d is None else [0, x_d, y, y_d, x]
            elif y_d is not None:
                node = [0, y_d, x]
            else:
                return z, None
            self.append(node)
            return z, node
        return self.operate(MUL, x, x_d, y, y_d)

    def truediv(self, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        if type(x) in REAL and type(y) in REAL:
            z = x / y
            if x_d is None and y_d is None:
                return z, None
            if not y:  # only NumPy numbers come here: Python's own have raised
                return self.operate(TRUEDIV, x, x_d, y, y_d)
            if y_d is None:
                node = [0, x_d, 1.0 / y]
            elif x_d is None:
                node = [0, y_d, -z / y]
            else:
                node = [0, x_d, 1.0 / y, y_d, -z / y]
            self.append(node)
            return z, node
        return self.operate(TRUEDIV, x, x_d, y, y_d)

    def pow(self, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        if type(x) in REAL and type(y) in REAL:
            z = x**y
            if x_d is None and y_d is None:
                return z, None
            if type(z) is complex:
                return self.operate(POW, x, x_d, y, y_d)
            if y_d is None and y == 2:
                node = [0, x_d, 2.0 * x]
            else:
                x_partial, y_partial = power_partials(x, y, z)
                if y_d is None:
                    node = [0, x_d, x_partial]
                elif x_d is None:
                    node = [0, y_d, y_partial]
                else:
                    node = [0, x_d, x_partial, y_d, y_partial]
            self.append(node)
            return z, node
        return self.operate(POW, x, x_d, y, y_d)

    def floordiv(self, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        return self._of_quotient(FLOORDIV, x, x_d, y, y_d)

    def mod(self, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        return self._of_quotient(MOD, x, x_d, y, y_d)

    def _of_quotient(self, op: Operation, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        if type(x) not in PYTHON or type(y) not in PYTHON or type(x) is type(y) is int:
            return self.operate(op, x, x_d, y, y_d)
        z = op.plain(x, y)
        node: list = [0]
        p: Any
        for p, d in ((op.p, x_d), (op.q, y_d)):
            if d is not None:
                node += (d, p(z, x, y) if callable(p) else float(p))
        if len(node) == 1:
            return z, None
        self.append(node)
        return z, node

    def neg(self, x: Any, x_d: Any) -> Pair:
        if type(x) in REAL:
            if x_d is None:
                return -x, None
            node = [0, x_d, -1.0]
            self.append(node)
            return -x, node
        return self.operate1("neg", x, x_d)

    def matmul(self, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        if type(x) is ndarray and type(y) is ndarray and x.dtype is not OBJECT and y.dtype is not OBJECT:
            return self.on2[np.matmul](self, x, y, x_d, y_d)
        return self.operate(MATMUL, x, x_d, y, y_d)

    # -- the general case ---------------------------------------------------------------------------------

    def operate(self, op: Operation, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        """A binary operator of anything."""
        tx, ty = type(x), type(y)
        if tx in NUMERIC and ty in NUMERIC:
            x_dtype = y_dtype = None  # of numbers
            if tx is ndarray:
                x_dtype = x.dtype
                if x_d is None and (x.base is not None or id(x) in self.buffers.table):
                    x_d = self.buffers.find(x)
            if ty is ndarray:
                y_dtype = y.dtype
                if y_d is None and (y.base is not None or id(y) in self.buffers.table):
                    y_d = self.buffers.find(y)
            if x_dtype is OBJECT or y_dtype is OBJECT:
                return self.objects_operate(op.name, (x, y), (x_d, y_d))
            if (x_d is None and y_d is None) or op.rule is None:
                if op.name == "matmul" and (tx is ndarray or ty is ndarray):
                    return self.on2[np.matmul](self, x, y, x_d, y_d)
                return op.plain(x, y), None
            z = op.plain(x, y)
            if type(z) is ndarray:
                dtype = z.dtype
                if (
                    (x_dtype is dtype or tx in DOUBLES) and (y_dtype is dtype or ty in DOUBLES) and dtype.kind == "f"
                ):  # fmt: skip
                    z_d = self.buffers.of_owner(z) if z.base is None else self.buffers.new(z)
                    p: Any = op.p
                    q: Any = op.q
                    if y_d is None:
                        keep_z, keep_x, keep_y = op.keep[1]
                        q = None
                    elif x_d is None:
                        keep_z, keep_x, keep_y = op.keep[2]
                        p = None
                    else:
                        keep_z, keep_x, keep_y = op.keep[0]
                    self.append((
                        z_d, p, q, z if keep_z else None, x if keep_x else None, y if keep_y else None, x_d, y_d,
                    ))  # fmt: skip
                    return z, z_d
            return self.elementwise(op.rule, None, (x, y), (x_d, y_d), z)
        return self._operate_others(op, x, x_d, y, y_d)

    def _operate_others(self, op: Operation, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        """A binary operator where not both operands are numbers or arrays: lists beside arrays, containers, objects."""
        tx, ty, name = type(x), type(y), op.name
        if tx is str and name == "mod":
            self.tell(y, y_d)
        repeats = name == "mul" and tx is not ndarray and ty is not ndarray  # NumPy's numbers repeat sequences
        sequences = tx in SEQUENCES or ty in SEQUENCES
        if repeats and sequences and (issubclass(tx, np.inexact) or issubclass(ty, np.inexact)):
            op.plain(x, y)  # raises, where NumPy does
        if tx in ARRAY_LIKE and not repeats and ty in SEQUENCES:
            y, y_d = self.sequence_as_array(y, y_d)
            return self.operate(op, x, x_d, y, y_d)
        if ty in ARRAY_LIKE and not repeats and tx in SEQUENCES:
            x, x_d = self.sequence_as_array(x, x_d)
            return self.operate(op, x, x_d, y, y_d)
        if tx in ATOMS and ty in ATOMS:
            return op.plain(x, y), None
        if (is_subclass(x) or is_subclass(y)) and not self.overrides_operator(name, x, y):
            return self.subclass_operate(op, x, x_d, y, y_d)
        if tx in BUILTIN or ty in BUILTIN:
            found = None
            if (tx in BUILTIN and ty in BUILTIN) or not self.overrides_operator(name, x, y):
                found = self.sequence_operator(name, x, x_d, y, y_d)
            if found is not None:
                return found
        return self.overloaded(name, x, x_d, y, y_d)

    def operate1(self, name: str, x: Any, x_d: Any) -> Pair:
        """A unary operator of anything."""
        tx = type(x)
        if tx in NUMERIC:
            if tx is ndarray and x_d is None:
                if x.dtype is OBJECT:
                    return self.objects_operate(name, (x,), (x_d,))
                x_d = self.buffers.find(x)
            if x_d is None or name in FLAT:
                return OPERATOR[name](x), None
            if tx is ndarray and x.dtype.kind == "f":
                y = OPERATOR[name](x)
                if type(y) is ndarray:
                    y_d = self.buffers.new(y)
                    self.append((y_d, -1 if name == "neg" else 1, None, None, x_d))
                    return y, y_d
            rule = scalar_rule_for(UFUNC[name])
            assert rule is not None
            return self.elementwise(rule, None, (x,), (x_d,), OPERATOR[name](x))
        if tx in ATOMS:
            return OPERATOR[name](x), None
        if is_exact_number(tx):
            return (OPERATOR[name](x), None) if x_d is None else self.generic_number(name, (x,), (x_d,))
        if tx in ProxyTypes:
            return getattr(self, name)(self.behind(x), None)
        dunder = f"__{name}__"
        if is_subclass(x) and not has_method(tx, dunder):
            return self.subclass_operate1(name, x, x_d)
        if has_method(tx, dunder):
            return self.special(tx, dunder, (x,), (x_d,))
        if x_d is not None or self.active_matrix(x):
            u = plain_number(x)
            if u is not x:
                return getattr(self, name)(u, x_d)
            raise no_rule(OPERATOR[name], x)
        return OPERATOR[name](x), None

    def in_place(self, name: str, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        """``x op= y``."""
        tx = type(x)
        if tx is ndarray:
            return self.array_in_place(OPERATIONS[name], x, x_d, y, y_d)
        if tx in REAL or tx in ATOMS or tx is tuple:
            return self._assigned(name, x, x_d, y, y_d)
        if tx in ProxyTypes:
            return self.in_place(name, self.behind(x), None, y, y_d)
        dunder = f"__i{name.rstrip('_')}__"
        if is_subclass(x) and not has_method(tx, dunder):
            return self.subclass_in_place(OPERATIONS[name], x, y, y_d)
        numpy_first = isinstance(y, ndarray | np.generic) and container_of(tx) in SEQUENCES
        if numpy_first and not has_method(tx, dunder):
            return getattr(self, name)(x, x_d, y, y_d)  # NumPy's operator comes first
        found = self.sequence_in_place(name, x, x_d, y, y_d)
        if found is not None:
            return found
        if has_method(tx, dunder):
            z, z_d = self.special(tx, dunder, (x, y), (x_d, y_d))
            if z is not NotImplemented:
                return z, z_d
        elif hasattr(tx, dunder) and container_of(tx) is None:  # written in C
            if self.any_active((x, y), (x_d, y_d), {}, {}):
                raise no_rule(getattr(tx, dunder))
            return IN_PLACE[name](x, y), None
        return self._assigned(name, x, x_d, y, y_d)

    def _assigned(self, name: str, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        """``x op= y`` as ``x = x op y``."""
        try:
            return getattr(self, name)(x, x_d, y, y_d)
        except self.refusals:
            raise
        except TypeError:
            if not has_method(type(y), f"__r{name.rstrip('_')}__"):
                IN_PLACE[name](x, y)  # the same error, in the words of an assignment
            raise


ADD, SUB, MUL = OPERATIONS["add"], OPERATIONS["sub"], OPERATIONS["mul"]
FLOORDIV, MOD = OPERATIONS["floordiv"], OPERATIONS["mod"]
TRUEDIV, POW, MATMUL = OPERATIONS["truediv"], OPERATIONS["pow"], OPERATIONS["matmul"]


def _binary(name: str) -> Callable:
    def method(self: Any, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        return self.operate(OPERATIONS[name], x, x_d, y, y_d)

    return method


def _in_place(name: str) -> Callable:
    of_numbers, op = getattr(Arithmetic, name), OPERATIONS[name]

    def method(self: Any, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        if type(x) in REAL and type(y) in REAL:
            return of_numbers(self, x, x_d, y, y_d)
        if type(x) is ndarray:
            return self.array_in_place(op, x, x_d, y, y_d)
        return self.in_place(name, x, x_d, y, y_d)

    return method


for _name in ("lshift", "rshift", "and_", "or_", "xor"):
    setattr(Arithmetic, _name, _binary(_name))
for _name in IN_PLACE:
    setattr(Arithmetic, "i" + _name.rstrip("_"), _in_place(_name))
for _name in ("pos", "invert"):
    setattr(Arithmetic, _name, (lambda name: lambda self, x, x_d: self.operate1(name, x, x_d))(_name))

ARRAY_LIKE = NUMERIC - {float, int, bool, complex}  # what makes an array of a list beside it
BUILTIN = frozenset({*CONTAINERS, str, bytes})  # whose operators are known
