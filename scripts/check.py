"""Every check of the project in one command: ``python scripts/check.py [--changed] [arguments of pytest]``.

Runs the linter, the formatter, the type checker and the tests with the interpreter it is started with, all of them
even if one fails. The exit status is 0 if all passed. Needs the ``test`` extra.

``--changed`` is for work in progress: of the tests it runs the quick ones, and all in those files that differ from the
main branch, or that name a module which does.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
}


def changed_files() -> list[Path]:
    """Files that differ from the main branch, committed or not."""
    commands = ["git diff --name-only --merge-base main", "git ls-files --others --exclude-standard"]
    outputs = [subprocess.run(x.split(), cwd=ROOT, check=True, capture_output=True, text=True).stdout for x in commands]
    return [ROOT / line for output in outputs for line in output.splitlines()]


def related_tests(changed: list[Path]) -> list[str]:
    """Test files that changed, import a changed module, or have its name or that of its room in theirs."""
    sources = [x for x in changed if "src" in x.parts and x.suffix == ".py"]
    modules = {x.stem for x in sources}
    names = modules | {x.parent.name for x in sources}
    imports = re.compile(rf"^(from|import) (morula|chainrules)\b.*\b({'|'.join(modules)})\b", re.MULTILINE)
    return [
        str(test.relative_to(ROOT))
        for test in sorted((ROOT / "tests").rglob("test_*.py"))
        if test in changed
        or names.intersection(test.stem.split("_"))
        or (modules and imports.search(test.read_text("utf-8")))
    ]


def main(arguments: list[str]) -> int:
    """Run what `arguments` ask for; the exit status."""
    checks = dict(CHECKS)
    if "--changed" in arguments:
        arguments = [x for x in arguments if x != "--changed"]
        checks["quick tests"] = ["pytest", "-m", "quick", *arguments]
        if related := related_tests(changed_files()):
            checks["related tests"] = ["pytest", "-m", "not quick", *related, *arguments]
    else:
        checks["tests"] = ["pytest", "-n", "auto", *arguments]
    failed = []
    for name, command in checks.items():
        print(f"-- {name}: {' '.join(command)}", flush=True)
        start = time.perf_counter()
        status = subprocess.run([sys.executable, "-m", *command], cwd=ROOT).returncode
        print(f"-- {name}: {'failed' if status else 'passed'} ({time.perf_counter() - start:.0f} s)", flush=True)
        if status:
            failed.append(name)
    print("-- all passed" if not failed else f"-- failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
