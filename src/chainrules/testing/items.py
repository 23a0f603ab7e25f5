"""Rules as pytest's items. Only pytest imports this, see ``pytest_chainrules``."""

from __future__ import annotations

from typing import Any

from .collect import RuleTest, rule_tests

__all__ = ["plugin_for"]


def plugin_for(packages: list[str]) -> Any:
    """A pytest plugin whose items are the rules of these packages, which are imported when tests are collected.

    Args:
        packages: their names.
    """
    import pytest  # who calls this has it already

    class RulesOf(pytest.Collector):
        def collect(self) -> list[Any]:
            return [RuleItem.from_parent(self, name=test.name, test=test) for test in rule_tests(self.name)]

    class RuleItem(pytest.Item):
        def __init__(self, *, test: RuleTest, **rest: Any) -> None:
            super().__init__(**rest)
            self.test = test

        def runtest(self) -> None:
            self.test.run()

        def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
            if isinstance(excinfo.value, AssertionError):  # it says all; the frames are the tools' own
                return str(excinfo.value)
            return super().repr_failure(excinfo, style)

        def reportinfo(self) -> tuple[Any, int | None, str]:
            rule = self.test.rule
            return (self.path, None, self.name) if rule is None else (rule.file, rule.line - 1, self.name)

    class Rules:
        @pytest.hookimpl(tryfirst=True)  # so that options like -k see them
        def pytest_collection_modifyitems(self, session: Any, items: list[Any]) -> None:
            for package in packages:
                parent = RulesOf.from_parent(session, name=package, nodeid=f"chainrules:{package}")
                items += parent.collect()

    return Rules()
