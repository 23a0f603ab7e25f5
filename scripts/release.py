"""Build the source archive and the wheel, and check them as those will who get them.

    pip install -e ".[release]"
    python scripts/release.py            writes dist/; `--tests all` runs every test of the archive, not the quick ones

The archive and the wheel are built by `python -m build`, the wheel from the archive; `twine check` reads their
metadata. The wheel must hold both packages, the plugin of pytest, the mark of typed packages and the licence, and
nothing else. It is installed in a fresh environment, where the tests of the unpacked archive run against it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
NEEDED = (
    "morula/py.typed",
    "chainrules/py.typed",
    "morula/__init__.py",
    "chainrules/__init__.py",
    "pytest_chainrules.py",
)
SHIPPED = ("LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "mkdocs.yml", "tests/conftest.py", "docs/index.md")


def call(*command: object, cwd: Path = ROOT, **environment: str) -> None:
    print("--", *command, flush=True)
    plain = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    subprocess.run([str(part) for part in command], cwd=cwd, check=True, env={**plain, **environment})


def built() -> tuple[Path, Path]:
    """The archive and the wheel, and nothing of an earlier build beside them."""
    for old in DIST.glob("morula-*"):
        old.unlink()
    call(sys.executable, "-m", "build", "--outdir", DIST)
    (archive,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    call(sys.executable, "-m", "twine", "check", "--strict", archive, wheel)
    return archive, wheel


def check_contents(archive: Path, wheel: Path) -> None:
    version = re.search(r'__version__ = "(.*)"', (ROOT / "src/morula/__init__.py").read_text(encoding="utf-8"))
    assert version is not None
    assert version[1] in archive.name and version[1] in wheel.name, "the version stands in one place"
    with zipfile.ZipFile(wheel) as file:
        inside = file.namelist()
    missing = [name for name in NEEDED if name not in inside]
    strange = [
        n for n in inside if not re.match(r"(morula|chainrules)/|pytest_chainrules\.py|morula-[^/]*\.dist-info/", n)
    ]
    unlicensed = not any(name.endswith("LICENSE") for name in inside)
    if missing or strange or unlicensed:
        raise SystemExit(f"the wheel lacks {missing}, has {strange}, licence {'missing' if unlicensed else 'there'}")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    if missing := [name for name in SHIPPED if name not in names]:
        raise SystemExit(f"the source archive lacks {missing}")


def check_installed(archive: Path, wheel: Path, tests: str) -> None:
    """The tests of the archive, against the installed wheel."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        venv.create(work / "venv", with_pip=True)
        python = work / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        call(python, "-m", "pip", "install", "--quiet", f"{wheel}[test]", cwd=work)
        with tarfile.open(archive) as tar:
            tar.extractall(work, filter="data")
        (unpacked,) = work.glob("morula-*")
        where = f"import morula, chainrules; assert morula.__file__.startswith({str(work / 'venv')!r}), morula.__file__"
        call(python, "-c", where, cwd=unpacked)
        chosen = [] if tests == "all" else ["-m", "quick", "tests/morula", "tests/chainrules"]
        call(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "auto", *chosen, cwd=unpacked)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tests", choices=["none", "quick", "all"], default="quick")
    options = parser.parse_args()
    archive, wheel = built()
    check_contents(archive, wheel)
    if options.tests != "none":
        check_installed(archive, wheel, options.tests)
    print(f"-- {archive.name} and {wheel.name} are in order")


if __name__ == "__main__":
    main()
