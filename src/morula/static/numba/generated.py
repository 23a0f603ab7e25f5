"""How generated text becomes a function whose source tracebacks, debuggers and the front can read."""

import linecache
from typing import Any


def defined(text: str, name: str, filename: str, space: dict[str, Any]) -> Any:
    """What a text defines under a name.

    Args:
        text: Python.
        name: of the function.
        filename: what the text is known by, in angle brackets.
        space: the names that it may use; it gets those that it defines.

    >>> defined("def f(x): return x + one", "f", "<example>", {"one": 1})(2)
    3
    """
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), space)
    return space[name]
