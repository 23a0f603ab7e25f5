"""The whole text of a static adjoint: what it is given and what must be so, the program there and back, the results."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from morula.static.python.absent import EXACT, check_exact, exact_gradient
from morula.static.python.checks import check
from morula.static.python.emit import Emitter, indented
from morula.static.python.entry import guards_of_list, guards_of_things, guards_of_writes, overlaps
from morula.static.python.flow import Flow, is_temporary, local
from morula.static.python.forms import HELPERS
from morula.static.python.gradients import gradient_by, may_be_absent, tangent
from morula.static.python.ir import Append, Compute, Drop, Program, Store, Structure, Unsupported, atoms_of
from morula.static.python.memory import Memory
from morula.static.python.printing import SAID
from morula.static.python.reverse import Lines, bar
from morula.static.python.slopes import Slopes
from morula.static.python.splitting import split
from morula.static.python.tidy import NAME, hoist, is_fresh
from morula.static.python.types import Types
from morula.static.python.unsupported import OfTwoKinds, Undecided
from morula.static.python.values import text_of_value, with_whole
from morula.static.python.zeros import without_zeros

__all__ = ["text_of"]


def text_of(program: Program) -> str:
    """The text of ``value_and_gradient(*args)``, which gives None where the eager tier has to do it."""
    split(program)
    hoist(program)
    slopes = Slopes(program.space, program.is_exact)
    memory = Memory(program)
    slopes.types = types = Types(program, memory)
    check(types, program)
    flow = Flow(program, slopes, memory)
    if program.verb in ("tangent", "probe"):
        flow.active = set()
    if program.is_exact:
        check_exact(program, flow.zeroed, memory.is_written)
    try:
        emitter, value, kept, body, back = _emitted(program, types, flow, slopes)
    except OfTwoKinds as reason:
        if not _may_run_again(program, memory) or (isinstance(reason, Undecided) and not program.is_told):
            raise
        program.runs_again = True
        emitter, value, kept, body, back = _emitted(program, types, flow, slopes)
        if any("followed(" in line for line in (*body, *back)):  # which takes as long as all the rest
            raise
    lines = _given(program, flow, emitter)
    written = program.written - {f"a{path[0]}" for path in program.handed if len(path) == 1}
    if program.verb != "gradient" and (kept or (program.verb == "pullback" and (written or program.subs))):
        raise Unsupported("writing into what the program is given, or recursion")
    if program.verb == "pullback":
        lines += _with_pullback(program, flow, emitter, value, body, back)
    elif program.is_repeated:
        lines += _repeated(program, _there_and_back(program, flow, emitter, value, body, back, kept))
    else:
        lines += _there_and_back(program, flow, emitter, value, body, back, kept)
    program.space.update(
        HELPERS, **(EXACT if program.is_exact else {}), float64=np.float64, array=np.array, inf=np.inf, tangent=tangent
    )
    names = ", ".join(["function", *[i.name for i in program.inputs[: program.n_args]]])
    text = "\n".join([f"def value_and_gradient({names}):", *indented(lines)])
    if program.verb in ("tangent", "product"):
        from morula.static.python.duals import dual_text  # gradients are taken without it

        if any(map(partial(_moves_rows, memory), program.statements())):
            raise Unsupported("a list that items are taken out of, or whose rows are replaced, for another verb")
        return dual_text(text, program, set(memory.leaders) - set(program.shapes))
    return text


def _emitted(program: Program, types: Types, flow: Flow, slopes: Slopes) -> tuple[Emitter, str, Lines, Lines, Lines]:
    """The text of the value, what others see, the program there, and the way back, with what they were made by."""
    emitter = Emitter(program, types, flow, slopes)
    value = _value(program, types, emitter, flow.active)
    kept = [] if program.verb == "probe" else _kept(program, types, emitter)  # a run that is cut short leaves nothing
    while True:
        before = set(emitter.as_numpy)
        forward, back = emitter.block(program.body)
        functions = emitter.functions()
        if emitter.as_numpy == before:
            return emitter, value, kept, [*functions, *forward], back
        found, emitter = emitter.as_numpy, Emitter(program, types, flow, slopes)
        emitter.as_numpy = found


def _may_run_again(program: Program, memory: Memory) -> bool:
    """Whether a run of the program, behind the text's own, gives its value once more, and changes nothing.

    It does for numbers and arrays, of which it gets copies, if nothing else is written into.
    """
    has_lists = any(i.is_list and not i.is_array for i in program.inputs[: program.n_args])
    return (
        program.verb == "gradient" and program.value is None
        and not (program.weighted or program.captured or program.is_repeated)
        and not (program.is_single or program.is_observed)
        and not (program.stored or program.written or program.prints or program.draws_from or program.structures)
        and not (has_lists or any(memory.is_written(i.name) for i in program.inputs[program.n_args :]))
    )  # fmt: skip


def _moves_rows(memory: Memory, s: Any) -> bool:
    """Whether a statement does something with a list that texts of tangents know nothing of."""
    return isinstance(s, Drop) or (isinstance(s, Append) and s.start) or (isinstance(s, Store) and s.value in memory)


def _value(program: Program, types: Types, emitter: Emitter, active: set[str]) -> str:
    """The text of the value."""
    if program.value is not None:
        if program.verb == "pullback" and program.value.parts:
            program.value = with_whole(program.value, types, active)
        _check_apart(program, emitter.memory)
        wrapped = lambda atom: _wrapped(atom, emitter.is_numpy(atom, {}))
        return text_of_value(program.value, types, emitter.memory, wrapped, program.verb == "pullback")
    result = types[program.result]
    if result - {"float", "int", "np.float64"} or not result:
        raise Unsupported("a value that is no real number")
    if program.is_single:
        return f"array({program.result})"
    if program.runs_again:
        return f"same({program.result}, function(*given))"
    return _wrapped(program.result, emitter.is_numpy(program.result, {}))


def _check_apart(program: Program, memory: Memory) -> None:
    """See to it that no two arrays or lists of a value may be one, or parts of one."""
    computed = [s for s in program.statements() if isinstance(s, Compute) and s.op == "packed"]
    packed = {s.target: s.args[0] for s in computed}  # arrays that stand for lists
    lists = [memory.leader(packed.get(leaf.list, leaf.list)) for leaf in program.value.leaves() if leaf.list]
    if len(set(lists)) < len(lists):
        raise Unsupported("a value that may have one array or list twice")


def _kept(program: Program, types: Types, emitter: Emitter) -> Lines:
    """What the program writes into things that others see, which is done in the end."""
    lines: Lines = []
    for where, parts in program.stored.items():
        for key, var in parts.items():
            if not isinstance(var, str) or types[var] - {"float", "int", "bool", "np.float64"}:
                raise Unsupported("writing something other than numbers into what the program is given")
            place = f"{where}.{key}" if where in program.objects else f"{where}[{key!r}]"
            lines.append(f"{place} = {_wrapped(var, emitter.is_numpy(var, {}))}")
    if program.prints:
        lines.append(f"say({SAID})")
    return lines


def _wrapped(name: str, wrap: str) -> str:
    """A number, as one of NumPy's where `wrap` says so."""
    if wrap in ("True", "False"):
        return f"float64({name})" if wrap == "True" else name
    return f"(float64({name}) if {wrap} else {name})"


def _given(program: Program, flow: Flow, emitter: Emitter) -> Lines:
    """What the text is given, and what must be so."""
    args = program.inputs[: program.n_args]
    space = program.space
    body: Lines = ["names = function.__globals__", *program.guards]
    if program.runs_again:
        owned = [f"{a.name}.copy('K') if type({a.name}) is ndarray else {a.name}" for a in args]
        body.append(f"given = ({', '.join([*owned, ''])})")
        space["ndarray"] = np.ndarray
    listed: set[str] = set()
    for s in program.statements():
        listed.update(() if isinstance(s, Compute) and s.op in ("length", "width") else atoms_of(s))
    for given in program.inputs:
        given.is_listed = given.is_list and (given.name in listed or not given.array)
        is_wanted = given.array and "np.int64" in given.types and given in program.sources()
        if is_wanted and not all(_is_place(given.array, s) for s in program.statements()):
            raise Unsupported("a derivative with respect to integers that NumPy's functions take")
        if given.array and flow.memory.is_written(given.name):
            raise Unsupported("an array that is written into and given to NumPy's functions")
    structures = [s for s in program.structures.values() if s is not None]
    arrays = [i.name for i in (*args, *[leaf for s in structures for leaf in s.leaves()]) if i.is_array]
    body += guards_of_things(program)
    if len(arrays) > 1:  # they might share memory
        space["overlap"] = np.may_share_memory
        shared = f"if {' or '.join(f'overlap({a}, {b})' for i, a in enumerate(arrays) for b in arrays[:i])}:"
    for i, given in enumerate(program.inputs):
        if i in program.structures or (program.is_repeated and i == 0):
            continue
        name, kind = given.name, emitter.slopes.named(given.kind)
        if given.read != name:
            body.append(f"{name} = {given.read}")
        if given.is_list and not given.is_array:
            body += guards_of_list(program, given, flow)
        elif given.is_list:
            dtype = emitter.slopes.named(given.dtype)
            shape = f"shape != {program.shapes[given.array]}" if given.array else f"ndim != {given.ndim}"
            largest = f"{name}.size > LARGEST or " if given.is_listed else ""
            if given.is_listed and given.ndim > 1:  # a list of no rows would have forgotten how long they are
                largest += f"not len({name}) or "
            body += [
                f"if type({name}) is not {kind} or {name}.{shape} or {name}.dtype != {dtype}:",
                "    raise Other",
                *guards_of_writes(program, given, flow.memory),
                f"if {largest}{overlaps(name, given.ndim)}:",
                "    raise Other",
            ]
            if given.array:
                if program.verb == "pullback":  # the user may write into the array; of the copy BLAS makes the same
                    body += [f"if not ({name}.flags.c_contiguous or {name}.flags.f_contiguous):", "    raise Other"]
                copied = '.copy("K")' if program.verb == "pullback" else ""
                body.append(f"{given.array} = {name}{copied}")
            if name not in arrays and program.written:
                space["overlap"] = np.may_share_memory
                body += [
                    line for a in sorted(program.written) for line in (f"if overlap({name}, {a}):", "    raise Other")
                ]
            if name not in arrays and given.is_listed:
                body.append(f"{name} = {name}.tolist()")
        else:
            body += [f"if type({name}) is not {kind}:", "    raise Other"]
            if given.kind is np.float64:
                body.append(f"{name} = float({name})")
    body += [shared, "    raise Other"] if len(arrays) > 1 else []
    listable = {i.name for i in program.inputs if i.is_listed}
    body += [f"{name} = {name}.tolist()" for name in arrays if name in listable]
    body += [f"if len({name}) != {n}: raise Other" for name, n in program.lengths.items()]
    return body


def _is_place(atom: str, s: Any) -> bool:
    """Whether a statement takes an array of integers for an index, or sends it a cotangent, and does nothing else."""
    if atom not in atoms_of(s):
        return True
    if not isinstance(s, Compute) or s.op != "numpy":
        return False
    is_sent = all(t is not None for a, t in zip(s.args, s.f.terms, strict=True) if a == atom)
    return is_sent or s.f.is_constant or atom not in s.f.values(s.args)


def _there(program: Program, flow: Flow, emitter: Emitter, forward: Lines) -> Lines:
    """The program itself, with what its variables begin with."""
    body: Lines = []
    if emitter.perhaps:
        body.append(f"{' = '.join(sorted(emitter.perhaps))} = None")
    if emitter.as_numpy:
        starts = {i.name: "np.float64" in i.types for i in program.inputs}
        body.append(f"{' = '.join(sorted(f'n_{v}' for v in emitter.as_numpy if v not in starts) or ['_'])} = False")
    active = sorted(flow.active)
    lists = {i.name for i in program.inputs if i.is_listed}
    rows = {i.name for i in program.inputs if i.ndim == 2}
    zero = {i.name: program.zero if i.is_array else "NOTHING" for i in program.inputs}
    body += [f"{bar(a)} = [{zero[a]}] * len({a})" for a in active if a in lists - rows]
    body += [f"{bar(a)} = [[{zero[a]}] * len(row) for row in {a}]" for a in active if a in rows]
    body += [f"{SAID} = []"] * program.prints
    body += forward
    for atom in sorted(program.results):
        if atom not in program.shapes and atom not in flow.memory:
            body += [f"if type({atom}) is complex:", "    return None"]
    return body


def _bars(program: Program, flow: Flow, emitter: Emitter, back: Lines) -> Lines:
    """What cotangents begin with."""
    inputs = [i.name for i in program.inputs if i.is_list]
    elsewhere = {*program.results, *emitter.arrays, *flow.memory.leaders, *inputs}
    elsewhere = elsewhere.union(*[local(s, flow) for s in program.subs])
    moved = [a for a in sorted(flow.active) if a not in elsewhere and _has_bar(a, flow)]
    unsure = {i.name for i in program.inputs if may_be_absent(i, program, flow)}
    body = emitter.zeros(a for a in moved if a not in unsure)
    return (
        body
        + [f"{bar(a)} = NOTHING" for a in moved if a in unsure]
        + [
            f"{bar(a)} = zeros({program.shapes[a]})"
            for a in sorted(emitter.arrays & flow.active)
            if program.subs or not _begun(bar(a), back)
        ]
    )


def _there_and_back(
    program: Program, flow: Flow, emitter: Emitter, value: str, forward: Lines, back: Lines, kept: Lines
) -> Lines:  # fmt: skip
    body = _there(program, flow, emitter, forward)
    if program.verb in ("tangent", "probe"):
        return [*body, f"return None, {value}"]
    start = [f"{bar(program.result)} = 1.0"] if program.result in flow.active else []
    rows = {i.name for i in program.inputs if i.ndim == 2}
    if program.is_exact:
        parts = [exact_gradient(given, flow.active, rows) for given in program.independent()]
        lines = [*_bars(program, flow, emitter, back), *start, *back]
        return [*body, *lines, *_settled(value, parts, kept)]
    found: Lines = []
    parts = [gradient_by(given, program, flow, rows, found) for given in program.independent()]
    found += _settled(value, parts, kept)
    return [*body, *_fewer([*_bars(program, flow, emitter, back), *start, *back], found, program), *found]


def _settled(value: str, parts: list[str], kept: Lines) -> Lines:
    """The end of a text: what others see is done once the gradient is there, after which nothing gives way."""
    if not kept:
        return [f"return {value}, ({', '.join(parts)},)"]
    return [f"found = {value}, ({', '.join(parts)},)", *kept, "return found"]


def _repeated(program: Program, lines: Lines) -> Lines:
    """A text for each of the numbers in a list, the first argument; what must be so is found once."""
    first = program.inputs[0]
    if program.written or first.is_list or first.kind is not float or 0 in program.structures:
        raise Unsupported("a function of something other than a float, or one that writes, for many numbers")
    return [f"def each({first.name}):", *indented(lines), f"return list(map(each, {first.name}))"]


def _with_pullback(
    program: Program, flow: Flow, emitter: Emitter, value: str, forward: Lines, back: Lines
) -> Lines:  # fmt: skip
    """A function that runs the program, and gives the value and what pulls seeds of its leaves back, once."""
    seeds: Lines = []
    names = []
    for i, leaf in enumerate(program.value.leaves()):
        names.append(f"s{i}")
        moved = [a for a in leaf.atoms if a in flow.active]
        if not moved:
            continue
        if leaf.kind == "small":
            seeds += [f"{bar(a)} = s{i}.item({k})" for k, a in enumerate(leaf.atoms) if a in flow.active]
        elif leaf.kind in ("number", "array"):
            seeds.append(f"{bar(moved[0])} = s{i}")
        else:
            add_to = "plus" if flow.memory.ndim[moved[0]] == 1 else "plus_rows"
            seeds.append(f"{add_to}({bar(moved[0])}, s{i}{'' if leaf.kind == 'numbers' else '.tolist()'})")
    rows = {i.name for i in program.inputs if i.ndim == 2}
    found: Lines = []
    parts = [gradient_by(given, program, flow, rows, found) for given in program.independent()]
    found.append(f"return ({', '.join(parts)},), doubt")
    back = _fewer([*_bars(program, flow, emitter, back), *seeds, "doubt = False", *back], found, program)
    lines = [*back, *found]
    given = [i.name for i in program.inputs if i.is_listed and flow.memory.is_written(i.name)]
    body = [f"{a} = [row[:] for row in given_{a}]" if a in rows else f"{a} = given_{a}[:]" for a in given]
    body += _there(program, flow, emitter, forward)  # which may run more than once
    body += [f"def back({', '.join(names)}):", *indented(lines), f"return {value}, back"]
    once = any(a in flow.memory for a in flow.active)
    ties = tuple([_tie(leaf.atoms, program, flow, emitter.slopes) for leaf in program.value.leaves()])
    program.value = replace(program.value, ties=ties)
    return [
        *[f"given_{a} = {a}" for a in given], "def there():", *indented(body), f"return there(), there, {once}",
    ]  # fmt: skip


def _tie(atoms: tuple[str, ...], program: Program, flow: Flow, slopes: Slopes) -> tuple[frozenset, frozenset]:
    """Which of what is wanted cotangents of these atoms alone reach for sure, and which they may reach."""
    sure, perhaps = flow.ties(atoms, slopes)
    parts = []
    for given in program.independent():
        inputs = given.leaves() if isinstance(given, Structure) else [given] if given is not None else []
        parts.append([{i.name, i.array} - {""} for i in inputs])
    return (
        frozenset(k for k, names in enumerate(parts) if names and all(not n.isdisjoint(sure) for n in names)),
        frozenset(k for k, names in enumerate(parts) if any(not n.isdisjoint(perhaps) for n in names)),
    )


def _fewer(back: Lines, found: Lines, program: Program) -> Lines:
    """A way back with fewer steps; `found` follows it."""
    if program.subs:  # functions that set cotangents of the program around them
        return back
    return without_zeros(back, set(NAME.findall("\n".join(found))))


def _begun(name: str, back: Lines) -> bool:
    """Make the first addition to a cotangent of zero an assignment, if that is what it comes to; whether it is."""
    pattern = re.compile(rf"\b{name}\b")
    for i, line in enumerate(back):
        if not pattern.search(line):
            continue
        sign, text = line[len(name) + 1 : len(name) + 3], line[len(name) + 4 :]
        if not line.startswith(f"{name} ") or sign not in ("+=", "-=") or not is_fresh(text):
            return False
        back[i] = f"{name} = {text}" if sign == "+=" else f"{name} = -({text})"
        return True
    return False


def _has_bar(atom: str, flow: Flow) -> bool:
    return not is_temporary(atom) or atom in flow.escaping
