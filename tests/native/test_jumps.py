"""Jumps become flags: every program goes the way that it went, and ends with the value that it had."""

import ast
import itertools
import random

import pytest

pytest.importorskip("numba")

from morula.static.front.structured import structured


def control_flow(seed: int) -> str:
    """A function of nested branches, loops and jumps, which notes where it comes by."""
    rng = random.Random(seed)
    places = itertools.count()

    def block(depth: int, in_loop: bool, indent: str) -> list[str]:
        lines = []
        for _ in range(rng.randint(1, 3)):
            lines += statement(depth, in_loop, indent)
        return lines

    def statement(depth: int, in_loop: bool, indent: str) -> list[str]:
        kind = rng.random()
        inner = indent + "    "
        if depth == 0 or kind < 0.2:
            return [f"{indent}at({next(places)})"]
        if kind < 0.35:
            return [indent + rng.choice(["return at(-1)", *["break", "continue"] * in_loop])]
        if kind < 0.7:
            lines = [f"{indent}if choose():", *block(depth - 1, in_loop, inner)]
            if rng.random() < 0.5:
                lines += [f"{indent}else:", *block(depth - 1, in_loop, inner)]
            return lines
        if kind < 0.8:
            return [f"{indent}while choose():", *block(depth - 1, True, inner)]
        lines = [f"{indent}for i in range(at({next(places)}) % 3):", *block(depth - 1, True, inner)]
        if rng.random() < 0.4:
            lines += [f"{indent}else:", *block(depth - 1, in_loop, inner)]
        return lines

    return "\n".join(["def f(at, choose):", *block(4, False, "    "), "    return at(-2)"])


def outcome(f, seed: int):
    rng = random.Random(seed)
    seen = []

    def at(place):
        seen.append(place)
        return len(seen) * 7 + place

    def choose():
        seen.append("?")
        return len(seen) < 60 and rng.random() < 0.5

    return f(at, choose), seen


def run(tree: ast.Module):
    space: dict = {}
    exec(compile(ast.fix_missing_locations(tree), "<program>", "exec"), space)
    return space["f"]


def in_structured_form(source: str) -> ast.Module:
    tree = ast.parse(source)
    count = itertools.count()
    function = tree.body[0]
    body, has_value = structured(function.body, lambda base: f"{base}_{next(count)}", "result")
    assert has_value
    for node in ast.walk(ast.Module(body, [])):
        assert not isinstance(node, ast.Return | ast.Continue)
        assert not (isinstance(node, ast.For | ast.While) and node.orelse)
        if isinstance(node, ast.For | ast.While):
            jumps = [n for n in ast.walk(node) if isinstance(n, ast.Break)]
            inner = [n for m in ast.walk(node) if m is not node and isinstance(m, ast.For | ast.While)
                     for n in ast.walk(m) if isinstance(n, ast.Break)]  # fmt: skip
            assert len(jumps) - len(set(inner)) <= 1  # one exit, the last statement
    function.body = [*body, ast.Return(ast.Name("result", ast.Load()))]
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.For | ast.While) and not node.body:
            node.body = [ast.Pass()]
    return tree


@pytest.mark.parametrize("portion", range(10))
def test_control_goes_the_same_way(portion):
    for seed in range(portion * 200, portion * 200 + 200):
        source = control_flow(seed)
        plain, made = run(ast.parse(source)), run(in_structured_form(source))
        for choices in range(6):
            assert outcome(made, choices) == outcome(plain, choices), source
