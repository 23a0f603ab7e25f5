"""The context while forward derivations go on: every operation also computes the tangents of its result.

The operations on tangents are operations of the same context with fewer derivations going on. So what is on the tape
after a reverse run with a forward derivation in it are the primal *and* the tangent operations, and the way back over
them gives second derivatives; two forward derivations, one in the other, give them too. A derivation that was begun
earlier is outside: the tangents of the inner one have tangents of the outer one, never the other way round.
"""

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from chainrules import has_nan_quickly, scalar_rule_for, strong_mul
from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.short_ways import general_way
from morula.eager.context.kinds import NUMERIC, REAL, exactly
from morula.eager.context.reverse import Reverse
from morula.eager.forward.moves import move
from morula.eager.forward.number_tangents import OF_NUMBERS, function_of_number
from morula.eager.forward.tangent_rules import tangent_by_rule
from morula.eager.forward.tangents import KINDS
from morula.eager.numpy.object_arrays import holds_objects
from morula.eager.operators.arithmetic import ADD, MUL, POW, SUB, TRUEDIV, Arithmetic
from morula.eager.operators.in_place import IN_PLACE
from morula.eager.operators.operations import OPERATOR, UFUNC
from morula.eager.replay.random_state import as_it_was, generator_of, state_of

ndarray = np.ndarray
Pair = tuple[Any, Any]


class Following(Reverse):
    """A reverse context in which forward derivations go on."""

    __slots__ = ()
    fuses = views_at_once = False
    quick = True  # numbers may take the short way

    def general(self, f: Any, n: int) -> Callable:
        """What to run for a call with `n` arguments: without the short ways, which know of no tangents."""
        if type(f) is FunctionType:
            return Reverse.handler(self, f, n)
        rule = meaning_of(f).scalar if n == 1 else None
        if rule is not None and len(rule.partials) == 1 and callable(rule.partials[0]) and not rule.lacks:
            return function_of_number(f, rule.partials[0])
        return general_way(f, n)

    # -- operators and functions with partials ------------------------------------------------------------

    def by_partials(self, partials: Sequence[Any], y: Any, y_d: Any, args: tuple, ds: tuple) -> None:
        """Give `y` the sum of the partials times the tangents; a partial is a number or a function of y and args."""
        if y_d is None:
            return
        for k in range(self.depth):
            found = [(p, self.dot(k, d)) for p, d in zip(partials, ds, strict=False) if d is not None]
            terms = [(p, pair) for p, pair in found if pair is not None and not (type(p) is int and p == 0)]
            if not terms:
                continue
            before = self.descend(k)
            try:
                with np.errstate(all="ignore"):
                    self.set_dot(k, y, y_d, *sum_of(terms, y, y_d, args, ds, self.ops(k)))
            finally:
                self.descend(before)

    def quietly(self, method: Callable, *args: Any) -> Pair:
        """An operation whose tape entry is recorded, and its tangents left to whoever asks."""
        append = self.append
        self.append = self.to_tape
        try:
            return method(self, *args)
        finally:
            self.append = append

    def elementwise(self, rule: Any, f: Callable | None, args: tuple, ds: tuple, y: Any = None) -> Pair:
        y, y_d = self.quietly(Reverse.elementwise, rule, f, args, ds, y)
        self.by_partials(rule.partials, y, y_d, args, ds)
        return y, y_d

    def operate(self, op: Any, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        if type(x) in NUMERIC and type(y) in NUMERIC and op.rule is not None and op.name != "matmul":
            if holds_objects((x, y)):
                return self.objects_operate(op.name, (x, y), (x_d, y_d))
            x_d, y_d = self.array_shadow(x, x_d), self.array_shadow(y, y_d)
            if x_d is None and y_d is None:
                return op.plain(x, y), None
            return self.elementwise(op.rule, op.plain, (x, y), (x_d, y_d))
        return Reverse.operate(self, op, x, x_d, y, y_d)

    def _of_quotient(self, op: Any, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        return self.operate(op, x, x_d, y, y_d)

    def operate1(self, name: str, x: Any, x_d: Any) -> Pair:
        if type(x) in NUMERIC and name in UFUNC and not holds_objects(x):
            x_d = self.array_shadow(x, x_d)
            if x_d is None:
                return OPERATOR[name](x), None
            return self.elementwise(scalar_rule_for(UFUNC[name]), OPERATOR[name], (x,), (x_d,))
        return Reverse.operate1(self, name, x, x_d)

    def neg(self, x: Any, x_d: Any) -> Pair:
        return self.operate1("neg", x, x_d)

    def generic_number(self, name: str, args: tuple, ds: tuple) -> Pair:
        y, y_d = self.quietly(Reverse.generic_number, name, args, ds)
        if (rule := scalar_rule_for(OPERATOR[name])) is not None:
            self.by_partials(rule.partials, y, y_d, args, ds)
        return y, y_d

    # -- rules --------------------------------------------------------------------------------------------

    def quick_result(self, f: Any, rule: Callable, args: tuple, targets: list, kw: dict) -> Pair | None:
        return None

    def _rule_result(self, f: Any, rule: Callable, args: tuple, shadows: tuple, kw: dict, opaque: bool) -> Pair | None:
        generator = generator_of(f, args)
        state = None if generator is None else state_of(generator)
        found, entries = self.answered(f, rule, args, shadows, kw, opaque)
        if not entries or found is None:
            return found  # constant, or a view of memory, which has its tangent
        (entry,) = entries
        self.to_tape(entry)
        again = partial(as_it_was, generator, state)
        tangent_by_rule(self, f, rule, args, shadows, kw, found[0], entry, opaque, again)
        return found

    def answered(self, *call: Any) -> tuple[Pair | None, list[Any]]:
        """What `_rule_result` gives in a context that follows nothing, and the tape entries it would leave."""
        entries: list[Any] = []
        append = self.append
        self.append = entries.append
        try:
            return Reverse._rule_result(self, *call), entries
        finally:
            self.append = append

    # -- entries that move values -------------------------------------------------------------------------

    def note(self, entry: Any) -> None:
        """Record a tape entry and move tangents as it moves cotangents back."""
        inputs = entry[1:] if type(entry) is list else None  # a number without a tape keeps nothing but its tangents
        self.to_tape(entry)
        for k in range(self.depth):
            before = self.descend(k)
            try:
                move(self, k, entry, inputs)
            finally:
                self.descend(before)


def sum_of(terms: list, y: Any, y_d: Any, args: tuple, ds: tuple, ops: Any) -> tuple[Any, Any, bool]:
    """Partials times tangents, its tangent, and whether that is memory of its own."""
    total: Pair | None = None
    fresh = False
    for p, (t, t_d) in terms:
        if callable(p):
            term, fresh = term_of(ops, p, (y, *args), (y_d, *ds), t, t_d), True
        elif p == 1:
            term = (t, t_d)
        else:
            term, fresh = ops.neg(t, t_d) if p == -1 else ops.mul(exactly(p, type(t)), None, t, t_d), True
        if total is None:
            total = term
        else:
            total, fresh = ops.add(*total, *term), True
    assert total is not None
    return *total, fresh


def term_of(ops: Any, p: Any, values: tuple, shadows: tuple, t: Any, t_d: Any) -> Pair:
    """A partial, a function of y and the arguments, times a tangent; where one is exactly 0 the other has no part."""
    if p is MUL.p:
        q, q_d = values[2], shadows[2]
    elif p is MUL.q:
        q, q_d = values[1], shadows[1]
    elif p is POW.p and type(values[2]) in (int, float) and values[2] == 2 and shadows[2] is None:
        q, q_d = ops.mul(2, None, values[1], shadows[1])  # (a Decimal times 2.0 is an error)
    else:
        q, q_d = ops.call(p, values, shadows)
    if type(q) is not type(t) and q_d is None:
        q = exactly(q, type(t))
    z, z_d = ops.mul(q, q_d, t, t_d)
    if has_nan_quickly(z) if isinstance(z, ndarray) else z != z:
        return ops.call(strong_mul, (q, t), (q_d, t_d))
    return z, z_d


def _binary(op: Any) -> Callable:
    of_numbers = getattr(Arithmetic, op.name)
    quick = OF_NUMBERS[op.name]

    def method(self: Any, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        if type(x) in REAL and type(y) in REAL:
            if x_d is None and y_d is None:
                return op.plain(x, y), None
            if self.quick and self.depth == 1 and (found := quick(self, x, x_d, y, y_d)) is not None:
                return found
            z, z_d = self.quietly(of_numbers, x, x_d, y, y_d)
            self.by_partials(op.rule.partials, z, z_d, (x, y), (x_d, y_d))
            return z, z_d
        return self.operate(op, x, x_d, y, y_d)

    return method


def _in_place(name: str) -> Callable:
    def method(self: Any, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        if type(x) in REAL and type(y) in REAL:
            return getattr(self, name)(x, x_d, y, y_d)
        return self.in_place(name, x, x_d, y, y_d)

    return method


for _op in (ADD, SUB, MUL, TRUEDIV, POW):
    setattr(Following, _op.name, _binary(_op))
for _name in IN_PLACE:
    setattr(Following, "i" + _name.rstrip("_"), _in_place(_name))
KINDS += [Reverse, Following]
