"""``python -m tests.real [PACKAGE ...]``: which calls of packages from the index have right gradients.

Each package runs in a process of its own; one that is not installed is left out. Needs the ``real`` extra. Prints what
is not right. With ``--write`` the rows of these packages in the table of ``docs/packages.md`` are made anew.

The exit status is 1 if a gradient is wrong, a call crashes or a call is refused that is not expected to be.
"""

import argparse
import importlib.metadata
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PACKAGES = sorted(p.stem for p in (HERE / "packages").glob("*.py") if p.stem != "__init__")
LIMIT = 300  # seconds for a package


def outcomes(name: str, calls: list[str]) -> list[dict[str, Any]]:
    """What became of the calls of a package, in a process of its own."""
    command = [sys.executable, "-m", "tests.real.check", name, *calls]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=HERE.parent.parent)
        output, end = done.stdout, (done.stderr[-2000:] if done.returncode else "")
    except subprocess.TimeoutExpired as error:
        output, end = (error.stdout or b"").decode(), f"more than {LIMIT} s"
    found = [json.loads(line[1:]) for line in output.splitlines() if line.startswith("\0")]
    if end:
        kind = "missing" if "ModuleNotFoundError" in end else "crash"
        found.append({"call": "the package", "kind": kind, "why": end})
    return found


PAGE = """# Packages

Functions of packages from the index, called as their own documentation calls them, each compared with central
differences. `python -m tests.real --write` makes this page. {right} of {calls} calls have right gradients; the others
are refused, for the reason in the table.

| package | version | right | refused |
|---|---|---|---|
{rows}
"""


def page(before: str, everything: dict[str, list[dict[str, Any]]]) -> str:
    """The page of the documentation, as it was `before` but for some packages."""
    rows = dict(re.findall(r"^\| ([^ |]+) (\| .*) \|$", before, re.M))
    rows.pop("package", None)
    for name, found in everything.items():
        tried = [o for o in found if o["kind"] in ("right", "refused")]
        right = sum(o["kind"] == "right" for o in tried)
        reasons: dict[str, list[str]] = {}
        for o in tried:
            if o["kind"] == "refused":
                reasons.setdefault(reason_of(o["why"]), []).append(f"`{o['call']}`")
        refused = "; ".join(f"{', '.join(which)}: {reason}" for reason, which in reasons.items())
        rows[name] = f"| {version_of(name)} | {right} of {len(tried)} | {refused}"
    counts = [tuple(map(int, count)) for count in re.findall(r"\| (\d+) of (\d+) \|", "\n".join(rows.values()))]
    right, calls = map(sum, zip(*counts, strict=True))
    text = "\n".join(f"| {name} {rows[name]} |" for name in sorted(rows))
    return PAGE.format(right=right, calls=calls, rows=text)


def reason_of(message: str) -> str:
    """A refusal in a few words."""
    fact = message.splitlines()[0].split(": ", 1)[1]
    no_rule = fact.partition(" was given active values, and there is no rule for it")
    return (f"no rule for `{no_rule[0]}`" if no_rule[1] else fact.partition(";")[0][:120]).replace("|", "\\|")


def version_of(name: str) -> str:
    """The version of an installed package, by the name under which it is imported."""
    names = importlib.metadata.packages_distributions().get(name, [])
    return importlib.metadata.version(names[0]) if names else ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.real", description=__doc__)
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--calls", nargs="*", default=[])
    parser.add_argument("--json", type=Path, help="a file for all outcomes")
    parser.add_argument("--write", action="store_true", help="the table of the documentation")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    everything = {}
    for name in options.packages:
        found = everything[name] = outcomes(name, options.calls)
        counts = Counter(o["kind"] for o in found)
        total += counts
        print(f"{name}: {', '.join(f'{n} {kind}' for kind, n in counts.items())}", flush=True)
        for o in found:
            if o["kind"] != "right":
                print(f"  {o['kind']} {o['call']}: {o['why'].strip()}".replace("\n", "\n    "), flush=True)
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1))
    if options.write:
        path = HERE.parent.parent / "docs" / "packages.md"
        path.write_text(page(path.read_text("utf-8"), everything), "utf-8")
    print(", ".join(f"{n} {kind}" for kind, n in total.items()))
    return bool(total["wrong"] or total["crash"] or total["invalid"])


if __name__ == "__main__":
    sys.exit(main())
