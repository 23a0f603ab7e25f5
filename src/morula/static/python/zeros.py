"""Cotangents that are known to be zero: what is added to them first is what they are, and nobody sets them to zero."""

from __future__ import annotations

import re

from morula.static.python.plain_classes import dataclass

__all__ = ["without_zeros"]

NAME = re.compile(r"\b[A-Za-z_]\w*\b")
STEP = re.compile(r"(d_\w+) (=|\+=|-=) (.*)")
ZERO = "0.0"


@dataclass()
class Line:
    """A line with what stands indented under it, or a step ``target op text`` of a number's cotangent."""

    text: str
    body: list[Line]
    target: str = ""
    op: str = ""
    is_first: bool = False  # of what is added to zero

    def names(self) -> set[str]:
        """The names that are read; in a line that is no step, also those that are written."""
        return {*NAME.findall(self.text), *([self.target] if self.op not in ("", "=") else [])}


Block = list[Line]


def without_zeros(lines: list[str], read: set[str]) -> list[str]:
    """Lines of a way back, in fewer steps.

    Args:
        lines: assignments, loops over what was kept, and branches; the names of cotangents begin with ``d_``.
        read: names that are read afterwards.

    >>> without_zeros(["d_x = d_y = 0.0", "d_x += y_bar * y", "d_x -= z_bar", "x_bar = d_x", "d_x = 0.0"], {"x_bar"})
    ['d_x = y_bar * y - z_bar', 'x_bar = d_x']
    """
    block = _parsed(lines)
    _begin(block, set())
    _drop(block, set(read))
    _join(block)
    return _written(block)


def _parsed(lines: list[str]) -> Block:
    block: Block = []
    stack = [(-1, block)]
    for line in lines:
        text = line.lstrip(" ")
        depth = len(line) - len(text)
        while depth <= stack[-1][0]:
            stack.pop()
        step = STEP.fullmatch(text)
        one = Line(step[3], [], step[1], step[2]) if step else Line(text, [])
        names = text.removesuffix(f" = {ZERO}").split(" = ")
        if text.endswith(f" = {ZERO}") and all(map(str.isidentifier, names)):
            stack[-1][1].extend([Line(ZERO, [], name, "=") for name in names])
            continue
        stack[-1][1].append(one)
        stack.append((depth, one.body))
    return block


def _begin(block: Block, zero: set[str], rewriting: bool = True) -> set[str]:
    """Make additions to what is zero assignments; given what is zero before a block, what is so after it."""
    zero = set(zero)
    before: set[str] = set()  # what is zero before a branch
    after: set[str] = set()
    for line in block:
        if line.op:
            if rewriting and line.op != "=" and line.target in zero:
                line.text = line.text if line.op == "+=" else f"-{_factor(line.text)}"
                line.op, line.is_first = "=", True
            (zero.add if line.op == "=" and line.text == ZERO else zero.discard)(line.target)
        elif line.text == "else:":
            zero = after & _begin(line.body, before, rewriting)
        elif line.text.startswith("for "):
            zero -= line.names()
            while not zero <= (turned := _begin(line.body, zero, rewriting=False)):
                zero &= turned
            _begin(line.body, zero, rewriting)
        elif line.body:
            before, after = zero, _begin(line.body, zero, rewriting)
            zero = before & after
        else:
            zero -= line.names()
    return zero


def _drop(block: Block, read: set[str], rewriting: bool = True) -> set[str]:
    """Leave out zeros that nobody reads; given the names that are read after a block, those that are read before it."""
    read = set(read)
    after, otherwise = read, read  # the names that are read after a branch, and before its other way
    kept: Block = []
    for i in range(len(block) - 1, -1, -1):
        line = block[i]
        had_body = bool(line.body)
        if line.op == "=" and line.target not in read and line.text == ZERO:
            continue
        if line.op == "=":
            read = (read - {line.target}) | line.names()
        elif line.text == "else:":
            after, otherwise = read, _drop(line.body, read, rewriting)
        elif line.text.startswith("for "):
            read = read | line.names()
            while not read >= (more := _drop(line.body, read, rewriting=False)):
                read |= more
            _drop(line.body, read, rewriting)
        elif line.body:
            if i + 1 == len(block) or block[i + 1].text != "else:":
                after = otherwise = read
            read = _drop(line.body, after, rewriting) | otherwise | line.names()
        else:
            read = read | line.names()
        if rewriting and not line.op and had_body and not line.body:  # nothing is left to do in it
            if line.text == "else:" or line.text.startswith("for ") or not (kept and kept[-1].text == "else:"):
                continue
            line.body = [Line("pass", [])]
        kept.append(line)
    if rewriting:
        block[:] = kept[::-1]
    return read


def _join(block: Block) -> None:
    """Compute the first two terms of a cotangent in one step."""
    i = 0
    while i < len(block):
        line = block[i]
        _join(line.body)
        j = _next(block, i) if line.is_first else None
        if j is None:
            i += 1
            continue
        more, first = block[j], f"({line.text})" if " if " in line.text else line.text
        if more.op == "-=":
            more.text = f"{first} - {_factor(more.text)}"
        elif line.text.startswith("-") and NAME.fullmatch(line.text[1:]):
            more.text = f"{_factor(more.text)} - {line.text[1:]}"
        else:
            more.text = f"{first} + {_factor(more.text)}"
        more.op = "="
        del block[i]


def _next(block: Block, i: int) -> int | None:
    """Where a step adds to what the step at `i` assigns, if that may as well be computed there."""
    names = NAME.findall(block[i].text)
    for j in range(i + 1, len(block)):
        line = block[j]
        if line.op and line.target == block[i].target:
            return j if line.op != "=" and line.target not in NAME.findall(line.text) else None
        touched = {line.target} if line.op else line.names()
        if line.body or touched.intersection(names) or block[i].target in line.names():
            return None
    return None


def _factor(text: str) -> str:
    return f"({text})" if text.startswith("-") or any(sign in text for sign in (" + ", " - ", " if ")) else text


def _written(block: Block) -> list[str]:
    lines: list[str] = []
    zeros: list[str] = []
    for line in [*block, Line("", [])]:
        if line.op == "=" and line.text == ZERO:
            zeros.append(line.target)
            continue
        if zeros:
            lines.append(f"{' = '.join(zeros)} = {ZERO}")
            zeros = []
        if line.op:
            lines.append(f"{line.target} {line.op} {line.text}")
        elif line.body:
            lines += [line.text, *[f"    {inner}" for inner in _written(line.body)]]
        elif line.text:
            lines.append(line.text)
    return lines
