"""What docstrings need on their way to the site: an extension of Griffe, which reads them.

Examples become sessions of code, and entries of a section "Raises" that refer to another function ("As `gradient`.")
become sentences.
"""

import re

from griffe import Extension, Object

EXAMPLE = re.compile(r"(?:^|(?<=\n))( *)>>> .*?(?=\n[ ]*\n|\Z)", re.DOTALL)
RAISES = re.compile(r"^( *)Raises:\n((?:\1 +\S.*(?:\n|\Z))+)", re.MULTILINE)
ENTRY = re.compile(r"^ *[A-Z]\w+(?:, [A-Z]\w+)*: ")


def fenced(text: str) -> str:
    """`text` with a fence around each example; an example ends with an empty line."""
    return EXAMPLE.sub(lambda found: f"{found[1]}```pycon\n{found[0]}\n{found[1]}```", text)


def raising(found: re.Match[str]) -> str:
    """A section "Raises" whose references to other functions stand below it."""
    indent, lines = found[1], found[2].rstrip("\n").split("\n")
    depth = len(lines[0]) - len(lines[0].lstrip())
    entries: list[list[str]] = []
    for line in lines:
        if len(line) - len(line.lstrip()) == depth:
            entries.append([line])
        else:
            entries[-1].append(line)
    named = [line for entry in entries if ENTRY.match(entry[0]) for line in entry]
    others = [" ".join(line.strip() for line in entry) for entry in entries if not ENTRY.match(entry[0])]
    parts = [f"{indent}Raises:\n" + "\n".join(named) + "\n"] if named else []
    parts += [f"{indent}**Raises** {other[0].lower()}{other[1:]}\n" for other in others]
    return "\n".join(parts)


class Docstrings(Extension):
    """Rewrites every docstring after it was read."""

    def on_object(self, *, obj: Object, **_: object) -> None:
        """Rewrite that of one object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(RAISES.sub(raising, obj.docstring.value))
