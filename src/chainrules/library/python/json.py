"""The module `json`: numbers come back from the text that it makes. Loaded when the program has imported it."""

from __future__ import annotations

import json
from typing import Any

from ...programs import program
from ...tangents import NotImplementedDerivative


@program(json.dumps)
def dumps_program(config: Any, *args: Any, **named: Any) -> Any:
    """Refused where something active is in it."""
    raise NotImplementedDerivative(
        "it turns active values into text, and reading them back loses their derivative; to keep a record, pass "
        "constants: json.dumps(chainrules.ignore_derivatives(x))"
    )
