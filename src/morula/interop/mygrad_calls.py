"""Calls of MyGrad with active values, which are refused: its code is Python, but its tensors are its own business."""

from __future__ import annotations

from typing import Any

import mygrad

from morula.eager.calls.registry import no_rule, where_active
from morula.eager.context.protocol import Context

Tensor = mygrad.Tensor


def refuse(f: Any) -> None:
    """Raise where something active reaches a call of `f`."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Any:
        raise no_rule(f, *args)

    where_active(f)(handler)


for f in (Tensor.__init__, Tensor._op.__func__, Tensor._in_place_op, mygrad.tensor, mygrad.astensor):
    refuse(f)
