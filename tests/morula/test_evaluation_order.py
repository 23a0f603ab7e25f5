"""Each operand is read once, when its turn comes, whatever the others change: in both tiers."""

import pytest
from static_checks import check_programs, check_static, found_by, slope, total
from tests.fuzz.plain_order import OrderWriter


def three(a, b, c):
    return a * 2.0 + b * 3.0 - c * c


def a_keyword_rebinds_a_positional_argument(y):
    return three(y, c=(y := 2.0 * y), b=y)


def a_keyword_calls_what_rebinds_a_positional_argument(y):
    def tripled():
        nonlocal y
        y = y * 3.0
        return y

    return three(y, c=tripled(), b=y) + three(*[y], b=y, c=tripled())


def the_middle_of_a_chain(y):
    def tripled():
        nonlocal y
        y = y * 3.0
        return y

    return (2.0 * y if y < tripled() < y + 1.0 < tripled() else y) + y


class Meter:
    def __init__(self, v):
        self.v = v

    @property
    def next(self):
        self.v = self.v * 1.5
        return self.v


def the_middle_of_a_chain_is_a_property(y):
    meter = Meter(y)
    return y * meter.v if y < meter.next < 9.0 * y else meter.v


@pytest.mark.parametrize(
    "f",
    [a_keyword_calls_what_rebinds_a_positional_argument, the_middle_of_a_chain, the_middle_of_a_chain_is_a_property],
)
def test_by_static_adjoints(f):
    check_static(f, (0.3,))


def test_by_the_eager_tier():
    f = a_keyword_rebinds_a_positional_argument
    found = found_by("eager", f, (0.3,))
    assert found.value == f(0.3)
    assert total(found.gradient) == pytest.approx(slope(f, (0.3,)), rel=1e-7)


@pytest.mark.filterwarnings("default::RuntimeWarning")
def test_random_programs_whose_calls_change_what_is_read():
    check_programs(OrderWriter, range(12), 8)
