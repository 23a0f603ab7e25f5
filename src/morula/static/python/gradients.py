"""The gradient in the text of a static adjoint: by each thing that the program is given, and whether there is one."""

from __future__ import annotations

from typing import Any

from chainrules import Tangent, tangent_of_fields
from morula.eager.containers.records import field_names
from morula.static.python.flow import Flow
from morula.static.python.ir import Input, Program, Structure, Unsupported
from morula.static.python.reverse import Lines, bar
from morula.static.python.values import typed

__all__ = ["gradient_by", "may_be_absent", "tangent"]


def _of_array(program: Program, given: Input, flow: Flow, body: Lines, least: str, is_reached: bool) -> str:
    """What the gradient with respect to an array is, of which there may be a list, too."""
    given_bar = bar(given.name)
    parts = [bar(given.array)] if given.array in flow.active else []
    if given.is_listed and given.name in flow.active:
        body.append(f"g_{given.name} = array({given_bar})")
        parts.append(f"g_{given.name}")
    if not parts:
        return "None"
    name = parts[0]
    if len(parts) > 1:
        body.append(f"{name} += {parts[1]}")
    body += [f"if not {least} largest({name}) < inf:", "    return None"]
    if program.verb == "pullback" and not is_reached:
        body.append(f"doubt = doubt or not {name}.any()")
    return name


def gradient_by(given: Input | Structure | None, program: Program, flow: Flow, rows: set[str], body: Lines) -> str:
    """The text of the gradient with respect to the inputs; `body` gets the lines that see whether there is one."""
    if isinstance(given, Structure):
        parts = {k: gradient_by(part, program, flow, rows, body) for k, part in given.parts.items()}
        if all(part == "None" for part in parts.values()):
            return "None"
        if given.kind in ("list", "tuple"):
            every = ", ".join(parts.values())
            return f"[{every}]" if given.kind == "list" else f"({every},)"
        items = ", ".join(f"{k!r}: {part}" for k, part in parts.items())
        return f"{{**dict.fromkeys({given.where}), {items}}}" if given.kind == "dict" else (
            f"tangent({given.where}, {{{items}}})"
        )  # fmt: skip
    if given is None:  # nothing reads it
        return "None"
    name = bar(given.name)
    # Absent and zero are not the same, but for the sums of results with weights, of which some may well be 0.
    is_reached = given.name in flow.reached or given.array in flow.reached
    is_any = program.weighted or program.verb != "gradient"
    is_doubtful = program.verb == "pullback" and not is_reached
    least = "" if is_any else "0.0 <=" if is_reached else "0.0 <"
    if given.array:
        return _of_array(program, given, flow, body, least, is_reached)
    if given.name not in flow.active:
        return "None"
    if given.is_list and not given.is_array:
        return _gradient_of_list(given, program, flow, rows, body)
    if given.is_list:
        every = f"[v for row in {name} for v in row]" if given.name in rows else name
        body += [f"total = sum(map(abs, {every}))", f"if not {least} total < inf:", "    return None"]
        body += ["doubt = doubt or not total"] if is_doubtful else []
        return f"array({name})"
    if may_be_absent(given, program, flow):
        body += [f"if {name} is not NOTHING and not 0.0 < abs({name}) < inf:", "    return None"]
        return f"None if {name} is NOTHING else {typed(name, given, program)}"
    body += [f"if not {least} abs({name}) < inf:", "    return None"]
    body += [f"doubt = doubt or not {name}"] if is_doubtful else []
    name += " + 0.0" if is_reached and not program.weighted else ""  # no negative zero
    return typed(name, given, program)


def may_be_absent(given: Input, program: Program, flow: Flow) -> bool:
    """Whether something is sent to an argument that is a number in some runs only: in the others there is None."""
    if given.is_list or given.array or given.name in program.shapes:
        return False
    is_part = all(given is not other for other in program.independent())
    is_known = given.name in flow.reached | flow.zeroed  # to be zero at least, or not to be told apart from that
    return program.verb == "gradient" and not program.weighted and not (is_part or is_known)


def _gradient_of_list(given: Input, program: Program, flow: Flow, rows: set[str], body: Lines) -> str:
    """The gradient with respect to a list of numbers; one that is zero may be absent, which the eager tier knows."""
    if program.verb != "gradient":
        raise Unsupported("a list of many numbers that another verb moves")
    name, wrap = bar(given.name), ", float64" if "np.float64" in given.types else ", float" * program.makes_float
    if given.name in flow.zeroed:  # to which nothing may have been sent, or zero
        body.append(f"sure({name})")
    found = f"g_{given.name}"
    if given.name in rows:
        tupled = "tuple" if given.dtype is tuple else "list"
        body.append(f"{found} = [r and {tupled}(r) for r in [settled(row{wrap}) for row in {name}]]")
        body.append(f"{found} = None if all([r is None for r in {found}]) else {found}")
    else:
        body.append(f"{found} = settled({name}{wrap})")
    return f"({found} and tuple({found}))" if given.kind is tuple else found


def tangent(x: Any, parts: dict[str, Any]) -> Any:
    """The cotangent of an object with these parts."""
    names = [*field_names(x), *parts]
    return tangent_of_fields(x, Tangent(type(x), **{name: parts.get(name) for name in names}).fields())
