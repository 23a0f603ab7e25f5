"""Which functions of Python and NumPy have derivatives, by name: pages of the site, from what is declared.

python scripts/coverage_pages.py numpy      prints one of them
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
from scipy_page import grouped

import morula  # noqa: F401  (it registers what it follows itself)
from chainrules.coverage import NAMESPACES, Status, named, public_callables, status_of
from morula.eager.calls.registry import INSTANCE_HANDLERS, STRUCTURAL, SUBSTITUTES

OWN = (STRUCTURAL, SUBSTITUTES, INSTANCE_HANDLERS)
FOLLOWED_FOR = (  # reasons why a rule could not, which do not bind the engine
    "engine follows", "engine's matter", "object of its own", "written in Python", "of the list that", "items of a set",
    "descriptor or a dispatcher",
)  # fmt: skip
KINDS = {"covered": "rule", "followed": "followed", "non-differentiable": "constant", "unsupported": "refused"}
HEAD = """# {title}, function by function

What becomes of the derivative of a call, for the public names of {version}. This page is generated from what the rules
and the engine declare; to look up one name: `python -m chainrules numpy.linalg.solve`.

| | |
|---|---|
| rule | a rule stands at the name; a class has rules at its methods |
| followed | the engine follows the call itself, with everything that it writes, or the Python code behind it |
| constant | the derivative is zero by definition |
| refused | an error says why, and what to call instead, where a derivative is needed; else the call is plain |
"""
SUMMARY = """# Coverage

How many public names of a namespace have a derivative. The pages list every one of them: [Python](python.md),
[NumPy](numpy.md), [SciPy](../chainrules/scipy.md). [Packages](../packages.md) has functions of some sixty packages from
the index, each run and compared with central differences.

"""


def status(f: object) -> Status:
    """As the rules declare it, or `followed` where the engine has a meaning of its own for `f`."""
    found = status_of(f)
    if found.kind != "unsupported":
        return found
    has_own = any(f in table for table in OWN if getattr(f, "__hash__", None))
    return Status("followed") if has_own or any(text in (found.reason or "") for text in FOLLOWED_FOR) else found


def statuses_of(namespace: str) -> dict[str, Status]:
    return {name: status(f) for name, f in public_callables(named(namespace))}


def page(title: str, version: str, namespaces: list[str]) -> str:
    lines = [HEAD.format(title=title, version=version)]
    for namespace in namespaces:
        lines.append(f"\n## {namespace}\n")
        for outcome, names in grouped(statuses_of(namespace)).items():
            kind, _, reason = outcome.partition(": ")
            said = f": {reason.removeprefix('it ')}" if reason else ""
            lines.append(f"**{kind}**{said}\n\n{' '.join(f'`{name}`' for name in names)}\n{{ .names }}\n")
    return "\n".join(lines) + "\n"


def summary() -> Iterator[str]:
    yield "| namespace | names | rule | followed | constant | refused |"
    yield "|---|--:|--:|--:|--:|--:|"
    for namespace in NAMESPACES:
        counts = Counter(KINDS.get(s.kind, s.kind) for s in statuses_of(namespace).values())
        numbers = " | ".join(str(counts[kind] or "") for kind in KINDS.values())
        yield f"| `{namespace}` | {counts.total()} | {numbers} |"


def pages() -> dict[str, str]:
    """Name of a page -> its text."""
    python = [name for name in NAMESPACES if not name.startswith(("numpy", "scipy"))]
    version = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    return {
        "index": SUMMARY + "\n".join(summary()) + "\n",
        "python": page("Python", version, python),
        "numpy": page("NumPy", f"NumPy {np.__version__}", [name for name in NAMESPACES if name.startswith("numpy")]),
    }


if __name__ == "__main__":
    print(pages()[sys.argv[1]])
