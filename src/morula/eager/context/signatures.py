"""What parameters a function has, also one that is written in C and does not tell."""

import ast
import inspect
import re
from typing import Any

import numpy as np

HEAD = re.compile(r"\w+\((.*)\)$")
# Whose documentation, before NumPy 2.4, says it in a way of its own.
TOLD = {np.concatenate: "concatenate(arrays, /, axis=0, out=None)"}


def signature_of(f: Any) -> inspect.Signature:
    """`inspect.signature`; for a function in C that has none, what the first line of its documentation says.

    Raises:
        TypeError, ValueError: nobody says it.

    >>> signature_of(np.dot)
    <Signature (a, b, out=None)>
    """
    try:
        return inspect.signature(f)
    except ValueError:
        line = TOLD.get(f) or (getattr(f, "__doc__", None) or "").strip().partition("\n")[0]
        told = HEAD.match(line)
        if told is None:
            raise
        try:
            args = ast.parse(f"lambda {told[1]}: 0", mode="eval").body.args  # type: ignore[attr-defined]
            defaults = list(map(ast.literal_eval, args.defaults))
        except (SyntaxError, ValueError):
            raise ValueError(f"no signature found for {f}") from None
    made, given = inspect.Parameter, [*args.posonlyargs, *args.args]
    defaults = [made.empty] * (len(given) - len(defaults)) + defaults
    kinds = [made.POSITIONAL_ONLY if a in args.posonlyargs else made.POSITIONAL_OR_KEYWORD for a in given]
    return inspect.Signature([
        made(a.arg, k, default=d) for a, k, d in zip(given, kinds, defaults, strict=True)
    ])  # fmt: skip
