"""The bodies of parallel loops as functions: the text computes what it did."""

from itertools import count

import pytest

pytest.importorskip("numba")

from morula.static.numba.emit.outlined import outlined, parts_of

TEXT = """\
def f(x, seed):
    n = len(x)
    for i in prange(n):
        x[i] = x[i] * 2
    parts = parts_for(n)
    found = [0] * parts
    if parts > 1:
        for part in prange(parts):
            total = 0
            for i in range(part, n, parts):
                total += x[i] * seed  # line 3
            found[part] = total
    total = sum(found)
    parts_1 = parts_for(n)
    for part_1 in prange(parts_1):
        found[part_1] += total
    return total, found
"""


def run(text, *args):
    held = {"prange": range, "parts_for": lambda n: 2}
    exec(text, held)
    return held["f"](*args)


def test_the_text_computes_the_same():
    number = count()
    text = outlined(TEXT, "f", lambda base: f"{base}_{next(number)}")
    assert run(text, [1, 2, 3], 5) == run(TEXT, [1, 2, 3], 5)
    assert parts_of(text, "f") == ["f_part_0", "f_part_1"] and parts_of(TEXT, "f") == []
    assert "            f_part_0(part, n, parts, x, seed, found)\n    total = sum(found)\n" in text
    assert "def f_part_1(part_1, found, total):\n    found[part_1] += total\n" in text
    assert "  # line 3" in text and "    for i in prange(n):\n        x[i] = x[i] * 2\n" in text


def test_texts_without_parts_stay():
    text = "def f(n):\n    for i in prange(n):\n        g(i)\n"
    assert outlined(text, "f", str) is text
