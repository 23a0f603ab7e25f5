"""``python -m chainrules``: which rules there are, for what types, and where each was written.

python -m chainrules                        the namespaces of the library, counted
python -m chainrules numpy.linalg           the names of a module or class, each with what is declared
python -m chainrules numpy.linalg.solve     the rules of one function
python -m chainrules lint [PACKAGE]         what is wrong with the rules of a package, or with all
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from .checks import TypeSpec
from .coverage import KINDS, NAMESPACES, Status, named, public_callables, status_of
from .rules import Rule

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status, 1 where a name is unknown or the lint finds something.

    >>> main(["math.sin"])  # doctest: +ELLIPSIS
    math.sin: covered
      reverse  any types                 ...math.py:...
      forward  any types                 ...math.py:...
    0
    """
    parser = argparse.ArgumentParser(
        prog="python -m chainrules", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="dotted names of modules, classes or functions; or: lint [PACKAGE]")
    names = parser.parse_args(argv).names
    if names[:1] == ["lint"]:
        return _lint(names[1:])
    if not names:
        _print_table()
        return 0
    status = 0
    for name in names:
        try:
            found = named(name)
        except LookupError as error:
            print(error, file=sys.stderr)
            status = 1
            continue
        (_print_names if _is_namespace(found, name) else _print_rules)(name, found)
    return status


def _is_namespace(found: Any, name: str) -> bool:
    return isinstance(found, ModuleType) or (isinstance(found, type) and name in NAMESPACES)


def _lint(packages: Sequence[str]) -> int:
    from .testing import lint

    findings = lint(*packages)
    for finding in findings:
        print(finding)
    print(f"{len(findings)} finding{'' if len(findings) == 1 else 's'}")
    return 1 if findings else 0


def _print_table() -> None:
    print(f"{'':32}" + "".join(f"{kind:>20}" for kind in KINDS))
    for name in NAMESPACES:
        counts = Counter(status_of(f).kind for _, f in public_callables(named(name)))
        print(f"{name:32}" + "".join(f"{counts[kind]:>20}" for kind in KINDS))


def _print_names(name: str, space: Any) -> None:
    print(f"{name}:")
    for short, f in public_callables(space):
        status = status_of(f)
        rules = len(status.rules) + len(status.of_instances)
        detail = f"{rules} rule{'' if rules == 1 else 's'}" if status.kind == "covered" else status.reason or ""
        if status.forward:
            detail += ", forward"
        print(f"  {short:28}{status.kind:20}{detail}")


def _print_rules(name: str, f: Any) -> None:
    status: Status = status_of(f)
    print(f"{name}: {status.kind}" + (f" ({status.reason})" if status.reason else ""))
    for what, rules in (
        ("reverse", status.rules),
        ("calls of instances", status.of_instances),
        ("forward", status.forward),
    ):
        for rule in rules:
            print(f"  {what:9}{_types(rule.types)}{_needs(rule):26}{_place(rule)}".rstrip())
    for types in status.opted_out:
        print(f"  opted out: {_types(types) if types else 'every call'}")


def _types(types: tuple[TypeSpec, ...]) -> str:
    return "(" + ", ".join(map(_type, types)) + ")" if types else "any types"


def _type(t: TypeSpec) -> str:
    return " | ".join(map(_type, t)) if isinstance(t, tuple) else t.__name__


def _needs(rule: Rule) -> str:
    return f" needs {', '.join(sorted(rule.needs))}" if rule.needs else ""


def _place(rule: Rule) -> str:
    """File and line, from where the user stands if that is shorter."""
    near = os.path.relpath(rule.file) if os.path.isabs(rule.file) else rule.file
    return f"{min(near, rule.file, key=len)}:{rule.line}"


if __name__ == "__main__":
    sys.exit(main())
