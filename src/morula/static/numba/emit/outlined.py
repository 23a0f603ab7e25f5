"""The parts of parallel loops as functions of their own.

for part in prange(parts):             for part in prange(parts):
    low, high = part_of(0, n, ...)         f_adjoint_part(part, parts, n, x, x_bar, seed)
    for i in range(low, high):
        x_bar[i] += seed * x[i]

Numba looks through the body of a parallel loop for reductions, arrays and more; it takes long, trips over sums in one
branch of an `if`, and there is nothing for it to find. A function it leaves alone.
"""

import ast
import re
from collections.abc import Callable
from textwrap import dedent, indent

from morula.transform.syntax import parsed

LOOP = re.compile(r"( *)for (\w+) in prange\((\w+)\):")


def outlined(text: str, name: str, fresh: Callable[[str], str]) -> str:
    """A generated text, where the body of each loop over parts is a function that follows.

    Args:
        text: of one function.
        name: of the function.
        fresh: makes names that are not in use.
    """
    parts = set(re.findall(r"^ *(\w+) = parts_for\(", text, re.MULTILINE))
    if not parts:
        return text
    stored = _stored(text)
    lines, found, functions = text.rstrip("\n").split("\n"), [], []
    while lines:
        found.append(lines.pop(0))
        header = LOOP.match(found[-1])
        if header is None or header[3] not in parts:
            continue
        body = []
        while lines and len(lines[0]) - len(lines[0].lstrip()) > len(header[1]):
            body.append(lines.pop(0))
        block = dedent("\n".join(body))
        given = [x for x in _loaded(block) if x in stored and x not in _stored(block) and x != header[2]]
        call = f"{fresh(f'{name}_part')}({', '.join([header[2], *given])})"
        found.append(f"{header[1]}    {call}")
        functions.append(f"def {call}:\n{indent(block, '    ')}")
    return "\n\n\n".join(["\n".join(found), *functions]) + "\n"


def parts_of(text: str, name: str) -> list[str]:
    """The names of the functions that the body of a function's parallel loops went to."""
    own = text_of(text, name)
    return [
        found for found in re.findall(r"^def (\w+)\(", text, re.MULTILINE) if re.search(rf"^ +{found}\(", own, re.M)
    ]


def text_of(text: str, name: str) -> str:
    """One function of a text."""
    return text[text.index(f"def {name}(") :].split("\ndef ")[0]


def _stored(text: str) -> set[str]:
    tree = parsed(text)
    arguments = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return arguments | {x.id for x in ast.walk(tree) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}


def _loaded(text: str) -> list[str]:
    """The names that are read, in the order of the text."""
    names = [x for x in ast.walk(parsed(text)) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load)]
    return list(dict.fromkeys(x.id for x in sorted(names, key=lambda x: (x.lineno, x.col_offset))))
