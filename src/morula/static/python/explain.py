"""What is known of the tier that answers for a function, as text."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from morula.static.python.pairs import new_pair, record_of, records_of
from morula.static.python.unsupported import Unsupported
from morula.transform import template_of
from morula.transform.parts import cuts_of

__all__ = ["static_text", "tier_text"]


def tier_text(f: Any, /, *args: Any) -> str:
    """Which tier differentiates a function, and why.

    Args:
        f: a function.
        args: arguments as it is called with. With them it says whether there can be a static adjoint for their types;
            nothing is run.

    Returns:
        A line that says whether there can be a static adjoint, with what keeps the function in the eager tier; then
        a line for each one that has been made, with its calls; then one for the runs in the eager tier, and one for
        what is static of a function that runs there in parts.

    >>> def area(w, h):
    ...     sizes = [w * h]
    ...     names = locals()
    ...     return names["sizes"][0]
    >>> print(tier_text(area, 1.0, 2.0))
    area: the eager tier: a call to locals (line 3)
    """
    name = getattr(f, "__qualname__", None) or repr(f)
    if type(f) is not FunctionType:
        return f"{name}: the eager tier: not a function written in Python"
    record = record_of(f)
    lines = []
    if args:
        try:
            pair = new_pair(f, args, tuple(range(len(args))))
            size = pair.text.count("\n") + 1
            lines.append(f"{name}: a static adjoint of {size} lines, made in {_ms(pair.seconds)}")
        except Unsupported as reason:
            lines.append(f"{name}: the eager tier: {reason}")
    elif record.why is not None:
        lines.append(f"{name}: the eager tier: {record.why}")
    else:
        lines.append(f"{name}: a static adjoint" if record.all_pairs else f"{name}: the eager tier so far")
    for wanted, pairs in record.pairs.items():
        for pair in pairs:
            by = ", ".join(map(str, wanted))
            if (state := getattr(pair.run, "state", None)) is not None:  # of the mode "compile"
                lines.append(f"  compiled by Numba, by arguments {by}: {state}, {pair.calls} calls")
                continue
            vain = f", {pair.failures} of the last calls failed" if pair.failures else ""
            lines.append(f"  static, by arguments {by}: {pair.calls} calls, {_ms(pair.seconds)} to make{vain}")
    if record.uncompiled is not None:
        lines.append(f"  not compiled: {record.uncompiled}")
    if record.runs:
        lines.append(f"  eager: {record.runs} runs")
    if cuts := sorted(cuts_of(f.__code__)):
        parts = template_of(f).parts.values()
        static = sum(any(r.all_pairs for r in records_of(code)) for code in parts)
        at = f"line{'s' * (len(cuts) > 1)} {', '.join(map(str, cuts))}"
        lines.append(f"  in parts: {len(parts)} around {at}, of which {static} static")
    return "\n".join(lines)


def static_text(f: FunctionType, args: tuple) -> str | None:
    """The text of the static adjoint for arguments of these types, None where there is none."""
    try:
        return new_pair(f, args, tuple(range(len(args)))).text
    except Unsupported:
        return None


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms"
