"""Syntax trees from text, one thread at a time."""

import ast
import threading
from typing import Any

# Held while syntax trees are made and compiled: the interpreter's own code for that keeps one count of its depth for
# all threads (up to 3.12), and raises a SystemError where they meet.
one_at_a_time = threading.RLock()


def parsed(text: str, mode: str = "exec") -> Any:
    """What ``ast.parse`` makes of `text`.

    >>> ast.unparse(parsed("a  +b", "eval"))
    'a + b'
    """
    with one_at_a_time:
        return ast.parse(text, mode=mode)
