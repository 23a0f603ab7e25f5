"""Random plain programs that give functions to SciPy, and ask several things of what it makes.

Half of the functions do more than compute: they write, note or count, and must be left to the eager tier.
"""

from __future__ import annotations

import random
from typing import Any

HEAD = """import functools, math
import numpy as np
from scipy import integrate, interpolate, optimize
K, V = 0.7, np.array([0.3, 0.1, 0.5])
T = np.linspace(0.0, 1.0, 6)
def kernel(t, rate, shift=0.1):
    return math.exp(-rate * rate * t) + shift * K
class Model:
    scale = 1.5
    def __init__(self, a, b):
        self.a, self.b, self.n, self.w = a, b, 0.0, np.array([a, 0.5])
    def of(self, t):
        return self.a * t * self.scale + self.w[1] * self.b
    def twice(self, t):
        return self.of(t) * self.of(0.5)
    def noted(self, t):
        self.n = 0.25
        return self.a * t
    @property
    def half(self):
        return self.a * 0.5
    def by_half(self, t):
        return self.half * t
def weighted(t):
    return kernel(t, 0.3) * V[0] + float(np.sum(V * t))
def outer(t):
    return W.a * t + W.of(t) * D['k']
def reset():
    global W
    W = Model(0.4, 0.6)
    W.next = None
    D.clear()
    D.update(k=0.4)
D = {}
reset()
"""


class GivenWriter:
    """Writes one program of two numbers from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.names = ["x", "y", "p"]
        self.count = 0
        self.is_simple = rng.random() < 0.6
        self.has_outside = rng.random() < 0.3  # objects that the functions find by themselves

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def number(self, depth: int = 1) -> str:
        if not depth or self.rng.random() < 0.3:
            return self.pick(*self.names, *self.names, "0.5", "-1.2", "K")
        if self.rng.random() < 0.3:
            return f"{self.pick('math.sin', 'math.tanh', 'abs')}({self.number(depth - 1)})"
        return f"({self.number(depth - 1)} {self.pick('+', '-', '*')} {self.number(depth - 1)})"

    def inside(self, t: str) -> str:
        """A number inside a function of `t`."""
        x = self.number()
        if self.has_outside and self.rng.random() < 0.4:
            return self.pick(f"W.a * {t} * {x}", f"D['k'] * {t} + W.b", f"outer({t})", f"W.of({t})")
        return self.pick(
            f"{x} * {t}", f"math.sin({x} * {t})", f"{t} * {t} + {x}", f"kernel({t}, {x})", f"w[1] * {t} + d['k']",
            f"kernel({t}, shift={x}, rate=0.4)", f"weighted({t}) * {x}", f"c[0] * {t} + c[1]",
            f"float(np.dot(w, V)) * {t}",
            f"sum([{x} * {t} ** j for j in range(3)])", f"(lambda v: v * {x})({t})" if not self.is_simple else t,
        )  # fmt: skip

    def function(self) -> tuple[list[str], str]:
        """Lines that define a function of a number, and its text."""
        if self.rng.random() < 0.5:
            return [], self.pick(
                f"lambda t: {self.inside('t')}", f"lambda t, s={self.number()}: s * t + {self.inside('t')}",
                f"functools.partial(kernel, rate={self.number()})", "weighted", *["outer"] * self.has_outside,
            )  # fmt: skip
        self.count += 1
        body = self.pick(
            ["u = np.zeros(2)", f"u[0] = {self.inside('t')}", "u = float(u[0])"], [f"u = {self.inside('t')}"],
            [f"u = {self.number()}", f"u += {self.inside('t')}"],
        )  # fmt: skip
        if not self.is_simple and self.rng.random() < 0.5:
            body += self.pick(["w[0] = 0.25 * x"], ["d['k'] = 0.3"], ["v = w", "v *= 1.0"], ["seen[:] = [x]"])
        if self.rng.random() < 0.3:
            body += [f"if t > {self.number()}:", "    return u * 0.5"]
        return [f"def f{self.count}(t):", *[f"    {line}" for line in body], "    return u + 0.1 * t"], f"f{self.count}"

    def statement(self) -> list[str]:
        before, f = self.function()
        a, x = self.number(), self.number()
        g = self.pick([], ["g[0] = 2.0 * y"], ["g *= 2.0"])
        found = self.pick(
            [f"p = p + integrate.quad({f}, 0.0, 1.5)[0]"], [f"p, error = integrate.quad({f}, {a}, 1.0)"],
            [f"f = {f}", f"p = optimize.brentq(lambda z: z ** 3 + z - 0.1 * math.sin(f(z)) - {x}, -90.0, 90.0)"],
            [f"f = {f}", "for i in range(2):", f"    p += integrate.quad(lambda t: f(t) * i * {x}, 0.0, 1.0)[0]"],
            [f"r = optimize.minimize_scalar(lambda z: (z - {a}) ** 2 + 0.1 * z ** 4)", f"p = r.x * {x} + r.fun"],
            [f"r = optimize.root_scalar(lambda z: z ** 3 + z - {a}, bracket=(-90.0, 90.0))",
             "if r.converged:", f"    p = p + r.root * {x}"],
            [f"s = interpolate.CubicSpline(T, np.sin(T * {a}) * {x})", "p = s(0.3) + s.integrate(0.1, 0.7) * p"],
            [f"s = interpolate.CubicSpline(T, np.sin(T * {a}) * {x})", "p = p + float(s(0.3))"],
            [f"r = integrate.solve_ivp(lambda t, u: [-u[0] * {a}, u[0] - {x}], (0.0, 1.0), [{x}, 0.5], t_eval=T[1:])",
             "p = p + r.y[0, 2] * r.t[1] + r.y[1].sum()"],
            [f"r = optimize.root(lambda z: [z[0] * 2.0 - {a}, z[1] * 3.0 + z[0] - {x}], [0.5, 0.5])", "g = r.x", *g,
             "p = g[0] + r.x[1] * p"],
            [f"m = Model({a}, {x})",
             f"p = p + integrate.quad(m.{self.pick('of', 'twice', 'by_half')}, 0.0, 1.0)[0] * m.b",
             f"m.a = {self.number()}", f"p += integrate.quad(lambda t: m.{self.pick('of(t)', 'a')} * t, 0.0, 1.0)[0]"],
            *[[f"m = Model({a}, {x})", "p = p + integrate.quad(m.noted, 0.0, 1.0)[0] * m.n"]] * (not self.is_simple),
            [f"q = lambda t: p * t + {x}", f"p = {a}", "p = integrate.quad(q, 0.0, 1.0)[0] + p"],
        )  # fmt: skip
        if self.has_outside and self.rng.random() < 0.5:
            found = [self.pick(f"W.a = {self.number()}", f"D['k'] = {self.number()}", "W.b = W.b * 0.5"), *found]
        changed = self.pick([], [], [f"w[1] = {x}"], [f"c = (c[1], {x})"], [f"d['k'] = {x}"])
        return [*before, *found, *changed]

    def program(self) -> str:
        lines = [f"p, c, d = {self.number()}, (x, y), {{'k': {self.pick('x', '0.4')}}}"]
        lines += ["w = np.array([x, y, 0.3])", *["seen = []"] * (not self.is_simple)]
        for _ in range(self.pick(1, 1, 2)):
            lines += self.statement()
        lines.append(
            f"return p * {self.pick('1.0', 'x')} + W.a * D['k'] + w[1] + d['k']{' + sum(seen)' * (not self.is_simple)}"
        )
        body = "\n".join(f"    {line}" for line in lines)
        x, y = (f"{self.rng.uniform(-1.5, 1.5):.4f}" for _ in range(2))
        more = self.pick("0.3", "1", "np.float64(0.2)")
        given, way = self.pick(
            ("({}, {})", ""), ("({}, {})", ""), ("(({}, {}),)", "*z"), ("([{}, {}],)", "*z"),
            ("({{'x': {}, 'y': {}}},)", "z['x'], z['y']"),
        )  # fmt: skip
        first, second = given.format(x, y), given.format(more, y)
        whole = f"def program(z):\n    return inner({way})\n" if way else ""
        return f"{HEAD}def {'inner' if way else 'program'}(x, y):\n{body}\n{whole}first = {first}\nsecond = {second}\n"
