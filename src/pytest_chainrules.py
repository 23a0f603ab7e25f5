"""The pytest plugin: ``pytest --chainrules PACKAGE`` tests every rule that a package registers.

It is no part of the package `chainrules`, so that pytest can load it without importing that, and NumPy: it costs
nothing where it is not asked for.
"""

from __future__ import annotations

from typing import Any


def pytest_addoption(parser: Any) -> None:
    """The option, and the ini setting of the same meaning."""
    group = parser.getgroup("chainrules", "rules for differentiation")
    group.addoption(
        "--chainrules",
        action="append",
        default=[],
        metavar="PACKAGE",
        help="test every rule for differentiation that PACKAGE registers; may be repeated",
    )
    parser.addini("chainrules", "packages whose rules for differentiation are tested", type="args", default=[])


def pytest_configure(config: Any) -> None:
    """The rules of the packages join what is collected."""
    packages = [*config.getini("chainrules"), *config.getoption("--chainrules")]
    if packages:
        from chainrules.testing.items import plugin_for

        config.pluginmanager.register(plugin_for(packages), "chainrules rules")
