"""Names of Python's standard library that deliberately have no rule, with the reason."""

from __future__ import annotations

import builtins
import itertools
import operator
import sys

from ...declarations import needs_no_rule, non_differentiable, unsupported

unsupported(
    "reads, writes or makes an object, which is a matter of structure that an engine follows itself",
    getattr, setattr, delattr, super, object, property, classmethod, staticmethod, operator.attrgetter,
    operator.methodcaller,
)  # fmt: skip
unsupported(
    "writes into its first argument, which is an engine's matter",
    operator.setitem, operator.delitem, operator.iconcat, operator.imatmul,
)  # fmt: skip
unsupported("moves an iterator on, so that it is another one for the next call", next, aiter, anext)
unsupported("the items of a set have no order for cotangents", set, frozenset)
unsupported("runs code, or makes some, that no rule can know", eval, exec, compile, locals, breakpoint)
unsupported("its groups share one iterator with it, and are gone when it moves on", itertools.groupby)
# A cotangent has one part for each item, and an iterator is gone when it has been walked: engines follow the items.
needs_no_rule(dict, enumerate, filter, iter, list, map, reversed, tuple, zip)
needs_no_rule(*[f for n, f in vars(itertools).items() if not n.startswith("_") and f is not itertools.groupby])
needs_no_rule(itertools.chain.from_iterable)
for _name in ("copyright", "credits", "license", "help", "exit", "quit"):  # of the module `site`
    if hasattr(builtins, _name):
        unsupported("is for people at a prompt", getattr(builtins, _name))
non_differentiable(sys.getsizeof)
