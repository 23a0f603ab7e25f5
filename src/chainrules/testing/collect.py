"""Every registered rule of a package as a test: what ``pytest --chainrules PACKAGE`` runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from .. import registry
from ..lookup import candidates, covered
from ..rules import Rule
from .calling import find_call, name_of
from .cases import Case, automatic_cases, cases_for
from .comparing import Unjudged
from .difference_config import FiniteDifferenceConfig
from .frule_test import test_frule
from .leaves import copied
from .lint import lint
from .rule_test import test_rrule

__all__ = ["RuleTest", "files_of", "is_within", "rule_tests"]

_MOST = 6  # automatic points that are tested


def files_of(package: str) -> tuple[Path, ...]:
    """The folders of a package, or the file of a module, which is imported.

    >>> [p.name for p in files_of("chainrules")]
    ['chainrules']
    """
    module = import_module(package)
    folders = getattr(module, "__path__", None)
    if folders is not None:
        return tuple(Path(p).resolve() for p in folders)
    file = getattr(module, "__file__", None)
    return (Path(file).resolve(),) if file else ()


def is_within(file: str, places: tuple[Path, ...]) -> bool:
    """Whether a file is one of these, or lies in one of these folders."""
    path = Path(file).resolve()
    return any(path == place or place in path.parents for place in places)


@dataclass(frozen=True, eq=False)
class RuleTest:
    """One rule, to be tested.

    Attributes:
        f: what it is for.
        rule: the rule; ``None`` for the lint of the whole package.
        forward: whether it is a forward rule.
        package: the name of the package.
    """

    f: Any
    rule: Rule | None
    forward: bool
    package: str

    @property
    def name(self) -> str:
        """How a list of tests shows it."""
        if self.rule is None:
            return "lint"
        types = ", ".join(
            "|".join(t.__name__ for t in (s if isinstance(s, tuple) else (s,))) for s in self.rule.types
        )  # fmt: skip
        return f"{'frule' if self.forward else 'rrule'}-{name_of(self.f)}({types}):{self.rule.line}"

    def run(self) -> None:
        """Test the rule at every declared point that it takes, or at points found automatically.

        Raises:
            AssertionError: where the rule is wrong, no declared point reaches it, or no point was found.
        """
        if self.rule is None:
            found = [str(f) for f in lint(self.package) if f.severity == "error"]
            assert not found, "\n".join(found)
            return
        declared = cases_for(self.f)
        if declared:
            mine = [case for case in declared if self._reaches(case)]
            assert mine, (
                f"no case declared for {name_of(self.f)} reaches its rule in {self.rule.file}:{self.rule.line}; "
                "add one with chainrules.testing.cases"
            )
            for case in mine:
                self._check(case)
        else:
            self._run_automatic(self.rule)

    def _run_automatic(self, rule: Rule) -> None:
        checked, excuse = 0, None
        for case in automatic_cases(self.f, rule):
            if not self._reaches(case):
                continue
            try:
                self._check(case)
                checked += 1
            except Unjudged as error:  # a kink, or the edge of the domain: not a good point
                excuse = error
            if checked == _MOST:
                break
        assert checked, (
            f"{name_of(self.f)}: no cases declared and none found automatically; say where its rule in "
            f"{rule.file}:{rule.line} is to be tested with chainrules.testing.cases"
        ) + (f"\n{excuse}" if excuse else "")

    def _check(self, case: Case) -> None:
        f = self._called(case)
        test = test_frule if self.forward else test_rrule
        test(f, *case.args, kwargs=case.kwargs, **case.options)

    def _called(self, case: Case) -> Any:
        if self.rule is not None and self.rule.instances:
            assert case.of is not None, (
                f"a case for calls of instances of {name_of(self.f)} needs one: Case(args, of=...)"
            )
            return case.of
        return self.f

    def _reaches(self, case: Case) -> bool:
        """Whether the rule is the one that takes this call."""
        if self.rule is not None and self.rule.instances and case.of is None:
            return False
        f = self._called(case)
        fitting = list(candidates(f, case.args, FiniteDifferenceConfig(), forward=self.forward))
        if self.forward or self.rule not in fitting:
            return fitting[:1] == [self.rule]
        try:
            return find_call(f, copied(case.args), case.kwargs).rule is self.rule
        except AssertionError:
            return False
        except Exception:  # some rule fails, perhaps this one: that is for the test to say
            return True


def rule_tests(package: str) -> Iterator[RuleTest]:
    """A test for each reverse and forward rule whose file lies in a package, and the lint of the package.

    Args:
        package: the name of a package or module. It is imported.
    """
    places = files_of(package)
    for f, rules in covered().items():
        yield from (RuleTest(f, r, False, package) for r in rules if is_within(r.file, places))
    for table in (registry.FORWARD_RULES, registry.FORWARD_INSTANCE_RULES):
        for f, rules in list(table.items()):
            yield from (RuleTest(f, r, True, package) for r in rules if is_within(r.file, places))
    yield RuleTest(None, None, False, package)
