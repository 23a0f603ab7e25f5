"""Random programs whose surroundings change around compilation: what Numba froze, and bodies that it chose itself.

A program has a compiled function ``f(x)`` that reads global and captured numbers, tuples and arrays, by itself and
through callees, some of them overloaded stubs whose Python text says something else; and `events`, statements that call
it, differentiate it, rebind what it reads, write into arrays and compile anew. Whenever it is differentiated the value
and the gradient are those of the compiled function as it is called at that moment, or, if something was changed, there
is an error.
"""

import random
import sys
import warnings
from pathlib import Path

import morula

from .check import Verdict, limited, quiet
from .numeric_check import NUMBERS, Skipped, first_line, load

X = 0.7
STEP = 1e-6
RTOL = 1e-6
HEAD = """import math
from types import SimpleNamespace
import numpy as np
from numba import njit
from numba.extending import overload, register_jitable
"""


def program(seed: int) -> str:
    """The text of one program; the same for the same seed."""
    rng = random.Random(f"frozen {seed}")
    number = lambda: rng.choice(["2.0", "-1.5", "0.25", "3", "-0.0", "0.5"])
    array = lambda: f"np.array([{number()} + 0.5, {number()} + 0.5])"
    lines = [HEAD, f"A = {number()}", f"B = ({number()}, {number()})", f"C = {array()}", f"FLAG = {rng.random() < 0.5}"]
    reads = ["A", "B[0]", "B[1]", "C[0]", "C[1]", "C.sum()", "(1.5 if FLAG else -0.5)", "math.copysign(1.0, A)"]
    term = lambda v, own: rng.choice(
        [f"{v} * {rng.choice(own)}", f"math.sin({v} + {rng.choice(own)})", f"{v} ** 2 - {rng.choice(own)}"]
    )
    callees = []
    for name in rng.sample(["g", "h", "stub"], rng.randint(0, 3)):
        if name == "stub":
            lines += [
                f"def stub(x):\n    return {term('x', reads)}",
                f"@overload(stub)\ndef _stub(x):\n    def body(x):\n        return {term('x', reads)}\n    return body",
            ]
        else:
            head = rng.choice(["@njit", "@register_jitable", "@njit(inline='always')"])
            lines.append(f"{head}\ndef {name}(x):\n    return {term('x', reads)}")
        callees.append(name)
    lines.append("@njit\ndef other(x):\n    return 0.3 * x * x")
    captures = rng.random() < 0.6
    own = [*reads, *(["k", "c[0]", "c[1]"] if captures else [])]
    body = ["total = 0.0", f"for i in range({rng.randint(1, 3)}):", f"    total += {term('x', own)}"]
    body += [f"total += {callee}(x + {rng.choice(own)})" for callee in callees]
    body += [f"return total * {rng.choice(own)} + {term('x', own)}"]
    options = rng.choice(["", "", "(fastmath=True)", "('f8(f8)')", "(error_model='numpy')"])
    defined = [f"@njit{options}", "def f(x):", *[f"    {line}" for line in body]]
    changes = ["A = {n}", "B = ({n}, {n})", "C = {a}", "C[0] = {n}", "C[1] += {n}", "FLAG = not FLAG"]
    changes += [f"{callee} = other" for callee in callees if callee != "stub"]
    if captures:
        lines.append(f"def make(k, c):\n    {'{}'.format(chr(10) + '    ').join(defined)}")
        lines.append("    def change(value):\n        nonlocal k\n        k = value\n    return f, change")
        lines.append(f"own = {array()}\nf, change = make({number()}, own)")
        changes += ["change({n})", "own[0] = {n}", "own[1] -= {n}"]
    else:
        lines.append("\n".join(defined))
    events = []
    for _ in range(rng.randint(3, 7)):
        kind = rng.choice(["call", "judge", "change", "change", "compile"])
        change = rng.choice(changes).replace("{a}", array())
        while "{n}" in change:
            change = change.replace("{n}", number(), 1)
        events.append({"call": "f(0.7)", "judge": "judge()", "change": change, "compile": "f.recompile()"}[kind])
    return "\n".join([*lines, f"events = {[*events, 'judge()']!r}", ""])


def check(source: str, folder: Path) -> Verdict:
    """Run the events of one program, and judge each derivative."""
    filename = folder / f"frozen_{next(NUMBERS)}.py"
    filename.write_text(source, encoding="utf-8")
    refused: list[str] = []
    try:
        with quiet(), limited(120.0):
            module = load(filename)
            space = vars(module)
            space["judge"] = lambda: refused.extend(judged(module.f))
            changed = False
            for event in module.events:
                changed |= event not in ("f(0.7)", "judge()", "f.recompile()")
                try:
                    exec(event, space)
                    assert changed or not refused, f"refused though nothing has changed: {refused}"
                except AssertionError as wrong:
                    return Verdict("wrong", f"{wrong}, at {event} of {module.events}")
    except Skipped as skipped:
        return Verdict("skipped", skipped.why)
    except Exception as error:
        return Verdict("wrong", f"raised {type(error).__name__}: {first_line(error)}")
    finally:
        sys.modules.pop(filename.stem, None)
        filename.unlink()
    return Verdict("refused", refused[0]) if refused else Verdict("right")


def judged(f: object) -> list[str]:
    """Compare the derivative of a compiled function with its differences now; why it was refused, where it was."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = morula.withgradient(f, X)
        except morula.NotDifferentiable as refusal:
            return [first_line(refusal)]
    plain = f(X)
    slope = (f(X + STEP) - f(X - STEP)) / (2 * STEP)
    assert abs(found.value - plain) <= 1e-12 * max(1.0, abs(plain)), f"value {found.value}, plainly {plain}"
    got = found.gradient[0] or 0.0
    assert abs(got - slope) <= RTOL * max(1.0, abs(slope)), f"gradient {got}, by differences {slope}"
    return []
