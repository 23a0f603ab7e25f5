"""Arguments of a call as the rule that answers it takes them."""

import math
from collections.abc import Callable, Iterator, MappingView
from typing import Any

import numpy as np

from morula.eager.calls.captured import shadow_of_argument
from morula.eager.calls.registry import is_library_rule
from morula.eager.containers.container_types import GIVEN_OTHERWISE, SEQUENCES, container_of
from morula.eager.context.kinds import ATOMS, has_method, is_plain_object
from morula.eager.context.part import Part
from morula.eager.numpy.array_methods import becomes_array, is_of_arrays
from morula.errors import describe

ndarray = np.ndarray
MATH_METHODS = {"floor": "__floor__", "ceil": "__ceil__", "trunc": "__trunc__"}  # of classes of the user


def is_iterated(a: Any) -> bool:
    """Whether an argument can be read once only, or is a view of a dict."""
    return isinstance(a, Iterator | MappingView)


def own_math_method(f: Any, args: tuple) -> Any:
    """The method of a class of the user that a function of `math` calls."""
    if getattr(f, "__module__", None) != "math":
        return None
    own = MATH_METHODS.get(f.__name__)
    return None if own is None or not has_method(type(args[0]), own) else getattr(type(args[0]), own)


class RuleArguments(Part):
    """How a reverse context makes arguments ready for rules."""

    __slots__ = ()

    def arguments_for_rule(self, f: Any, rule: Callable, args: tuple, ds: tuple) -> tuple[tuple, tuple]:
        """Numbers for `math`, lists for `statistics` and NumPy in the place of what they iterate, arrays of lists."""
        room = getattr(f, "__module__", None)
        if room == "math":
            args, ds = self.numbers_for_math(f, args, ds)
        if room == "statistics":
            lists = [self.call1(list, a, d) if is_iterated(a) else (a, d) for a, d in zip(args, ds, strict=True)]
            args, ds = tuple([a for a, _ in lists]), tuple([d for _, d in lists])
        for a in args:
            if type(a) is not ndarray and type(a) not in ATOMS:
                if isinstance(a, GIVEN_OTHERWISE):
                    return self.as_rules_take(f, args), ds
                if becomes_array(a) and is_library_rule(rule) and is_of_arrays(f, a):
                    return self.with_arrays(args, ds)
        return args, ds

    def active_keywords(self, kw: dict, kw_d: dict) -> list[str]:
        return [k for k, v in kw.items() if self.keyword_active(v, kw_d.get(k))]

    def keyword_active(self, x: Any, x_d: Any) -> bool:
        """Whether anything active lies in a keyword argument, also in what a function has captured."""
        if self.shadow_of(x, x_d) is not None:
            return True
        return type(x) not in ATOMS and type(x) is not ndarray and self.reaches_active(x, set())

    def argument_shadows(self, f: Any, args: tuple, ds: tuple) -> tuple:
        """The shadows of the arguments of a call that a rule answers."""
        return tuple([
            self.shadow_of(a, d) if type(a) in ATOMS or type(a) is ndarray
            else shadow_of_argument(self, a, d, f"the rule for {describe(f)}")
            for a, d in zip(args, ds, strict=True)
        ])  # fmt: skip

    def as_rules_take(self, f: Any, args: tuple) -> tuple:
        """Deques as lists, which they are to NumPy; sets, which are objects to it, are refused if active."""
        found = []
        for a in args:
            if isinstance(a, GIVEN_OTHERWISE):
                container = container_of(type(a))
                if container in SEQUENCES:
                    a, _ = self.call(list, (a,), (None,))
                else:
                    self.refuse_if_active(a, None, f"{describe(f)} of a {container.__name__}")
            found.append(a)
        return tuple(found)

    def numbers_for_math(self, f: Any, args: tuple, ds: tuple) -> tuple[tuple, tuple]:
        """Arguments as `math` takes them: objects by their ``__float__``, what it iterates as lists."""
        pairs = []
        for a, d in zip(args, ds, strict=True):
            if type(a) not in ATOMS and is_plain_object(a) and has_method(type(a), "__float__"):
                pairs.append(self.call(float, (a,), (d,)))
            elif f is math.dist and isinstance(a, tuple):  # whose items it takes without asking its class
                pairs.append((tuple.__getitem__(a, slice(None)), d))
            elif type(a) not in (list, tuple, ndarray) and type(a) not in ATOMS and hasattr(type(a), "__iter__"):
                pairs.append(self.call(list, (a,), (d,)))
            else:
                pairs.append((a, d))
        return tuple([a for a, _ in pairs]), tuple([d for _, d in pairs])
