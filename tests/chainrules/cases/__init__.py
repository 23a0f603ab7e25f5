"""Where every rule of the library is checked, by topic: lists of ``(function, arguments, keywords)``.

A module offers `CASES`, and `UNVARIED` for functions whose derivative finite differences cannot see; all of
them are found here. `ELSEWHERE` are functions that have tests of their own, `LACKING` the
positions of arguments by which a rule has no derivative.
"""

from importlib import import_module
from pathlib import Path

MODULES = [import_module(f"{__name__}.{p.stem}") for p in sorted(Path(__file__).parent.glob("[a-z]*.py"))]
CASES = [case for module in MODULES for case in getattr(module, "CASES", [])]
UNVARIED = [case for module in MODULES for case in getattr(module, "UNVARIED", [])]
LACKING = {f: positions for module in MODULES for f, positions in getattr(module, "LACKING", {}).items()}
ELSEWHERE = {f for module in MODULES for f in getattr(module, "ELSEWHERE", ())}
