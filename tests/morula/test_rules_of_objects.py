"""What lies in the arguments of a rule: functions in lists, objects in objects, and objects that change."""

import numpy as np
import pytest
from morula_helpers import assert_same

import chainrules
import chainrules.registry
import morula
from chainrules import Tangent, accumulate, rrule, rrule_via
from morula import NotDifferentiable, gradient


class Cell:
    def __init__(self, **fields):
        self.__dict__.update(fields)

    def square(self):
        return self.x**2


@rrule(Cell.square)
def _(cell):
    return cell.x**2, lambda y_bar: Tangent[Cell](x=2 * cell.x * y_bar)


class Plain(Cell):
    def square(self):
        return self.x**2


def total(fs, x):
    return sum(f(x) for f in fs)


@rrule(total, needs=("reverse",))
def _(config, fs, x):
    calls = [rrule_via(config, f, x) for f in fs]

    def total_pullback(y_bar):
        bars = [pullback(y_bar) for _, pullback in calls]
        x_bar = None
        for _, bar in bars:
            x_bar = accumulate(x_bar, bar)
        return [f_bar for f_bar, _ in bars], x_bar

    return sum(y for y, _ in calls), total_pullback


def scaled(x, f=None, cell=None):
    return x * (f(2.0) if f is not None else cell.inner.x)


@rrule(scaled, needs=("reverse",))
def _(config, x, f=None, cell=None):
    if f is None:
        y = cell.inner.x
        return x * y, lambda y_bar: (y_bar * y, None, Tangent[Cell](inner=Tangent[Cell](x=y_bar * x)))
    y, pullback = rrule_via(config, f, 2.0)
    return x * y, lambda y_bar: (y_bar * y, pullback(y_bar * x)[0], None)[: 3 if cell is not None else 2]


def apply(x, *, f):
    return x * f(2.0)


@rrule(apply)
def _(x, *, f):
    return x * f(2.0), lambda y_bar: y_bar * f(2.0)


def test_functions_in_lists_hold_active_values():
    def program(x):
        return total([lambda t: t * x, lambda t: t + x], x) + total((lambda t: t * x,), 2.0)

    assert_same(gradient(program, 1.5), (2 * 1.5 + 2 + 2.0,))


def test_a_rule_has_to_answer_for_functions_in_lists():
    def first(fs):
        return fs[0](2.0)

    rrule(first)(lambda fs: (fs[0](2.0), lambda y_bar: None))
    with pytest.raises(morula.RuleError, match="returned no cotangent"):
        gradient(lambda x: first([lambda t: t * x]), 1.5)


def test_keywords_that_hold_active_values_inside():
    assert_same(gradient(lambda x: scaled(x, f=lambda t: t * x), 1.5), (6.0,))
    assert_same(gradient(lambda x: scaled(x, cell=Cell(inner=Cell(x=x))), 1.5), (3.0,))
    with pytest.raises(NotDifferentiable, match="keyword argument 'f'"):
        gradient(lambda x: apply(x, f=lambda t: t * x), 1.5)


def test_keywords_of_the_rules_of_this_engine():
    def weighted(x, w):
        return x * w[0]

    morula.adjoint(weighted)(lambda x, w: (x * w[0], lambda y_bar: (y_bar * w[0], [y_bar * x])))
    assert_same(gradient(lambda x: weighted(2.0, w=[x]), 1.5), (2.0,))


@pytest.mark.parametrize("x", [1.5, np.array([1.0, 2.0])])
def test_objects_change_before_and_after_a_rule(x):
    def made(x):
        cell = Cell(x=x * 1.0)
        y = cell.square()
        cell.x = cell.x * 3
        return np.sum(y + cell.square())

    def rebound(cell):
        y = cell.square()
        cell.x = cell.x * 3
        return np.sum(y + cell.square())

    def written(cell):
        y = cell.square()
        cell.x *= 3
        return np.sum(y + cell.square())

    def replaced(cell):
        cell.x = cell.x * 0 + 5.0 if cell.flag else 5.0
        return np.sum(cell.square())

    assert_same(gradient(made, x), (20 * x,))
    for program in (rebound, written):
        assert_same(gradient(program, Cell(x=x))[0].x, 20 * x)
        assert_same(gradient(program, Plain(x=x))[0].x, 20 * x)
    found = gradient(replaced, Cell(x=x, flag=False))[0]
    assert found is None or found.x is None or not np.any(found.x)


def test_what_lies_in_an_object_changes():
    def inner(cell):
        return cell.inner.x * cell.parts[0]

    @rrule(inner)
    def _(cell):
        def inner_pullback(y_bar):
            return Tangent[Cell](inner=Tangent[Cell](x=cell.parts[0] * y_bar), parts=[cell.inner.x * y_bar])

        return cell.inner.x * cell.parts[0], inner_pullback

    def program(x):
        cell = Cell(inner=Cell(x=x), parts=[x])
        y = inner(cell)  # x**2
        cell.inner.x = 3 * x
        cell.parts[0] = 1.0
        y = y + inner(cell)  # 3 x
        cell.inner = Cell(x=7.0)
        return y

    assert_same(gradient(program, 1.5), (2 * 1.5 + 3,))


def test_objects_that_know_each_other():
    def of_ring(cell):
        return cell.x * cell.next.x

    @rrule(of_ring)
    def _(cell):
        x, z = cell.x, cell.next.x
        return x * z, lambda y_bar: Tangent[Cell](x=z * y_bar, next=Tangent[Cell](x=x * y_bar))

    def program(x):
        cells = [Cell(x=i * x) for i in range(1, 30)]
        for cell in cells:
            cell.all = cells
        for a, b in zip(cells, cells[1:] + cells[:1], strict=True):
            a.next = b
        return of_ring(cells[1])

    assert_same(gradient(program, 1.5), (2 * 6 * 1.5,))


def test_opting_out_holds_for_arrays_too():
    def attempt(f, *args):
        with pytest.raises(NotDifferentiable, match="no rule for it"):
            gradient(lambda *xs: np.sum(f(*xs)), *args)

    before = dict(chainrules.registry.OPTED_OUT)
    try:
        for f in (np.cbrt, np.linalg.det):
            gradient(lambda x, f=f: np.sum(f(x)), np.eye(2) + 1.0)
            chainrules.opt_out(f, np.ndarray)
            attempt(f, np.eye(2) + 1.0)
        chainrules.opt_out(np.kron, np.ndarray, np.ndarray)
        attempt(np.kron, np.eye(2), np.ones((2, 2)))
        assert_same(gradient(np.cbrt, 8.0), (1 / 12,))
    finally:
        chainrules.registry.OPTED_OUT.clear()
        chainrules.registry.OPTED_OUT.update(before)
        chainrules.registry.changed()


def test_a_call_without_a_needed_argument_is_the_functions_own_error():
    def weighted(a, b, c=1.0):
        return b * c

    chainrules.rrule(weighted)(lambda a, b, c=1.0: (b * c, lambda y_bar: (None, c * y_bar, b * y_bar)))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        gradient(lambda x: weighted(b=x), 1.5)


@pytest.mark.parametrize("program", [
    lambda x: morula.checkpoint(lambda a, w=None: a * w[0], 2.0, w=[x]),
    lambda x: morula.checkpoint(lambda a, w=None: a * w.x, 2.0, w=Cell(x=x)),
    lambda x: morula.checkpoint(lambda a, w: a * w.x.x, 2.0, Cell(x=Cell(x=x))),
])  # fmt: skip
def test_what_checkpoint_cannot_follow_is_refused(program):
    with pytest.raises(NotDifferentiable, match="checkpoint"):
        gradient(program, 1.5)
