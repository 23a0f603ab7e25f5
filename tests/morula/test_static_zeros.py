"""Ways back with fewer steps give the numbers of those that set each cotangent to zero."""

import random

import pytest

from morula.static.python.zeros import without_zeros

NAMES = ["d_a", "d_b", "d_c", "d_t1", "d_t2"]
READ = {"d_a", "d_b"}


def steps(rng, depth):
    """Random lines of a way back, loops and branches among them."""
    lines = []
    for _ in range(rng.randint(1, 6)):
        kind = rng.choice(["zero", "add", "add", "add", "set", "item", "if", "for"] if depth < 3 else ["add", "zero"])
        target, other = rng.sample(NAMES, 2)
        term = rng.choice([f"{other} * x", f"-{other}", other, f"{other} * (x - 2.0)", f"({other} if x > 1 else x)"])
        if kind == "zero":
            lines.append(f"{target} = {'d_c = ' if target != 'd_c' and rng.random() < 0.3 else ''}0.0")
        elif kind in ("add", "set"):
            lines.append(f"{target} {'=' if kind == 'set' else rng.choice(['+=', '-='])} {term}")
        elif kind == "item":
            lines.append(f"d_list[{rng.randint(0, 2)}] += {term}")
        elif kind == "if":
            lines += [f"if x > {rng.random() * 3:.2f}:", *[f"    {line}" for line in steps(rng, depth + 1)]]
            if rng.random() < 0.6:
                lines += ["else:", *[f"    {line}" for line in steps(rng, depth + 1)]]
        else:
            lines += ["for x in reversed(turns):", *[f"    {line}" for line in steps(rng, depth + 1)]]
    return lines


def run(lines):
    space = {"x": 1.5, "turns": [0.5, 2.5], "d_list": [0.0] * 3, **dict.fromkeys(NAMES, 0.0)}
    exec("\n".join(lines), space)
    return space["d_a"], space["d_b"], space["d_list"]


@pytest.mark.parametrize("seed", range(300))
def test_the_numbers_stay(seed):
    lines = [f"{' = '.join(NAMES)} = 0.0", *steps(random.Random(seed), 0)]
    fewer = without_zeros(lines, READ)
    assert run(fewer) == run(lines), "\n".join(["", *lines, "", *fewer])
    assert len(fewer) <= len(lines) + lines.count("else:")  # a branch with one way left is told to pass


def test_loops_and_branches_set_nothing_to_zero():
    lines = [
        "d_f = d_a = 0.0", "d_a += seed", "for t, x in reversed(turns):", "    d_f -= d_a * 2.0", "    d_f += d_a",
        "    if t:", "        d_x += d_f * x", "        d_f = 0.0", "    else:", "        d_f = 0.0", "d_a = 0.0",
    ]  # fmt: skip
    assert without_zeros(lines, {"d_x"}) == [
        "d_a = seed", "for t, x in reversed(turns):", "    d_f = -d_a * 2.0 + d_a", "    if t:",
        "        d_x += d_f * x",
    ]  # fmt: skip
