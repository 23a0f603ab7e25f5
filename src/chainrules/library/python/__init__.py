"""Rules for Python and its standard library.

`statistics`, `fractions`, `decimal` and `random` wait until the program has imported those modules.
"""

from . import builtins, cmath, forward, forward_numbers, functools, math, operator, unsupported

__all__ = [
    "builtins",
    "cmath",
    "forward",
    "forward_numbers",
    "functools",
    "math",
    "operator",
    "unsupported",
]
