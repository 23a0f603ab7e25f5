"""Lowering of calls."""

import ast
import cmath
import math
from typing import Any

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher

from morula.static import ir
from morula.static.front.array_bodies import BODIES
from morula.static.front.bodies import Bodies
from morula.static.front.flat import operand_type
from morula.static.front.joins import JOINING
from morula.static.front.lists import ListRef
from morula.static.front.operands import Items, Static, dtype_text, type_of
from morula.static.front.operations import Operations
from morula.static.front.source import canonical_name
from morula.static.ir import Const, Op, Value
from morula.static.numba.called_rules import call_ruled, has_rule
from morula.static.numba.elementary import ROUNDED, elementary
from morula.static.numba.implementations import implementation
from morula.static.numba.opaque_helpers import ALIASES, FITS, KEPT, NUMBERS
from morula.static.tiers.dispatch import is_compiled_ufunc
from morula.static.unsupported import Unsupported

INT = types.intp

UFUNC_SYMBOLS = {np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.true_divide: "/"}
NEW = {np.zeros: "zeros", np.empty: "empty", np.ones: "ones"}
LIKE = {np.zeros_like: "zeros", np.empty_like: "empty", np.ones_like: "ones"}
METHODS = frozenset(  # that are functions of NumPy as well
    "dot max min prod std var cumsum cumprod argmax argmin sum mean argsort repeat all any take trace "
    "conj conjugate nonzero clip ptp".split()
)


def is_of_whole_numbers(f: Any, t: types.Type | None) -> bool:
    """Whether a function of NumPy answers in integers or booleans, and has no other effect than that."""
    module = getattr(f, "__module__", None) or ""
    is_numpy = module.split(".")[0] == "numpy" and not module.startswith("numpy.random")
    return is_numpy and t is not None and not isinstance(t, types.NoneType) and ir.is_discrete_type(t)


class Calls(Bodies, Operations):
    """The part of lowering that knows calls."""

    env: dict[str, Any]

    def of_Call(self: Any, e: ast.Call, base: str, t: types.Type | None) -> Any:
        owner: Any = self.operand(e.func.value) if isinstance(e.func, ast.Attribute) else None
        if isinstance(owner, Static) and isinstance(owner.value, type):  # a class method
            return self.call(owner.value, [], {}, base, t)
        args = [self.operand(a) for a in e.args]
        keywords = {str(k.arg): self.operand(k.value) for k in e.keywords}
        if isinstance(e.func, ast.Attribute):
            if isinstance(owner, ListRef):
                if keywords:
                    raise Unsupported(f"keywords of the method .{e.func.attr} of a list")
                return self.list_method(owner, e.func.attr, args, base)
            if ir.is_array(owner):
                return self.method(owner, e.func.attr, args, keywords, base, t)
            if not hasattr(owner, "value") or isinstance(owner, Const | Value):
                return self.number_method(owner, e.func.attr, args, base, t)
        f = self.operand(e.func).value
        return self.call(f, args, keywords, base, t)

    def number_method(self: Any, x: Any, name: str, args: list, base: str, t: Any) -> Any:
        if isinstance(x, Value | Const) and not args:
            if name in ("conjugate", "conj"):
                return self.elementwise("call", np.conj, [x], base, t)
            if name == "item":
                return x
        raise Unsupported(f"the method .{name}")

    def call(self: Any, f: Any, args: list, keywords: dict, base: str, t: types.Type | None) -> Any:
        """A call of a function of Python, `math` or NumPy, or of one with a rule of the user."""
        if has_rule(f):
            return call_ruled(self, f, args, keywords, base, t)
        if getattr(f, "__name__", "") == "opaque" and getattr(f, "__module__", "") == "morula.static.numba.helpers":
            return args[0]
        if (getattr(f, "__module__", None) or "").startswith("numba.typed."):
            return self.typed_list(args, base, t)
        if f in (dict, set):
            raise Unsupported(f"a {f.__name__}")
        if type(f).__name__ == "JitClassType":
            raise Unsupported(f"an instance of {f.__name__}, a class under jitclass")
        if f is np.where and len(args) == 1:
            f = np.nonzero
        if f in (np.argmax, np.argmin) and len(args) == 1 and set(keywords) == {"axis"}:
            args, keywords = [*args, keywords["axis"]], {}
        for step in (self.call_on_items, self.call_of_operator, self.conversion, self.call_on_arrays):
            found = step(f, args, keywords, base, t)
            if found is not None:
                return found
        return self.call_on_numbers(f, args, keywords, base, t)

    def call_on_items(self: Any, f: Any, args: list, keywords: dict, base: str, t: types.Type | None) -> Any:
        """What is made of a list or a tuple, or of its length; None for any other call."""
        first: Any = args[0] if args else None
        if len(args) == 1 and not keywords and isinstance(first, ListRef):
            return self.call_on_list(f, first, base, t)
        if f in (np.array, np.asarray) and isinstance(first, ListRef) and isinstance(t, types.Array):
            if len(args) + len(keywords) == 2 and keywords.keys() <= {"dtype"}:
                return self.array_of_list(first, base, t.dtype)
        if f in (list, sorted) and len(args) == 1 and not keywords and ir.is_array(first) and first.type.ndim == 1:
            return self.list_of(first, base) if f is list else self.sorted_list(first, base)
        if f in (np.array, np.asarray) and len(args) == 1 and hasattr(first, "items"):
            return self.array_of(first, base, t)
        if f is np.asarray and len(args) == 1 and not keywords and ir.is_array(first):
            return first
        if f is len and not keywords:
            return self.shape(first, 0) if ir.is_array(first) else Const(len(first.items))
        if f in (max, min, sum) and len(args) == 1 and hasattr(first, "items"):
            items = [Const(0), *first.items] if f is sum else list(first.items)
            return self.folded({max: "max2", min: "min2", sum: "+"}[f], items, base, None)
        return None

    def folded(self: Any, symbol: str, items: list, base: str, t: types.Type | None) -> Any:
        """An operator between numbers, from the left; `t` is the type of the last result."""
        found = items[0]
        for k, x in enumerate(items[1:], 2):
            found = self.elementwise("binary", symbol, [found, x], base, t if k == len(items) else None)
        return found

    def call_of_operator(self: Any, f: Any, args: list, keywords: dict, base: str, t: types.Type | None) -> Any:
        """A function that is an operator; None for any other call."""
        if f in (max, min) and len(args) > 1:
            return self.folded("max2" if f is max else "min2", args, base, t)
        if f in (pow, np.power, math.pow) and len(args) == 2:
            return self.elementwise("binary", "**", args, base, t)
        if f is divmod and len(args) == 2:
            kinds = tuple(t) if isinstance(t, types.BaseTuple) else (t, t)
            return Items(tuple([self.binary(o, *args, base, k) for o, k in zip(("//", "%"), kinds, strict=True)]))
        if f in UFUNC_SYMBOLS and len(args) == 2 and not keywords:
            return self.elementwise("binary", UFUNC_SYMBOLS[f], args, base, t)
        if f is np.negative and len(args) == 1:
            return self.elementwise("unary", "-", args, base, t)
        return None

    def conversion(self: Any, f: Any, args: list, keywords: dict, base: str, t: types.Type | None) -> Any:
        """A call of a type; None for any other call."""
        if f in (int, float, bool, complex) and len(args) == 1:
            return self.emit("cast", args, base, t or INT, attr=f.__name__)
        if isinstance(f, type) and issubclass(f, np.number) and len(args) == 1:
            return self.emit("cast", args, base, t or INT, attr=f"np.{f.__name__}")
        if isinstance(f, type) and issubclass(f, tuple) and hasattr(f, "_fields"):
            return self.named_tuple(f, args, keywords)
        return None

    def call_on_arrays(self: Any, f: Any, args: list, keywords: dict, base: str, t: types.Type | None) -> Any:
        """What makes an array, or looks at one in another way; None for any other call."""
        if f in NEW or f in LIKE or f in (np.full, np.full_like):
            return self.new(f, args, keywords, base, t)
        if f is np.copy and len(args) == 1:
            return self.emit("copy", args, base, t or args[0].type)
        if f in (np.sum, np.mean) and len(args) == 1 and not keywords and ir.is_array(args[0]):
            return self.total(f, args[0], base, t)
        if f is np.select and len(args) > 1:
            return self.selected(args, keywords, base)
        if f in (np.reshape, np.ravel, np.transpose) and ir.is_array(args[0]):
            return self.method(args[0], f.__name__, args[1:], keywords, base, t)
        if f is np.append and len(args) == 2 and all(ir.is_array(x) and x.type.ndim == 1 for x in args):
            return self.joined(np.concatenate, [Items(tuple(args))], {}, base, t)
        if f in JOINING:
            return self.joined(f, args, keywords, base, t)
        if f in KEPT:
            return self.repeated(f, args, base, t)
        if f is np.where and len(args) == 3:
            return self.elementwise("call", np.where, args, base, t)
        return None

    def call_on_numbers(self: Any, f: Any, args: list, keywords: dict, base: str, t: types.Type | None) -> Any:
        """An elementary function, or whatever else the arrays' rules know."""
        if f is print:
            self.effect("print", [x for x in args if isinstance(x, Value | Const)])
            return Const(None)
        if f in (np.real, np.imag) and len(args) == 1:
            return self.attribute(args[0], f.__name__, base, t)
        if f in ROUNDED and len(args) == 2 and not keywords and not ir.is_array(args[0]):
            return self.elementwise("call", ROUNDED[f], args, base, t)
        if f in (np.angle, cmath.phase) and not ir.is_complex_type(type_of(args[0])):
            raise Unsupported(f"a call to {canonical_name(f) or f.__name__} with real numbers")
        function = elementary(f)
        is_whole = not keywords and not any(isinstance(x, Const) and x.value is None for x in args)
        if function is None or not is_whole:
            return self.array_call(f, args, keywords, base, t)
        if len(args) != len(function.partials):
            raise Unsupported(f"a call to {canonical_name(f) or f.__name__} with {len(args)} arguments")
        return self.elementwise("call", f, args, base, t)

    def repeated(self: Any, f: Any, args: list, base: str, t: types.Type | None) -> Any:
        """A call of a helper of generated code."""
        if f in FITS:
            return self.emit("fit", args, base, t)
        if f in ALIASES:
            return self.emit("resized", args, base, t, attr=ALIASES[f])
        if f in NUMBERS:
            return self.emit("call", args, base, t, attr=f)
        return self.emit("binary", args, base, t, attr="bdim")

    def named_tuple(self: Any, f: Any, args: list, keywords: dict) -> Any:
        items = [*args, *(keywords[name] for name in f._fields[len(args) :])]
        return Items(tuple(items), f._fields, f)

    def total(self: Any, f: Any, x: Value, base: str, t: types.Type | None) -> Any:
        """The sum or the mean of all elements."""
        dtype = x.type.dtype if f is np.sum and isinstance(x.type.dtype, types.Float | types.Complex) else t
        total = self.emit("sum", [x], "total" if f is np.mean else base, dtype or types.float64)
        if f is np.sum:
            return total
        return self.binary("/", total, self.attribute(x, "size", "size", None), base, t)

    def new(self: Any, f: Any, args: list, keywords: dict, base: str, t: Any) -> Value:
        """`zeros`, `empty`, `ones`, `full` and their likes."""
        fill = None
        if f in (np.full, np.full_like):
            fill = args[1] if len(args) > 1 else keywords["fill_value"]
        if not isinstance(t, types.Array):
            raise Unsupported(f"{f.__name__} of a type that is not known")
        if f in LIKE or f is np.full_like:
            if not ir.is_array(args[0]):
                raise Unsupported(f"{f.__name__} of a number")
            sizes = [self.shape(args[0], k) for k in range(t.ndim)]
        else:
            sizes = list(args[0].items) if hasattr(args[0], "items") else [args[0]]
        how = "empty" if fill is not None else NEW.get(f) or LIKE[f]
        made = self.fresh_array(sizes, base, t, how)
        if fill is not None:
            self.effect("fill", [made, fill], None)
        return made

    def fresh_array(self: Any, sizes: list, base: str, t: types.Array, how: str = "empty") -> Value:
        return self.emit("new", sizes, base, types.Array(t.dtype, t.ndim, "C"), attr=(how, dtype_text(t.dtype)))

    def method(self: Any, x: Value, name: str, args: list, keywords: dict, base: str, t: types.Type | None) -> Any:
        """A method of an array."""
        if name == "copy" and not args:
            return self.emit("copy", [x], base, t or x.type)
        if name in ("sum", "mean") and not args and not keywords:
            return self.total(getattr(np, name), x, base, t)
        if name in ("ravel", "flatten") and not args and not keywords and x.type.layout != "C" and x.type.ndim > 1:
            return self.flattened(x)
        if name in ("reshape", "ravel", "flatten") and not keywords and x.type.layout == "C":
            if name == "flatten":
                x = self.emit("copy", [x], base, types.Array(x.type.dtype, x.type.ndim, "C"))
            sizes = list(args[0].items) if args and hasattr(args[0], "items") else args
            return self.emit("view", [x, *sizes], base, t, attr=("reshape" if name == "reshape" else "ravel", None))
        if name == "transpose" and not args and not keywords:
            return self.attribute(x, "T", base, t)
        if name == "transpose":
            return self.transposed(x, [*args, *keywords.values()], base, t)
        if name == "sort" and not args and not keywords:
            made = self.call(np.sort, [x], {}, "sorted", types.Array(x.type.dtype, x.type.ndim, "C"))
            self.effect("fill", [x, made], None)
            return Const(None)
        if name == "fill" and len(args) == 1:
            self.effect("fill", [x, args[0]], None)
            return Const(None)
        if name == "astype" and isinstance(t, types.Array) and ir.is_active_type(t):
            return self.emit("map", [x], base, t, attr=("cast", dtype_text(t.dtype)))
        if name == "item" and not args and x.type.ndim == 0:
            return self.load(x, [], base)
        f = getattr(np, name, None)
        if f is not None and name in METHODS:
            return self.call(f, [x, *args], keywords, base, t)
        raise Unsupported(f"the method .{name}")

    def array_call(self: Any, f: Any, args: list, keywords: dict, base: str, t: types.Type | None) -> Any:
        """A function of whole arrays: by its rule, or as a constant."""
        from morula.static.numba.array_rules import NON_DIFFERENTIABLE, RULES

        flat = [x for a in args for x in (a.items if hasattr(a, "items") else [a])]
        flat += list(keywords.values())
        if f is np.nonzero and ir.is_array(args[0]):
            return Items(tuple(self.places_by_axis(args[0], base)))
        may_vary = any(isinstance(x, Value | Const) and ir.is_active_type(type_of(x)) for x in flat)
        is_constant = f in NON_DIFFERENTIABLE or (not may_vary and is_of_whole_numbers(f, t))
        is_call = is_constant and not keywords and all(isinstance(x, Value | Const) for x in flat)
        if f in BODIES and isinstance(t, types.Array | types.Number) and (f in NON_DIFFERENTIABLE or not is_call):
            chosen = BODIES[f](self, *args, **keywords)
            if chosen is not None:
                return self.in_place_of_call(*chosen, base, t)
        if is_call:
            return self.emit("constant_call", args, base, t, attr=f)
        rule = RULES.get(f)
        if rule is None and isinstance(f, Dispatcher):
            return self.kept_call(f, args, keywords, base, t)
        chosen = None
        if rule is None and is_compiled_ufunc(f) and not keywords:
            args, chosen = self.vectorized(f, args)
        elif rule is None:
            chosen = implementation(
                f, tuple(map(operand_type, args)), {k: operand_type(x) for k, x in keywords.items()}
            )
        if chosen is not None:
            return self.kept_call(chosen, args, keywords, base, t)
        name = getattr(f, "__name__", "")
        if name and getattr(np.random, name, None) is f:
            raise Unsupported(f"a call to np.random.{name}")
        if rule is None or any(not isinstance(x, Value | Const) for x in flat):
            raise Unsupported(f"a call to {canonical_name(f) or getattr(f, '__name__', f)}")
        bound = self.bound(rule, args, keywords)
        if isinstance(t, types.BaseTuple):
            return self.several(rule, bound, base, t)
        if t is None or isinstance(t, types.NoneType):
            raise Unsupported(f"a call to {canonical_name(f)} for its effect")
        if isinstance(t, types.Optional):  # so Numba types `matrix_power`, which never answers None
            t = t.type
        return self.emit("array", bound, base, t, attr=rule)

    def several(self: Any, rule: Any, bound: list, base: str, t: Any) -> Any:
        """A call with a tuple of results."""
        op = Op("array", [], bound, rule, self.line)
        fields = getattr(t, "fields", ())
        for k, part in enumerate(t.types):
            op.outs.append(self.value(f"{base}_{fields[k] if fields else k}", part, op))
        self.block.statements.append(op)
        return Items(tuple(op.outs), tuple(fields), t)

    def bound(self: Any, rule: Any, args: list, keywords: dict) -> list:
        """The arguments of a rule, by position."""
        names = rule.parameters
        if len(args) > len(names) or set(keywords) - set(names):
            raise Unsupported(f"a call to {rule.primal.__name__} with these arguments")
        found = list(args)
        for name in names[len(args) :]:
            if name in keywords:
                found.append(keywords[name])
            elif name in rule.defaults:
                found.append(Const(rule.defaults[name]))
            else:
                raise Unsupported(f"a call to {rule.primal.__name__} without {name}")
        if any(hasattr(x, "items") for x in found):
            raise Unsupported(f"a call to {rule.primal.__name__} with a tuple")
        return found
