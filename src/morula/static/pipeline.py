"""The passes, in order: from a Numba function to its simplified intermediate representation."""

from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import Any

from morula.static.front.lower import lower
from morula.static.front.normal_form import NormalForm, lengths_of, normal_form
from morula.static.front.types import LineTypes, line_types
from morula.static.ir import Function
from morula.static.naming import rename
from morula.static.numba.emit.namespace import HELPERS
from morula.static.passes.chosen import choices_repeated
from morula.static.passes.counted import count_while_loops
from morula.static.passes.decided import decide
from morula.static.passes.elementwise import scalarized
from morula.static.passes.hoist import hoist
from morula.static.passes.loop_outs import name_loop_outs
from morula.static.passes.protect import protect
from morula.static.passes.share import share
from morula.static.passes.simplify import simplify
from morula.static.passes.small_arrays import numbers_for_small_arrays
from morula.static.passes.small_products import written_out_products
from morula.static.passes.views import elements_of_views
from morula.static.passes.wrapped import wrap
from morula.static.settling import refuse_overlaps, settle
from morula.static.short_arguments import Lengths


@dataclass
class Front:
    """What is known of a function for one combination of argument types.

    Attributes:
        is_settled: whether the functions that it calls are translated, or someone else does that.
        lengths: of the arrays among the arguments, by their places, for which alone the code is to be right.
    """

    form: NormalForm
    argument_types: tuple
    raises_on_zero: bool
    is_settled: bool = False
    lengths: Lengths = ()

    @cached_property
    def types(self) -> LineTypes:
        """The types by line; Numba's inference is run when they are asked for, once for all lengths."""
        found: LineTypes | None = self.form.typed.get(self.argument_types)
        if found is None:
            found = self.form.typed[self.argument_types] = line_types(self.form, self.argument_types)
        return found

    def representation(self) -> Function:
        """A fresh representation; the passes that emit code change it."""
        f = self.made()
        if not self.is_settled:
            self.is_settled = True
            if f.callees:
                settle(f, front)
                f = self.made()
                refuse_overlaps(f)
        return f

    def made(self) -> Function:
        """Lower the function, and run the passes."""
        f = lower(self.form, self.argument_types, self.types, self.raises_on_zero)
        f.namespace = dict(f.namespace)
        lengths = dict(self.lengths)
        places = {(argument, *path): x for x, (argument, path) in f.leaves.items()}
        for place, x in places.items():
            if place in lengths:
                x.lengths = tuple([(places[n[0]], n[1]) if isinstance(n, tuple) else n for n in lengths[place]])
        simplified(f)
        return f


def front(
    function: FunctionType,
    argument_types: tuple,
    raises_on_zero: bool,
    keep: frozenset = frozenset(),
    settle_callees: bool = True,
) -> Front:
    """The normal form of a function, and its types.

    Args:
        function: a Python function in Numba's subset.
        argument_types: the Numba types of its arguments.
        raises_on_zero: whether a division by zero raises.
        keep: callees whose calls stay calls.
        settle_callees: whether to translate the functions that it calls, too; otherwise someone else does.

    Raises:
        Unsupported: it is outside the subset.
    """
    form = normal_form(function, keep, lengths_of(argument_types))
    found = Front(form, argument_types, raises_on_zero, is_settled=not settle_callees)
    _ = found.types
    return found


def simplified(f: Function) -> None:
    """All passes up to the one that names the values after loops."""
    simplify(f)
    share(f)
    if count_while_loops(f):
        simplify(f)
        share(f)
    written_out_products(f)
    protect(f)
    scalarized(f)
    decide(f)
    simplify(f)
    share(f)
    numbers_for_small_arrays(f)
    elements_of_views(f)
    simplify(f)
    share(f)
    numbers_for_small_arrays(f)  # of which there were views
    simplify(f)
    share(f)
    choices_repeated(f)
    simplify(f)
    wrap(f)
    hoist(f)
    share(f)
    simplify(f)
    rename(f, HELPERS)
    name_loop_outs(f)


def options_of(dispatcher: Any) -> dict[str, Any]:
    """The compilation options of a Numba function that its adjoint inherits."""
    given = dict(getattr(dispatcher, "targetoptions", {}))
    return {k: given[k] for k in ("fastmath", "boundscheck", "nogil", "parallel") if given.get(k)}
