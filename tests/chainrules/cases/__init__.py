"""Where every rule of the library is checked, by topic: lists of ``(function, arguments, keywords)``.

A module offers `CASES`, and `UNVARIED` for functions whose derivative finite differences cannot see; all of
them are found here. `ELSEWHERE` are functions that have tests of their own, `LACKING` the
positions of arguments by which a rule has no derivative.
"""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from extent import part_of

MODULES = [import_module(f"{__name__}.{p.stem}") for p in sorted(Path(__file__).parent.glob("[a-z]*.py"))]
CASES = [case for module in MODULES for case in getattr(module, "CASES", [])]
UNVARIED = [case for module in MODULES for case in getattr(module, "UNVARIED", [])]
LACKING = {f: positions for module in MODULES for f, positions in getattr(module, "LACKING", {}).items()}
ELSEWHERE = {f for module in MODULES for f in getattr(module, "ELSEWHERE", ())}


def by_function(cases):
    """The cases of each function in a list of their own."""
    found: dict = {}
    for case in cases:
        found.setdefault(case[0], []).append(case)
    return list(found.values())


def name_of(case):
    f, args, kwargs = case
    shapes = ",".join(str(np.shape(a)) if isinstance(a, np.ndarray) else type(a).__name__ for a in args)
    return f"{getattr(f, '__qualname__', None) or getattr(f, '__name__', f)}({shapes}){sorted(kwargs) or ''}"


def some_of(cases, one_of):
    """Of each function every `one_of`-th case, and at least one; others each day (see `extent`)."""
    return [case for of in by_function(cases) for case in part_of(of, one_of)]


def each_function(cases, one_of=1):
    """A test of one case becomes one of each function, which tells of every case that fails."""

    lists = by_function(some_of(cases, one_of))

    def decorate(check):
        @pytest.mark.parametrize("of", lists, ids=lambda of: name_of(of[0]).partition("(")[0])
        def test(of):
            failed = []
            for case in of:
                try:
                    check(case)
                except Exception as error:
                    error.add_note(f"case {name_of(case)}")
                    failed.append(error)
            if len(failed) == 1:
                raise failed[0]
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(of)} cases", failed)

        test.__doc__ = check.__doc__
        return test

    return decorate
