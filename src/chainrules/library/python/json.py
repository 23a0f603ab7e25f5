"""The module `json`: text is a constant. Loaded when the program has imported it."""

from __future__ import annotations

import json

from ...declarations import non_differentiable

non_differentiable(
    json.dump, json.dumps, json.JSONEncoder.encode, json.JSONEncoder.iterencode, json.load, json.loads
)  # fmt: skip
