"""Functions as they are now, for calls in the backward pass: what they capture may stand for something else by then."""

from types import CellType, FunctionType
from typing import Any

import numpy as np

from chainrules import RuleConfig
from morula.eager.context.kinds import ATOMS, is_empty, is_library_code
from morula.eager.context.protocol import Context
from morula.eager.replay.remembered import CONSTANT, globals_read


def frozen(ctx: Context, f: Any) -> FunctionType | None:
    """`f` with cells of its own; None where what it reads lies in objects, containers or global variables.

    Writes into arrays are undone by the sweep that calls it.
    """
    return _frozen(ctx, f, {})


def _frozen(ctx: Context, f: Any, cells: dict[int, CellType | None]) -> FunctionType | None:
    """The same; `cells` has those that were made, by the identities of those in whose place they are."""
    if type(f) is not FunctionType or not _reads_constants(f, set()):
        return None
    own = [_cell(ctx, cell, cells) for cell in f.__closure__ or ()]
    if None in own:
        return None
    made = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, tuple(own))  # type: ignore[arg-type]
    made.__qualname__ = f.__qualname__
    return made


def _cell(ctx: Context, cell: CellType, cells: dict[int, CellType | None]) -> CellType | None:
    if id(cell) in cells:
        return cells[id(cell)]
    cells[id(cell)] = None  # a function that captures itself is not frozen
    if is_empty(cell):
        return None
    value = cell.cell_contents
    if type(value) is FunctionType:
        value = _frozen(ctx, value, cells) if value.__closure__ else value if _reads_constants(value, set()) else None
        if value is None:
            return None
    elif not _stays(value):
        return None
    made = cells[id(cell)] = CellType(value)
    pair = ctx.twins.cells.get(id(cell))
    if pair is not None:
        ctx.twins.cells[id(made)] = made, CellType(pair[1].cell_contents)  # which keeps it alive, and its identity
        for known in (ctx.twins.paired, ctx.twins.lifted):
            if id(cell) in known:
                known.add(id(made))
    return made


def _stays(x: Any) -> bool:
    """Whether something is never changed but by a write into an array."""
    if type(x) is tuple:
        return all(map(_stays, x))
    return type(x) in ATOMS or isinstance(x, (*CONSTANT, np.ndarray, RuleConfig)) or (type(x) is dict and not x)


def _reads_constants(f: FunctionType, met: set[int]) -> bool:
    """Whether a function, and those that it calls by global names, read nothing from outside but what they capture."""
    if id(f) in met or is_library_code(f):
        return True
    met.add(id(f))
    if f.__kwdefaults__ or vars(f) or not all(map(_stays, f.__defaults__ or ())):
        return False
    for name in globals_read(f.__code__):
        value = f.__globals__.get(name)
        if type(value) is FunctionType:
            if (value.__closure__ and not is_library_code(value)) or not _reads_constants(value, met):
                return False
        elif name in f.__globals__ and not isinstance(value, CONSTANT):
            return False
    return True
