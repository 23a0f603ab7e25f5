"""What this engine offers to rules over functions: value and pullback of any function, see `chainrules.RuleConfig`."""

from collections.abc import Callable
from typing import Any

from chainrules import RuleConfig
from morula.errors import NotDifferentiable, describe
from morula.runtime.imprint import changed, imprint
from morula.runtime.registry import CONFIG
from morula.runtime.run import Run


class ReverseMode(RuleConfig):
    """The engine as rules over functions see it.

    A rule declared with ``needs=("reverse",)`` gets an instance; so does `chainrules.testing.test_rrule` to
    differentiate the code of a rule a second time.

    >>> from chainrules import rrule_via
    >>> def square(x):
    ...     return x * x
    >>> y, pullback = rrule_via(ReverseMode(), square, 3.0)
    >>> y, pullback(1.0)
    (9.0, (None, 6.0))
    """

    traits = frozenset({"reverse"})

    def rrule_via(self, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """As `chainrules.RuleConfig.rrule_via` says.

        Raises:
            NotDifferentiable: where `f` writes into its arguments or into what it has captured: a rule over
                functions does not know of it.
        """
        before = imprint(f, args, kwargs)
        run = Run(f, args, kwargs, with_self=True)
        run.watch()
        if changed(before, imprint(f, args, kwargs)):
            raise NotDifferentiable(
                f"{describe(f)}, called by a rule, writes into its arguments, what it captures, or other state in reach"
            )
        return run.y, run.gradients


CONFIG.append(ReverseMode())
