"""Distributions of `scipy.stats`, also with parameters (frozen): their methods are calls by rules."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import chainrules
from morula.eager.context.kinds import module_of
from morula.static.python.ir import Unsupported
from morula.static.python.ruled_calls import RuledCalls, is_ruled
from morula.static.python.scopes import Static
from morula.static.python.things import Bound, Frozen, Partial

__all__ = ["Distributions", "is_distribution", "is_frozen_distribution"]

METHODS = frozenset([
    "pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf",

])  # fmt: skip
FROZEN = frozenset(["rv_continuous_frozen", "rv_discrete_frozen", "rv_frozen"])


class Distributions(RuledCalls):
    """The part of a `front.Builder` that knows distributions."""

    def method_of_distribution(self, owner: Static | Frozen, name: str) -> Any:
        """A method; of a frozen distribution with the parameters behind the arguments."""
        dist = owner.dist if isinstance(owner, Frozen) else owner
        raw = getattr(type(dist.value), name, None)
        is_known = name in METHODS if isinstance(owner, Frozen) else type(raw) is FunctionType
        if not is_known or not is_ruled(raw) or name in vars(dist.value):
            raise Unsupported(f"the attribute {name!r} of a distribution", self.line)
        read = self.given(self.program.space, dist.value)
        self.guard(f"getattr({read}.{name}, '__func__', None) is {self.given(self.program.space, raw)}")
        bound = Bound(Static(raw), dist)
        return Partial(bound, [], owner.named, owner.args) if isinstance(owner, Frozen) else bound

    def frozen_outside(self, read: str, value: Any, name: str) -> Frozen:
        """A frozen distribution that the program is given."""
        self.guard(f"type({read}) is {self.given(self.program.space, type(value))} and is_still({read})")
        self.guard(f"len({read}.args) == {len(value.args)} and [*{read}.kwds] == {list(value.kwds)!r}")
        first_new = len(self.program.inputs)
        dist = self.of_outside(f"{read}.dist", value.dist, name)
        args = [self.of_outside(f"{read}.args[{i}]", v, name) for i, v in enumerate(value.args)]
        named = {k: self.of_outside(f"{read}.kwds[{k!r}]", v, name) for k, v in value.kwds.items()}
        self.program.fixed |= {read, *[given.name for given in self.program.inputs[first_new:]]}
        return Frozen(dist, args, named)


def is_distribution(value: Any) -> bool:
    """Whether an object is a distribution of SciPy's for which the library has rules."""
    return module_of(type(value)).startswith("scipy.stats") and chainrules.is_constant(value)


def is_frozen_distribution(value: Any) -> bool:
    """Whether an object is such a distribution with parameters."""
    is_one = type(value).__name__ in FROZEN and module_of(type(value)).startswith("scipy.stats")
    return is_one and is_distribution(value.dist)
