"""Programs of the methods of lists, dicts, deques and sets, drawn one after the other; for `plain`, which judges them.

Each container may have a second name, stand in another one, be handed to functions, and change in loops and branches.
"""

from __future__ import annotations

import random

HEAD = """import bisect, heapq, itertools
from collections import deque
K = 0.7
def tot(v):
    s = 0.0
    for k, w in enumerate(v):
        s = s + (k + 1) * w
    return s
def last(v):
    v.append(v[0] * 0.5)
    return v[-1]
def put(v, k, w):
    v[k] = w
    return v
"""
# What is read, by the kind of container it reads; {L} and {d} are one of two names each, {a} is a number.
READS = {
    "": ("x", "y", "s * 0.5", "x * y", "{a} + 0.1", "0.4"),
    "L": (
        "{L}[0] * {a}", "{L}[-1]", "max({L})", "sum({L})", "tot({L})", "{L}[len({L}) // 2]", "min({L}) + {a}",
        "tot({L}[1:])", "tot({L}[::-1])", "len({L}) * {a}", "tot(sorted({L}))", "tot(reversed({L}))",
        "sum(v * {a} for v in {L} if v > 0.2)", "last({L})",
    ),
    "i": ("{L}[{i}]", "{i} * {a}", "{L}[{i} - 1]"),
    "d": (
        '{d}["a"]', '{d}.get("b", {a})', '{d}.get("z", {a})', "sum({d}.values())", "tot({d}.values())",
        "sum(v * len(k) for k, v in {d}.items())", "max({d}.values())", "{d}[max({d}, key={d}.get)]",
        '({a} if "b" in {d} else y)', "len({d}) * x",
    ),
    "q": ("q[0]", "q[-1] * 0.5", "sum(q)", "tot(q)"),
    "R": ("R[0][1]", "R[-1][0]", "sum(tot(r) for r in R)", "tot(R[1])"),
    "S": ("len(S) * x", "(x if 2 in S else y)", "sum(v * x for v in sorted(S))"),
}  # fmt: skip
# What is changed; {v} and {w} are numbers, {at} is an index, {k} a key.
CHANGES = {
    "L": (
        "{L}.append({v})", "{L}.append({v})", "{L}.extend([{v}, {w}])", "{L}.insert({at}, {v})", "{L}.reverse()",
        "s += {L}.pop() if len({L}) > 2 else 0.1", "s += {L}.pop(0) if len({L}) > 2 else y", "{L}.sort()",
        "{L}.sort(key=lambda v: -v)", "{L}[{at}] = {v}", "{L}[{at}] *= {v}", "{L}[{at}] += {v}", "{L} = {L} + [{v}]",
        "{L} += [{v}]", "{L} = {L}[:]", "M = L", "M = list(L)", "L = M", "L, M = M, L", "{L}[1:2] = [{v}, {w}]",
        "{L} = [v * {v} for v in {L}]", "{L} = [v for v in {L} if v < {v}] or [x]", "{L} = sorted({L})",
        "{L}[0], {L}[-1] = {L}[-1], {L}[0]", "{L} = {L}[:3]", "put({L}, 0, {v})", "{L} = {L}.copy()",
        "bisect.insort({L}, {v})", "{L} = list(itertools.accumulate({L}))", "{L} = {L} * 2", "{L}.remove({L}[0])",
        "s += {L}.index({L}[1]) * {v}", "heapq.heapify({L})", "heapq.heappush({L}, {v})", "{L} = [x, *{L}]",
        "a_, *{L} = [{v}, x, *{L}]", "{L} = put({L}, -1, {v})",
    ),
    "d": (
        "{d}[{k}] = {v}", "{d}[{k}] = {d}.get({k}, 0.0) + {v}", '{d}["a"] *= {v}', "s += {d}.setdefault({k}, {v})",
        's += {d}.pop("b", {v})', "{d}.update({{{k}: {v}}})", "e = d", "e = dict(d)", "{d}.update(b={v})",
        "{d} = {{k: w * {v} for k, w in {d}.items()}}", "d, e = e, d", "{d} = {{**{d}, {k}: {v}}}",
        "for k_ in {d}:\n    s = s + {d}[k_]", "for k_ in list({d}):\n    {d}[k_] = {d}[k_] * {v}",
        "for k_, w_ in {d}.items():\n    s = s * 0.5 + w_", '{d} = dict(zip(["a", "b"], [{v}, {w}]))',
        "{d} = dict(sorted({d}.items(), key=lambda t: t[1]))", "{d} = {d}.copy()",
    ),
    "q": (
        "q.append({v})", "q.appendleft({v})", "s += q.popleft() if len(q) > 1 else x", "q.rotate(1)",
        "q.extend([{v}, {w}])", "s += q.pop() if len(q) > 1 else y", "q[0] = {v}",
    ),
    "R": (
        "R.append([{v}, {w}])", "R[0][1] = {v}", "R[1] = R[0]", "R[-1].append({v})", "R.append(L)", "R[0] = [{v}, {w}]",
        "R = R[::-1]", "R = [r[:] for r in R]", "L = R[0]", "R.sort(key=lambda r: r[0])", "R[0], R[1] = R[1], R[0]",
        "for r in R:\n    r[0] = r[0] * {v}", "for a_, b_, *_ in R:\n    s += a_ * b_",
    ),
    "S": ("S.add(2)", "S.discard(1)", "S.add({i})", "S |= {{4, 5}}", "S = S - {{1}}", "S.update([len(S), len(S) + 4])"),
}  # fmt: skip
BEGINNINGS = {
    "L": ("L, M = [x, 0.5, y], [y, x * 0.5]", "L, M = [x, 0.5, y], [0.2] * 2", "L = [x, 0.5, y]\nM = L"),
    "d": ('d = {"a": x, "b": 0.4}\ne = d', 'd, e = {"a": x, "b": 0.4}, {"a": y}', 'd, e = {"a": x}, {"a": y, "c": x}'),
    "q": ("q = deque([x, 0.2])",),
    "R": ("R = [[x, y], [0.3, x]]",),
    "S": ("S = {1, 3}",),
}
ENDS = {
    "L": "tot(L) + tot(M)",
    "d": "sum(d.values()) - sum(e.values())",
    "q": "tot(q)",
    "R": "R[0][0] * 0.5",
    "S": "len(S)",
}


class MethodsWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        shares = {"d": 0.5, "q": 0.25, "R": 0.2, "S": 0.15}
        self.kinds = ["L", *[kind for kind, share in shares.items() if rng.random() < share]]

    def pick(self, *of: str) -> str:
        return self.rng.choice(of)

    def names(self, i: str | None) -> dict[str, str]:
        return {
            "L": self.pick("L", "M"), "d": self.pick("d", "e"), "a": self.pick("x", "y", "s", "0.3", "K"),
            "at": self.pick("0", "-1", "1", i or "1"), "k": self.pick('"a"', '"b"', '"c"', "len(L)", i or '"a"'),
            "i": i or "3",
        }  # fmt: skip

    def number(self, i: str | None) -> str:
        ways = [way for kind in ("", *self.kinds, *(["i"] if i else [])) for way in READS[kind]]
        return self.rng.choice(ways).format(**self.names(i))

    def change(self, i: str | None) -> list[str]:
        way = self.rng.choice(CHANGES[self.rng.choice(self.kinds)])
        return way.format(v=self.number(i), w=self.number(i), **self.names(i)).split("\n")

    def block(self, depth: int, i: str | None) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(1, 3)):
            how = self.rng.random()
            if how < 0.15 and depth:
                name = f"i{depth}"
                lines += [f"for {name} in range({self.pick('2', '3')}):", *indented(self.block(depth - 1, name))]
            elif how < 0.25 and depth:
                test = self.pick("s > 0.3", "x < y", "len(L) > 3", f"{self.number(i)} > {self.number(i)}")
                lines += [f"if {test}:", *indented(self.block(depth - 1, i))]
                if self.rng.random() < 0.4:
                    lines += ["else:", *indented(self.block(depth - 1, i))]
            elif how < 0.3 and depth:
                lines += ["while len(L) > 3:", "    s += L.pop()"]
            elif how < 0.45:
                lines.append(f"s {self.pick('=', '+=')} {self.number(i)}")
            else:
                lines += self.change(i)
        return lines

    def program(self) -> str:
        body = ["s = 0.1", *[line for kind in self.kinds for line in self.rng.choice(BEGINNINGS[kind]).split("\n")]]
        for _ in range(self.rng.randint(1, 3)):
            body += self.block(2, None)
        end = f"return {' + '.join(['s', *[ENDS[kind] for kind in self.kinds]])}"
        lines = [*HEAD.splitlines(), "def program(x, y):", *indented([*body, end])]
        for name in ("first", "second"):
            lines.append(f"{name} = ({self.rng.uniform(-1, 1):.3f}, {self.rng.uniform(-1, 1):.3f})")
        return "\n".join(lines) + "\n"


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]
