"""The builtins that autograd wraps: Python's own, since values are plain here."""

from builtins import dict, isinstance, list, tuple, type  # noqa: UP029

__all__ = ["dict", "isinstance", "list", "tuple", "type"]
