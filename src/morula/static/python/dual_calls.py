"""Calls in a text with their tangents, by the rules of `chainrules`."""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.meanings import number_rule
from morula.static.python.dual_expressions import Both, DualExpressions, closed
from morula.static.python.dual_helpers import MOVED_SLOPES
from morula.static.python.ir import Unsupported
from morula.static.python.slopes import expression_of, with_operands
from morula.transform.syntax import walk

__all__ = ["DualCalls"]

# Helpers and functions in which one argument is all that can move, and in which the value is linear.
OF_FIRST = frozenset(
    [
        "float",
        "float64",
        "array",
        "alike",
        "real",
        "add_reduce",
        "add_between",
        "without",
        "rows",
        "nothing",
        "unpacked",
    ]
)
LINEAR = frozenset([
    np.sum, np.mean, np.reshape, np.ravel, np.transpose, np.copy, np.array, np.cumsum, np.squeeze, np.trace, np.diag,
])  # fmt: skip
BILINEAR = frozenset([np.dot, np.matmul, np.outer, np.vdot, np.inner, np.multiply])
JOINING = frozenset([np.concatenate, np.stack, np.vstack, np.hstack])
METHODS = frozenset(["tolist", "item", "reshape", "transpose", "copy", "ravel", "flatten", "pop"])
SUMS = frozenset([sum, map])


class DualCalls(DualExpressions):
    """The part of `duals.Duals` that reads calls."""

    def _Call(self, e: ast.Call) -> Both:
        if self.moves_in([k.value for k in e.keywords]):
            raise Unsupported("an active keyword argument in forward mode")
        f = self.callee(e.func)
        name = e.func.id if isinstance(e.func, ast.Name) else ""
        special = getattr(self, f"_call_{name}", None)
        if special is not None:
            found: Both = special(e)
            return found
        if f is None:
            return self._method(e)
        if name in OF_FIRST or (f in LINEAR and not begins(e)):
            return self._linear(e)
        if f in SUMS:
            return self._added(e)
        if f in JOINING:
            return self._one(e, 0)
        if f is np.where:
            return self._call_where(e)
        if f is np.full:
            return self._one(e, 1)
        given = [self.dual(a) for a in e.args]
        texts = [(self.atom(v), d) for v, d in given]
        if e.keywords:
            return self._along(e, texts)
        if f in BILINEAR or name == "vdot":
            (a, da), (b, db) = texts
            terms = [f"{closed(e.func)}({x}, {y})" for x, y in ((da, b), (a, db)) if x and y]
            return f"{closed(e.func)}({a}, {b})", f"({' + '.join(terms)})"
        if f is abs:
            ((a, d),) = texts
            d = self.atom(str(d))
            return f"abs({a})", f"({d} if {a} > 0 else -{d} if {a} < 0 else 0.0 * {a})"
        if f in (max, min):
            (a, da), (b, db) = texts
            second = f"{b} {'>=' if f is max else '<'} {a}"
            return f"{name}({a}, {b})", f"({db or '0.0'} if {second} else {da or '0.0'})"
        return self._by_function(e, f, texts)

    def _by_function(self, e: ast.Call, f: Any, texts: list[Both]) -> Both:
        args = ", ".join(v for v, _ in texts)
        if f in MOVED_SLOPES:
            return f"{closed(e.func)}({args})", f"{MOVED_SLOPES[f]}({args}, {', '.join(str(d) for _, d in texts)})"
        if isinstance(f, FunctionType) and f.__name__ == "<lambda>" and (body := expression_of(f)) is not None:
            names = dict(zip(f.__code__.co_varnames, [v for v, _ in texts], strict=False))
            return self._inlined(f, body, names, texts)
        if f is np.absolute:
            ((a, d),) = texts
            return f"{closed(e.func)}({a})", f"({self.named(np.sign)}({a}) * {d})"
        rule = number_rule(f)
        if rule is not None and len(rule.partials) == len(texts) and rule.outputs == 1:
            y = self.atom(f"{closed(e.func)}({args})")
            return y, self.by_rule(e, f, y, texts)
        return self._along(e, texts)

    def _inlined(self, f: FunctionType, body: ast.expr, names: dict[str, str], texts: list[Both]) -> Both:
        """The slope of a rule, which is an expression: of variables that have the tangents of what it is given."""
        given: dict[str, str] = {}
        for param, (v, d) in zip(names, texts, strict=True):
            if d is None:
                given[param] = v
                continue
            self.count += 1
            name = given[param] = f"u{self.count}"
            self.lines += [f"{name} = {v}", f"dot_{name} = {d}"]
            self.active.add(name)
            if v in self.arrays:
                self.arrays.add(name)
        return self.dual(with_operands(body, given, f.__globals__, self.named))

    def by_rule(self, e: ast.expr, f: Any, y: str, texts: list[Both]) -> str:
        """The tangent of a call by the partial derivatives of its function."""
        rule: Any = number_rule(f)
        is_array = self.is_array(e)
        values = [y, *[v for v, _ in texts]]
        terms: list[str] = []
        for p, (_, d) in zip(rule.partials, texts, strict=True):
            if d is None:
                continue
            if hasattr(p, "reason"):  # it is not implemented
                terms.append("missing()")
                continue
            if not callable(p):
                if p != 0:
                    terms.append(d if p == 1 else f"{p!r} * {d}")
                continue
            body = expression_of(p)
            if body is None:
                slope = f"{self.named(p)}({', '.join(values)})"
                slope = slope if is_array else f"float({slope})"
            else:
                is_numpy = "np." in ast.unparse(body) or any(
                    isinstance(n, ast.Call) and isinstance(n.func, ast.Name) for n in walk(body)
                )
                names = dict(zip(p.__code__.co_varnames, values, strict=False))
                slope = ast.unparse(with_operands(body, names, p.__globals__, self.named))
                slope = f"float({slope})" if is_numpy and not is_array else f"({slope})"
            terms.append(f"{d} * {slope}")
        if not terms:
            return "0.0" if not is_array else f"nothing({y})"
        total = f"({' + '.join(terms)})"
        return f"fit({total}, {y})" if is_array and len(texts) > 1 else total

    def _along(self, e: ast.Call, texts: list[Both]) -> Both:
        """By the eager tier."""
        f = closed(e.func)
        named = ", ".join(f"{k.arg!r}: {ast.unparse(k.value)}" for k in e.keywords)
        args = ", ".join([v for v, _ in texts])
        keywords = "".join(f", {k.arg}={ast.unparse(k.value)}" for k in e.keywords)
        dots = ", ".join([str(d) for _, d in texts])
        return f"{f}({args}{keywords})", f"along({f}, ({args},), ({dots},), {{{named}}})"

    def _method(self, e: ast.Call) -> Both:
        f = e.func
        assert isinstance(f, ast.Attribute)
        rest = ", ".join([*map(ast.unparse, e.args), *[f"{k.arg}={ast.unparse(k.value)}" for k in e.keywords]])
        v, d = self.dual(f.value)
        if f.attr == "dot":
            (b, db) = self.dual(e.args[0])
            a, b = self.atom(v), self.atom(b)
            terms = ([f"{d}.dot({b})"] if d else []) + ([f"{a}.dot({db})"] if db else [])
            return f"{a}.dot({b})", f"({' + '.join(terms)})"
        linear = f.attr in ("sum", "mean", "cumsum", "trace", "squeeze") and not begins(e, 1)
        if f.attr in METHODS or (linear and not self.moves_in(e.args)):
            return f"{v}.{f.attr}({rest})", f"{d}.{f.attr}({rest})"
        if self.moves_in(e.args):
            raise Unsupported(f"the method {f.attr!r} in forward mode")
        v = self.atom(v)
        method = self.named(getattr(np.ndarray, f.attr))
        given = ", ".join([v, *map(ast.unparse, e.args)])
        named = ", ".join(f"{k.arg!r}: {ast.unparse(k.value)}" for k in e.keywords)
        dots = ", ".join([str(d), *["None"] * len(e.args)])
        return f"{v}.{f.attr}({rest})", f"along({method}, ({given},), ({dots},), {{{named}}})"

    def moves_in(self, args: list[ast.expr]) -> bool:
        return any(map(self.moves, args))

    def _linear(self, e: ast.Call) -> Both:
        return self._one(e, 0)

    def _one(self, e: ast.Call, i: int) -> Both:
        """A call that is linear in one of its arguments, whatever the others are."""
        v, d = self.dual(e.args[i])
        texts = []
        for part in (v, d or self.zero(e.args[i], v)):
            args = [part if j == i else ast.unparse(a) for j, a in enumerate(e.args)]
            args += [f"{k.arg}={ast.unparse(k.value)}" for k in e.keywords]
            texts.append(f"{closed(e.func)}({', '.join(args)})")
        if isinstance(e.func, ast.Name) and e.func.id in ("alike", "real"):
            return texts[0], d
        return texts[0], texts[1]

    def _added(self, e: ast.Call) -> Both:
        found = [(closed(a), None) if self.callee(a) is sum else self.dual(a) for a in e.args]
        v = ", ".join(v for v, _ in found)
        dots = [
            d or (v if self.callee(a) is sum else "0.0" if isinstance(a, ast.Constant) else self.zero(a, v))
            for a, (v, d) in zip(e.args, found, strict=True)
        ]
        f = closed(e.func)
        return f"{f}({v})", f"{f}({', '.join(dots)})"

    def _call_at(self, e: ast.Call) -> Both:
        return self._one(e, 2)

    def _call_scatter(self, e: ast.Call) -> Both:
        return self._one(e, 2)

    def _call_plus_at(self, e: ast.Call) -> Both:
        return self._placed(e)

    def _call_minus_at(self, e: ast.Call) -> Both:
        return self._placed(e)

    def _call_put(self, e: ast.Call) -> Both:
        return self._placed(e)

    def _call_put_add(self, e: ast.Call) -> Both:
        return self._placed(e)

    def _call_put_sub(self, e: ast.Call) -> Both:
        return self._placed(e)

    def _placed(self, e: ast.Call) -> Both:
        """``f(array, key, number or array)``, which is linear in both."""
        (a, da), (x, dx) = self.dual(e.args[0]), self.dual(e.args[2])
        a = a if da else self.atom(a)
        key, f = ast.unparse(e.args[1]), closed(e.func)
        return f"{f}({a}, {key}, {x})", f"{f}({da or f'nothing({a})'}, {key}, {dx or '0.0'})"

    def _call_where(self, e: ast.Call) -> Both:
        test = self.atom(closed(e.args[0]))
        (a, da), (b, db) = self.dual(e.args[1]), self.dual(e.args[2])
        y = self.atom(f"{closed(e.func)}({test}, {a}, {b})")
        return y, f"fit(where({test}, {da or '0.0'}, {db or '0.0'}), {y})"

    def _call_ruled(self, e: ast.Call) -> Both:
        rule, like, *args = e.args
        given = [self.dual(a) for a in args]
        texts = [self.atom(v) for v, _ in given]
        dots = ", ".join([str(d) for _, d in given])
        head = f"{closed(rule)}, {closed(like)}"
        return f"ruled({head}, {', '.join(texts)})", f"ruled_dot({head}, ({', '.join(texts)},), ({dots},))"

    def _call_pulled(self, e: ast.Call) -> Both:
        made, of = e.args[0], ast.unparse(e.args[2])
        v, d = self.dual(made)
        z, dz = self.dual(e.args[1])
        z = self.atom(z)
        if d is None:
            return f"pulled({v}, {z}, {of})", f"pulled({v}, {dz}, {of})"
        return f"pulled({v}, {z}, {of})", f"pulled_dot({v}, {d}, {z}, {dz}, {of})"

    def _call_tangent(self, e: ast.Call) -> Both:
        return self._one(e, 1)


def begins(e: ast.Call, is_method: int = 0) -> bool:
    """Whether a sum begins with something other than zero, so that it is not linear in what it adds up."""
    return len(e.args) > 4 - is_method or any(k.arg == "initial" for k in e.keywords)
