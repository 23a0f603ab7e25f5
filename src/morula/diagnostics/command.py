"""The command line: ``python -m morula``."""

import argparse
import ast
import os
import runpy
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.diagnostics.verbs import explain, explaining
from morula.verbs.gradients import gradient
from morula.verbs.tools import code_adjoint

__all__ = ["main"]

EPILOG = "Arguments are Python expressions that may use the names that the script defines, and np: "
'"np.ones(3)", 2.5, data.'


def main(argv: Sequence[str]) -> int:
    """Do what a command line says; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m morula", description="Gradients of Python, explained.")
    parser.add_argument("--version", action="store_true", help="print the version")
    commands = parser.add_subparsers(dest="command")
    for name, text in (
        ("explain", "run a script, or one of its functions, and explain its derivatives"),
        ("check", "compare a gradient with finite differences"),
        ("show", "print the code that computes a derivative"),
    ):
        command = commands.add_parser(name, help=text, description=text, epilog=EPILOG)
        command.add_argument("target", help="script.py or script.py:function", metavar="script.py[:function]")
        command.add_argument("arguments", nargs="*", help="of the function")
        if name == "explain":
            command.add_argument("--html", metavar="PAGE", help="also write the report to an HTML file")
            command.add_argument("--memory", action="store_true", help="also measure peak memory (slower)")
    given = parser.parse_args(argv)
    if given.version:
        print(version())
        return 0
    if given.command is None:
        parser.print_help()
        return 2
    try:
        return {"explain": explain_command, "check": check_command, "show": show_command}[given.command](given)
    except BadTarget as error:
        print(f"python -m morula: {error}", file=sys.stderr)
        return 2


class BadTarget(Exception):
    """What was asked for is not there."""


def version() -> str:
    """The version of the package, and what it runs on."""
    package = sys.modules["morula"]
    return f"morula {package.__version__} (Python {sys.version.split()[0]}, NumPy {np.__version__})"


def loaded(target: str, name: str = "__morula__") -> tuple[dict[str, Any], str | None]:
    """What a script defines, and the function that is meant; the script's folder is on the path, as for Python."""
    path, _, function = target.partition(":") if not os.path.exists(target) else (target, "", "")
    if not os.path.exists(path):
        raise BadTarget(f"there is no file {path}")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    before = sys.argv
    sys.argv = [path]
    try:
        return runpy.run_path(path, run_name=name), function or None
    finally:
        sys.argv = before


def function_in(space: dict[str, Any], name: str | None) -> Callable:
    """The function, also an attribute: ``Model.loss``."""
    if name is None:
        raise BadTarget("name the function: script.py:function")
    first, *rest = name.split(".")
    if first not in space:
        raise BadTarget(f"the script defines no {first}")
    found = space[first]
    for part in rest:
        found = getattr(found, part)
    return found


def values(texts: Sequence[str], space: dict[str, Any]) -> list[Any]:
    """Arguments, given as Python expressions; lists of numbers are taken for arrays."""
    found = []
    for text in texts:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            value = eval(text, {"np": np, **space})
        found.append(np.array(value, float) if isinstance(value, list) else value)
    return found


def explain_command(given: argparse.Namespace) -> int:
    """``explain``: the whole script is watched, a function without arguments likewise."""
    if ":" not in given.target or os.path.exists(given.target):
        with explaining(memory=given.memory) as report:
            loaded(given.target, "__main__")
    else:
        space, name = loaded(given.target)
        f = function_in(space, name)
        args = values(given.arguments, space)
        if args and not given.memory:
            report = explain(f, *args)
        else:
            with explaining(memory=given.memory) as report:
                gradient(f, *args) if args else f()
    if report.runs == 0 and not report.tier:
        print("no derivative was taken")
    else:
        print(report)
    if given.html:
        report.save(given.html)
    return 0


def check_command(given: argparse.Namespace) -> int:
    """``check``: status 1 where the gradient and finite differences are apart."""
    from chainrules.testing import check_gradient

    space, name = loaded(given.target)
    f = function_in(space, name)
    args = values(given.arguments, space)
    try:
        check_gradient(f, lambda *args: gradient(f, *args), *args)
    except AssertionError as error:
        print(error)
        return 1
    print(f"{name}: the gradient agrees with finite differences")
    return 0


def show_command(given: argparse.Namespace) -> int:
    """``show``: `morula.code_adjoint`."""
    space, name = loaded(given.target)
    print(code_adjoint(function_in(space, name), *values(given.arguments, space)))
    return 0
