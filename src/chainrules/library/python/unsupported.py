"""Names of Python's own library that have no rule on purpose, with the reason."""

from __future__ import annotations

import builtins
import operator

from ...declarations import unsupported

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
for _name in ("copyright", "credits", "license", "help", "exit", "quit"):  # of the module `site`
    if hasattr(builtins, _name):
        unsupported("is for people at a prompt", getattr(builtins, _name))
