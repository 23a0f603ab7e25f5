"""What must be so of what a text is given: of lists, of arrays that it writes into, of objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from morula.static.python.flow import Flow
from morula.static.python.ir import Input, Program, Unsupported
from morula.static.python.memory import Memory
from morula.static.python.reverse import Lines
from morula.static.python.things import holds

__all__ = ["guards_of_list", "guards_of_things", "guards_of_writes", "overlaps"]


def guards_of_list(program: Program, given: Input, flow: Flow) -> Lines:
    """What must be so of a list of numbers, or of a list of lists or tuples of them; nothing writes into it."""
    name, space = given.name, program.space
    types: dict[str, Any] = {"float": float, "int": int, "np.float64": np.float64, "bool": bool}
    kinds = frozenset([types[t] for t in given.types])
    named = f"kinds_{name}"
    space[named] = kinds.issuperset
    of_rows = given.dtype is not None
    test = f"type({name}) is {given.kind.__name__}"
    if of_rows:
        test += f" and all([type(row) is {given.dtype.__name__} and {named}(map(type, row)) for row in {name}])"
    else:
        test += f" and {named}(map(type, {name}))"
    lines = [f"if not ({test}): raise Other"]
    every = [i for i in program.inputs if i.dtype is list and not i.is_array]
    sources = list(program.sources())
    if given in every and any(i.is_copied or i in sources for i in every):  # each row is to be one of its own
        others = ", ".join(f"id({t})" for t in program.things)
        before = [f"*rows_{i.name}" for i in every[: every.index(given)]]
        lines.append(f"rows_{name} = [*map(id, {name})]")
        lines.append(f"if len({{{', '.join([*before, f'*rows_{name}', others])}}}) != "
                     f"{' + '.join([f'len({b[1:]})' for b in before] + [f'len({name})'])} + {len(program.things)}: "
                     "raise Other")  # fmt: skip
    if "np.float64" in given.types:
        lines.append(
            f"{name} = [[*map(float, row)] for row in {name}]" if of_rows else f"{name} = [*map(float, {name})]"
        )
    elif program.verb in ("pullback", "probe") or given.is_copied:  # what a probe writes into is not known yet
        lines.append(f"{name} = [row[:] for row in {name}]" if of_rows else f"{name} = {name}[:]")
    return lines


def guards_of_writes(program: Program, given: Input, memory: Memory) -> Lines:
    """An argument is given back as it was, so that a copy of it may be written into; nothing else may be."""
    name = given.name
    if not memory.is_written(name) and name not in program.written:
        return []
    if program.inputs.index(given) >= program.n_args:
        raise Unsupported("an array from outside that is written into")
    program.written.add(name)
    # What is put in the place of the array has the memory of a new one, on which the rounding of BLAS depends.
    is_new = f" or not {name}.flags.c_contiguous" if given.array or program.shapes else ""
    return [f"if not {name}.flags.writeable{is_new}:", "    raise Other"]


def guards_of_things(program: Program) -> Lines:
    """Two objects must be two, and no part of what is differentiated by may be read in another way."""
    lines: Lines = []
    if len(program.things) > 1:
        each = ", ".join(f"id({thing})" for thing in program.things)
        lines.append(f"if len({{{each}}}) != {len(program.things)}: raise Other")
    arguments = {i: set(s.reached()) for i, s in program.structures.items() if s is not None and i in program.wanted}
    others = [f"id({t})" for t in program.things if not any(t in found for found in arguments.values())]
    if others and arguments:
        program.space["holds"] = holds
        lines += [f"others = {{{', '.join(others)}}}"]
        lines += [f"if holds(a{i}, others): raise Other" for i in arguments]
    return lines


def overlaps(name: str, ndim: int) -> str:
    """A text that is true where elements of an array may share memory."""
    if ndim == 1:
        return f"(len({name}) > 1 and abs({name}.strides[0]) < {name}.itemsize)"
    strided = f"may_overlap({name}.shape, {name}.strides, {name}.itemsize)"
    return f"not ({name}.flags.c_contiguous or {name}.flags.f_contiguous) and {strided}"
