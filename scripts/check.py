"""Every check of the project in one command: ``python scripts/check.py [arguments of pytest]``.

Runs the linter, the type checker and the tests with the interpreter it is started with, all of them even
if one fails. The exit status is 0 if all passed. Needs the ``test`` extra.
"""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
    "tests": ["pytest", "-n", "auto"],
}


def main(arguments: list[str]) -> int:
    failed = []
    for name, command in CHECKS.items():
        print(f"-- {name}: {' '.join(command)}", flush=True)
        start = time.perf_counter()
        more = arguments if name == "tests" else []
        status = subprocess.run([sys.executable, "-m", *command, *more], cwd=ROOT).returncode
        print(f"-- {name}: {'failed' if status else 'passed'} ({time.perf_counter() - start:.0f} s)", flush=True)
        if status:
            failed.append(name)
    print("-- all passed" if not failed else f"-- failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
