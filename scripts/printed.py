"""Write into the documents what their code prints: the ``text`` blocks that follow a ``python`` block.

    python scripts/printed.py docs/native.md

The tests compare the two; after a change of what is printed, look at the difference that this makes.
"""

import contextlib
import io
import linecache
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def printed(page: Path) -> str:
    """The text of a page with what its blocks print now."""
    text = page.read_text(encoding="utf-8")
    names: dict = {"__name__": "__main__"}
    parts, end = [], 0
    for found in BLOCK.finditer(text):
        code = found[1]
        if ">>>" in code:
            continue
        name = f"<{page.stem}_{text.count(chr(10), 0, found.start()) + 1}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, name, "exec"), names)
        if found[2] is not None:
            parts += [text[end : found.start(2)], out.getvalue()]
            end = found.end(2)
    return "".join([*parts, text[end:]])


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(printed(path), encoding="utf-8")
