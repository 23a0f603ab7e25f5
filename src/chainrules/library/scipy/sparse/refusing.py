"""Refusing calls of Python functions that an engine would follow otherwise. Declares nothing."""

from __future__ import annotations

from typing import Any

from ....declarations import unsupported
from ....programs import program
from ....tangents import NotImplementedDerivative


def refuse(f: Any, reason: str) -> None:
    """Refuse calls of ``f`` that something active reaches; the reason goes on after "it"."""
    unsupported(reason, f)

    @program(f)
    def refused_program(config: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedDerivative(f"it {reason}")


def named(module: Any, names: str) -> list[Any]:
    """What a module has of these names."""
    return [getattr(module, name) for name in names.split() if hasattr(module, name)]
