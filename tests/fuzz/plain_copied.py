"""Copies of lists, dicts, arrays and objects, and what is written into either; arrays taken apart; for `plain`.

Objects get attributes in loops and branches, and items of arrays are written in whose place other arrays are put.
"""

from __future__ import annotations

from . import plain_members

HEAD = """import copy, math
import numpy as np
K = 0.7
class Base:
    def __init__(self, u, v=0.3):
        self.u, self.v = u, v
        self.items = [u, v]
        self.w = np.array([u, v, 0.5])
    def energy(self):
        return self.u * self.items[0] + self.v
    def see(self, x):
        self.last = x
        return x * self.u
    def keep(self, h):
        self.kept = self.w * h
        return self.kept[0]
    def renew(self, h):
        self.w = self.w * h
        return self.w
    def grow(self, h):
        self.w += h
        return self.w[1]
class Child(Base):
    def energy(self):
        return super().energy() * 0.5 + self.w[2]
def mix(a, b, *rest, k=0.5):
    return a * b + k * sum(rest)
"""
READS = (
    "{o}.v", "{o}.items[1]", "{o}.w[1]", "{o}.w.sum()", "{o}.last", "{o}.kept[1]", "{o}.see({a})", "{o}.keep({a})",
    "{o}.renew({a})[0]", "{o}.grow({a})", "copy.copy({o}).u", "copy.deepcopy({o}).energy()", "l[0]", "l[-1]", "sum(l)",
    "m[1]", "d['a']", "e['b'][1]", "e['a']", "sum(copy.copy(l))", "copy.deepcopy(e)['b'][0]", "u[1]", "u.sum()",
    "v[0]",
    "list(u)[1]", "tuple(v)[0]", "u.tolist()[2]", "sorted(u)[1]", "mix(*u)", "mix(*v, k={a})", "mix({a}, *l[:2])",
    "(d | {{'c': {a}}})['a']", "max(*u)", "sum(c * i for i, c in enumerate(list(v)))", "divmod({a}, 0.7)[1]",
    "h['x']", "(h['x'] * {b} if 'x' in h else y)", "({a} if 'x' in h else {b})",
    "(h['y'] if 'y' in h else {a})", "h.get('x', {a})", "len(h)",
    "h['w'][1]",
    "round({a}, 1)", "round({a} * 3)", "sum(c * h for c, h in zip(u, (0.5, 1.5, 2.5)))", "y", "x * y", "z",
)  # fmt: skip
CHANGES = (
    "{o}.items[0] = {e}", "{o}.w[1] = {e}", "{o}.w[1] += {e}", "{o}.w[1:] *= {e}", "{o}.w[0] += {o}.renew({e})[1]",
    "{o}.w += {e}", "{o}.w = u * {e}", "{o}.last = {e}", "{o}.see({e})", "{o}.keep({e})", "{o}.kept = {p}.w",
    "{o}.last = {p}.see({e})", "{o} = copy.copy({p})", "{o} = copy.deepcopy({p})", "{o} = {make}", "o, p = p, o",
    "l = copy.copy(m)", "m = list(u)", "l = copy.deepcopy(m)", "l[0] = {e}", "m[-1] *= {e}", "l.append({e})", "l = m",
    "m = u.tolist()", "d = copy.copy(d)", "d['a'] = {e}", "d |= {{'a': {e}}}", "d = d | {{'c': {e}}}",
    "e = copy.deepcopy(e)",
    "e = copy.copy(e)", "e['b'][0] = {e}", "e['a'] += {e}", "u = copy.copy(v)", "u[1] = {e}", "v[0] += {e}",
    "u = v * {e}",
    "v = copy.deepcopy(u[::-1])", "u[1:] = v[:2]", "first, *l = u", "*m, last = v\nz += last",
    "c_, h_ = l[0], l[1]\nz += c_ * h_",
    "for c_ in list(u):\n    z += c_ * {e}", "for c_, h_ in zip(u, (0.5, 1.5, 2.5)):\n    z += c_ * h_\n    u[2] = z",
    "h['x'] = {e}", "h['x'] = {e}", "h['y'] = {e}", "h['x'] += {e}", "h['w'] = u * {e}", "h['w'][0] = {e}",
    "if 'x' not in h:\n    h['x'] = {e}", "h = {{}}", "g = h\ng['x'] = {e}", "z += sum(c_ for c_ in d.values())",
    "z = {e}", "z += {e} * {e}",
)  # fmt: skip


class CopiedWriter(plain_members.MembersWriter):
    """Writes one program from a source of chance."""

    head = HEAD
    tables = (READS, ("{o}.u", "x", "u[0]")), (CHANGES, ("{o}.u = {e}", "z += {e}"))
    start = (
        "l, m, u = [x, y, 0.3], [y, 0.2, x * y], np.array([x, 0.4, y])",
        "h = {}",
        "v, d, e = 0.5 * u, {'a': x, 'b': 0.5}, {'a': y, 'b': [x, 0.1]}",
    )
    end = "float(z + o.u - p.v + sum(l) * 0.5 + m[0] + u @ v + d['a'] + e['b'][0] + o.w.sum() * p.w[1])"
    turns = (2, 3, 14)
