"""Values, operands and callables in a few words."""

import ast
from types import FrameType
from typing import Any

import numpy as np

from morula.diagnostics.places import Kinds, segment
from morula.errors import describe

__all__ = ["name_of", "numbers_of", "operand_texts", "shown"]

ndarray = np.ndarray


def name_of(f: Any) -> str:
    """A callable, for people."""
    return f if isinstance(f, str) else f"{describe(f)}()".replace("builtins.", "")


def numbers_of(frame: FrameType | None, kinds: Kinds) -> dict[str, Any]:
    """The numbers that an operation is about: what the engine's frames hold, under the names of the user's source."""
    found: dict[str, Any] = {}
    while frame is not None and not kinds[frame.f_code.co_filename]:
        variables = frame.f_locals
        held = {n: variables[n] for n in ("x", "y", "z") if isinstance(variables.get(n), NUMBERS)}
        args = [v for v in variables.get("args") or () if isinstance(v, NUMBERS)]
        found = {**held, **dict(zip("xy" if len(args) > 1 else "x", args, strict=False)), **found}
        frame = frame.f_back
    if frame is None:
        return found
    names = operand_texts(segment(frame.f_code, frame.f_lasti))
    values = [found[n] for n in "xy" if n in found]
    if len(names) == len(values) or (len(names) == 1 and values):
        return dict(zip(names, values, strict=False))
    return found


NUMBERS = (float, int, complex, np.number)


def operand_texts(text: str) -> list[str]:
    """The operands of an operation, as they stand in the source; none where that does not tell.

    >>> operand_texts("np.sqrt(x[0])"), operand_texts("a / (b + c)"), operand_texts("x += y")
    (['x[0]'], ['a', 'b + c'], [])
    """
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return []
    if isinstance(node, ast.BinOp):
        return [ast.unparse(node.left), ast.unparse(node.right)]
    if isinstance(node, ast.UnaryOp):
        return [ast.unparse(node.operand)]
    if isinstance(node, ast.Call) and not node.keywords:
        return [ast.unparse(a) for a in node.args]
    return []


def shown(value: Any) -> str:
    """A value in a few words.

    >>> shown(np.array([1.0, np.inf, np.nan]))
    'an array (3,) with 1 inf, 1 nan, the first at [1]'
    """
    if not isinstance(value, ndarray):
        return repr(value.item() if isinstance(value, np.generic) else value)
    if value.ndim == 0:
        return repr(value.item())
    if value.dtype.kind not in "fc":
        return f"an array {value.shape} of {value.dtype}"
    bad = ~np.isfinite(value)
    n_nan = int(np.isnan(value).sum())
    n_inf = int(bad.sum()) - n_nan
    if not bad.any():
        if value.size <= 4:
            return np.array2string(value, precision=6, separator=", ")
        return f"an array {value.shape} in [{np.min(value.real):.4g}, {np.max(value.real):.4g}]"
    first = ", ".join(str(int(i)) for i in np.argwhere(bad)[0])
    counts = [f"{n} {what}" for n, what in ((n_inf, "inf"), (n_nan, "nan")) if n]
    return f"an array {value.shape} with {', '.join(counts)}, the first at [{first}]"
