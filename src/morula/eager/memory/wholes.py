"""The shadows of arrays that have no cotangent as a whole: those of records, and those of objects."""

from typing import Any

from morula.errors import NotDifferentiable


class RecordsShadow:
    """The shadow of an array of records, some of which has a derivative. What is not done field by field is refused."""

    __slots__ = ("buffer",)
    overlaps = False

    def __init__(self, buffer: Any):
        self.buffer = buffer

    def __getattr__(self, name: str) -> Any:
        raise NotDifferentiable(
            "an array of records that holds active values is used as a whole; use its fields, one at a time"
        )


class ObjectsShadow:
    """The shadow of an array of objects. What is not done element by element is refused."""

    __slots__ = ("buffer",)
    overlaps = False

    def __init__(self, buffer: Any):
        self.buffer = buffer

    def __getattr__(self, name: str) -> Any:
        raise NotDifferentiable(
            "an array of objects that holds active values is used as a whole; use .astype(float), or its elements"
        )
