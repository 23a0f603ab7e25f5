"""Every guard of a static adjoint is there for a reason: without it, some change gives a wrong number.

A static adjoint relies on what its text was made of: types, lengths, classes, globals. Each row is a program and
changes that break what it relies on. With its guards the text gives way, or what it finds is still right; with one of
them taken out, the fault that this plants must show in one of the rows. Guards that no row needs, and places in the
source that make guards and that no row reaches, are failures here.
"""

import ast
import builtins
import enum
import math
import re
import sys
import types
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from guard_programs import PROGRAMS
from morula_helpers import module_of
from static_checks import alike

import morula
from morula.static.python import outside, runs
from morula.static.python.pairs import record_of

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]
FOLDER = Path(runs.__file__).parent
GUARD = re.compile(r"^( *)if (?P<test>[^\n]*):(?: raise Other|\n +raise Other)$", re.M)
PROTECTS_TIME = re.compile(r"\.size > LARGEST$")  # the time that a list of a large array takes


def text_of(f, args, monkeypatch):
    """The text of a static adjoint, what it runs in, and by which lines of the source its guards were made."""
    sites = defaultdict(set)
    made = outside.Outside.guard

    def guard(self, text):
        frame = sys._getframe(1)
        sites[f"not ({text})"].add((Path(frame.f_code.co_filename).name, frame.f_lineno))
        made(self, text)

    with monkeypatch.context() as patch:
        patch.setattr(outside.Outside, "guard", guard)
        run, text, _, _ = runs.generated(f, tuple(args), tuple(range(len(args))))
    return run, text, sites


class F(float):
    """A number with products of its own."""

    __mul__ = __rmul__ = lambda self, x: 5.0 - x


def begun(name, i):
    """A program of its own as a module, and its arguments."""
    source, args, _ = PROGRAMS[name]
    space = {"np": np, "types": types, "math": math, "enum": enum, "builtins": builtins, "F": F, "module_of": module_of}
    space = vars(module_of(source, f"guards of {name} {i}", **space))
    space["args"] = list(eval(f"({args},)", space))
    with morula.tier("eager"):
        morula.gradient(space["f"], *space["args"])  # what the program uses has been loaded
    return space


def outcome(run, *args):
    """Value and gradient; None where the eager tier is to take over, or something is raised."""
    try:
        return run(*args)
    except Exception:
        return None


def is_wrong(found, expected):
    """Whether a static adjoint has found something, and something else than the eager tier."""
    if found is None:
        return False
    return expected is None or repr(found[0]) != repr(expected[0]) or not alike(found[1], expected[1])


def space_of(run):
    """The names that the text of a static adjoint uses."""
    cells = [cell.cell_contents for cell in run.__closure__ or ()]
    return next((inner for inner in cells if callable(inner)), run).__globals__


def without(run, text, guards):
    """The same static adjoint without some of its guards."""
    space = dict(space_of(run))
    for guard in reversed(guards):
        text = text[: guard.start()] + f"{guard[1]}pass" + text[guard.end() :]
    exec(compile(text, "<planted>", "exec"), space)
    return space["value_and_gradient"]


def examined(name, monkeypatch):
    """Changes after which a program's static adjoint is wrong, and its guards: all, those needed, and what makes them.

    A guard is needed where a change makes the text wrong without it: without it alone or, where several see the same
    change, without all but it, so that it is the one that prevents the wrong number.
    """
    wrong, every, needed, sites = [], set(), set(), defaultdict(set)
    for i, change in enumerate(PROGRAMS[name][2]):
        space = begun(name, i)
        run, text, made = text_of(space["f"], space["args"], monkeypatch)
        for test, places in made.items():
            sites[test] |= places
        guards = [g for g in GUARD.finditer(text) if not PROTECTS_TIME.search(g["test"])]
        every.update(g["test"] for g in guards)
        with monkeypatch.context() as space["patch"]:
            exec(change, space)
            f, args = space["f"], space["args"]
            with morula.tier("eager"):
                expected = outcome(morula.withgradient, f, *args)

            def fails(run, f=f, args=args, expected=expected):
                return is_wrong(outcome(run, f, *args), expected)

            wrong += [change] * fails(run)
            is_caught_once = not fails(without(run, text, guards))
            for k, guard in enumerate(guards):
                others = guards[:k] + guards[k + 1 :]
                if fails(without(run, text, [guard])) or not (is_caught_once or fails(without(run, text, others))):
                    needed.add(guard["test"])
    return wrong, every, needed, sites


def kind_of(test):
    """What a guard is about, whatever the names and lengths in it."""
    test = re.sub(r"'\w+'", "'name'", re.sub(r"\b(\w*_)?[agh]\d+\b", r"\1a", test))
    test = re.sub(r"\bp\d+\b", "o", test)
    test = re.sub(r"\b([a-z_]+?)\d+\b", r"\1", test)
    return re.sub(r"(, id\(\w\))+|(?<=[=(] )\d+|(?<== )\(.*?\)", "", test)


def places():
    """Where the source makes guards."""
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "guard":
                yield path.name, node.lineno


@pytest.fixture(scope="module")
def results():
    """What came of the programs, by name."""
    patch = pytest.MonkeyPatch()
    return {name: examined(name, patch) for name in PROGRAMS}


def test_changes_are_seen(results):
    assert [(name, found[0]) for name, found in results.items() if found[0]] == []


def test_every_guard_is_needed(results):
    every = {kind_of(test): (name, test) for name, found in results.items() for test in found[1]}
    needed = {kind_of(test) for found in results.values() for test in found[2]}
    assert {kind: where for kind, where in every.items() if kind not in needed} == {}
    assert len(needed) > 50


def test_every_place_that_makes_guards_is_reached(results):
    needed = {place for _, _, needed, sites in results.values() for test in needed for place in sites.get(test, ())}
    missing = set(places()) - needed
    assert not missing, sorted(missing)


def test_attempts_without_number_end_in_no_error():
    """An interruption while a text is made leaves one more of them behind."""

    def f(x):
        return math.sin(x) * x

    record = record_of(f)
    record.attempts = 5000
    for tier in ("auto", "auto", "static"):
        with morula.tier(tier):
            assert morula.gradient(f, 0.3) == pytest.approx((math.sin(0.3) + 0.3 * math.cos(0.3),))
