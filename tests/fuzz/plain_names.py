"""Programs in which an array or a list has two names, and something is written into it through one of them.

What is looked at (`SOURCES`), who else holds it (`HOLDERS`), and what is done to it (`WRITES`) are drawn independently;
for `plain`, which judges the programs.
"""

from __future__ import annotations

import random

HEAD = """import heapq
from collections import defaultdict, deque, namedtuple
from dataclasses import make_dataclass
import numpy as np

B = np.arange(9.0) * 0.1 + 0.1
M = np.arange(9.0).reshape(3, 3) * 0.1 + 0.1
K = 1
N = namedtuple("N", "v k")
class O:
    pass
class P:
    def __init__(self, v):
        self.v = v
    def get(self):
        return self.v
    @property
    def w(self):
        return self.v
class Q:
    def __init__(self):
        self.L = []
D = make_dataclass("D", ["v"])
def same(v):
    return v
def put(v, z):
    v[1] = z
def tot(v):
    s = 0.0
    for k in range(len(v)):
        s = s + (k + 1) * np.sum(v[k])
    return s
"""
# What makes it, and the expression that it is.
SOURCES = (
    ("a = B*x", "a"),
    ("a = np.array([x, y, x*y])", "a"),
    ("a = M*x", "a[0]"),
    ("a = B*x", "a[1:5]"),
    ("a = B*x", "a[::2]"),
    ("a = M*x", "a.T[0]"),
    ("a = M*x", "a[:, 1]"),
    ("a = M*x", "a.ravel()"),
    ("a = M*x", "a.reshape(-1)"),
    ("a = M*x", "a.T"),
    ("a = B*x", "np.asarray(a)"),
    ("a = B*x", "a[...]"),
    ("a = B*x\nb = a", "b"),
    ("a = M*x", "a"),
    ("a = np.zeros(4)\na[1] = x\na[2] = y", "a"),
    ("a = B*x", "a[::-1]"),
    ("a = B*x", "a.copy()"),
    ("a = M[:1]*x", "a.squeeze()"),
    ("a = M*x", "np.swapaxes(a, 0, 1)"),
    ("a = M*x", "np.diag(a).copy()"),
    ("a = [x, y, x*y]", "a"),
    ("a = [[x, y], [y, x]]", "a[1]"),
)
# How something else comes to hold ``{s}``, and the expression that it holds it by.
HOLDERS = (
    ("h = {s}", "h"),
    ("L = [{s}]", "L[0]"),
    ("L = [{s}, {s}]", "L[1]"),
    ("L = []\nL.append({s})", "L[0]"),
    ("L = []\nfor i in range(3):\n    L.append({s})", "L[1]"),
    ("t = ({s}, 1.0)", "t[0]"),
    ("h, k = {s}, 1.0", "h"),
    ('d = {{"k": {s}}}', 'd["k"]'),
    ('d = {{}}\nd["k"] = {s}', 'd["k"]'),
    ("d = {{}}\nfor i in range(2):\n    d[i] = {s}", "d[1]"),
    ("o = O()\no.v = {s}", "o.v"),
    ("o = P({s})", "o.v"),
    ("o = D({s})", "o.v"),
    ("o = N({s}, 2.0)", "o.v"),
    ("o = Q()\no.L.append({s})", "o.L[0]"),
    ("L = [[{s}]]", "L[0][0]"),
    ('d = {{"k": [{s}]}}', 'd["k"][0]'),
    ("q = deque()\nq.append({s})", "q[0]"),
    ("h = same({s})", "h"),
    ("def g():\n    return {s}\nh = g()", "h"),
    ("h = {s} if x > 0 else {s}", "h"),
    ("L = [v for v in [{s}]]", "L[0]"),
    ("h, *k = [{s}, 1.0]", "h"),
    ("if (h := {s}) is not None:\n    pass", "h"),
    ("for h in [{s}]:\n    pass", "h"),
    ("for h, k in zip([{s}], [1.0]):\n    pass", "h"),
    ("h = {s}\nk = h", "k"),
    ("g = lambda: {s}\nh = g()", "h"),
    ("L = [({s}, 1)]", "L[0][0]"),
    ("L = []\nL.append(({s}, 1))", "L[0][0]"),
    ("h, k = {s}, B*y\nh, k = k, h", "k"),
    ("L = []\nL.append(({s}, 1))\nfor h, k in L:\n    pass", "h"),
    ("L = [({s}, 1)]\nfor e in L:\n    h = e[0]", "h"),
    ('d = {{"k": ({s}, 1)}}\nfor k, (h, e) in d.items():\n    pass', "h"),
    ("o = O()\no.v = ({s}, 1)", "o.v[0]"),
    ('o = O()\no.d = {{}}\no.d["k"] = {s}', 'o.d["k"]'),
    ("for k, h in enumerate([{s}]):\n    pass", "h"),
    ("L = [{s}, {s}]\nfor h in reversed(L):\n    pass", "L[1]"),
    ("L = sorted([(2, {s}), (1, {s})], key=lambda e: e[0])", "L[0][1]"),
    ("L = [{s}]\nK = L.copy()", "K[0]"),
    ("L = [{s}, 1.0]\nK = L[:1]", "K[0]"),
    ("L = [{s}] + [1.0]", "L[0]"),
    ("def g(v):\n    return v, 1.0\nh, k = g({s})", "h"),
    ("def g(v, w=None):\n    return w\nh = g(1.0, w={s})", "h"),
    ("def g(*v):\n    return v[0]\nh = g({s}, 1.0)", "h"),
    ('def g(**v):\n    return v["w"]\nh = g(w={s})', "h"),
    ("def g():\n    yield {s}\nfor h in g():\n    pass", "h"),
    ("try:\n    h = {s}\nfinally:\n    k = 1", "h"),
    ("h = None\ndef g():\n    nonlocal h\n    h = {s}\ng()", "h"),
    ("L = []\nheapq.heappush(L, (1, 0))\nd = {{}}\nfor i, j in L:\n    d[i, j] = {s}", "d[1, 0]"),
    ("def g(v={s}):\n    return v\nh = g()", "h"),
    ("match ({s}, 1.0):\n    case (h, k):\n        pass", "h"),
    ('d = {{"k": {{}}}}\nd["k"]["j"] = {s}', 'd["k"]["j"]'),
    ("d = defaultdict(list)\nfor i in range(2):\n    d[i].append({s})", "d[1][0]"),
    ("L = [{s}]\nh = L.pop()", "h"),
    ('d = {{}}\nh = d.setdefault("k", {s})', "h"),
    ("o = P({s})\nh = o.get()", "h"),
    ("o = P({s})", "o.w"),
)
WRITES = (
    "{h}[0] = y",
    "{h} += y",
    "{h}[:] = y",
    "{h}[1:] *= 2.0",
    "{h}[1] += y",
    "np.add({h}, y, out={h})",
    "{h}.fill(y)",
    "{h}[{h} > 0.3] = y",
    "{h} *= y",
    "put({h}, y)",
    "for k_ in range(2):\n    {h}[k_] = {h}[k_] * y + k_",
    "np.copyto({h}, y)",
    "{h}[-1] = x*y",
    "{h}[0], {h}[1] = {h}[1], {h}[0]",
)


class NamesWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def program(self) -> str:
        made, source = self.rng.choice(SOURCES)
        handed, holder = self.rng.choice(HOLDERS)
        lines = [*made.split("\n"), *handed.format(s=source).split("\n")]
        for _ in range(self.rng.choice([1, 1, 2])):
            lines += self.rng.choice(WRITES).format(h=self.rng.choice([holder, "a"])).split("\n")
        lines.append(f"return float(tot(a) + 3.0 * tot({holder}))")
        parts = [HEAD, "def program(x, y):", *["    " + line for line in lines]]
        for name in ("first", "second"):
            parts.append(
                f"{name} = ({self.rng.choice(['1.3', '0.4', 'np.float64(0.8)'])}, {self.rng.choice(['0.7', '0.2'])})"
            )
        return "\n".join(parts) + "\n"
