"""The operators: what they are in Python and in NumPy, and what their tape entries need."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import ScalarRule, scalar_rule_for

UFUNC: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "pow": np.power,
    "matmul": np.matmul,
    "neg": np.negative,
    "pos": np.positive,
}
OPERATOR: dict[str, Callable] = {
    name: getattr(operator, name)
    for name in "add sub mul truediv floordiv mod pow matmul lshift rshift and_ or_ xor neg pos invert".split()
} | {"divmod": divmod}


IN_PLACE: dict[str, Callable] = {
    name: getattr(operator, "i" + name.rstrip("_"))
    for name in "add sub mul truediv floordiv mod pow matmul lshift rshift and_ or_ xor".split()
}


class Operation:
    """A binary operator, and what its tape entry needs when both, the left or the right operand are active."""

    __slots__ = ("in_place", "keep", "name", "p", "plain", "q", "rule")

    def __init__(self, name: str, plain: Callable, rule: ScalarRule | None):
        self.name = name
        self.plain = plain
        self.in_place = IN_PLACE.get(name)
        self.rule = rule
        if self.rule is not None and len(self.rule.partials) == 2:
            self.p, self.q = self.rule.partials
            left, right = self.rule.needs
            if name == "pow":  # whose partial looks at y only for numbers, to tell Python's powers from NumPy's
                left -= {0}
            self.keep = [tuple(i in kept for i in range(3)) for kept in (left | right, left, right)]


OPERATIONS = {
    name: Operation(name, plain, scalar_rule_for(UFUNC[name]) if name in UFUNC else None)
    for name, plain in OPERATOR.items()
    if name not in ("neg", "pos", "invert", "divmod")
}
_kept: dict[tuple[int, int], tuple[ScalarRule, frozenset]] = {}


def kept_by(rule: ScalarRule, only: int = -1) -> frozenset:
    """Positions of what the partials read (0 is y): all of them, or that of one argument."""
    found = _kept.get((id(rule), only))
    if found is None:
        needs = rule.needs
        kept = frozenset().union(*needs) if only < 0 else needs[only]
        found = _kept[id(rule), only] = (rule, kept)
    return found[1]


def as_numpy_reads(x: Any) -> Any:
    """A number of a class of its own beside one of NumPy's: such a one, of the dtype that NumPy finds for it."""
    found = np.asarray(x)
    return x if isinstance(x, np.generic) or found.dtype.kind == "O" else found[()]
