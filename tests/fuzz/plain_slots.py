"""Functions that write into arrays of objects that they are given, called inside expressions, conditions and loops.

The arrays may be in several objects, have names, be views, and be replaced while the call runs.
"""

from __future__ import annotations

from .plain_inplace import InplaceWriter

MADE = """
    o.z, o.s = np.array([y, 0.1, x, 0.7]), 0.3
    b = Kept(v)
    b.z, b.s = np.ones(4) * y, 0.1
"""
SLOTS = ("o.x", "o.z", "b.x", "b.z", "o.x", "o.z")
INSIDE = ("o.z[1:] += h", "o.z *= 0.9", "o.z = p", "o.z = o.z + q", "h = h + o.z.sum() * 0.1", "o.s = h",
          "p[1:] = o.z[:3]", "p[:2] = o.x[1:3] * h", "r = o.z", "h = h * o.x[1]", "o.x = o.x * 0.5",
          "h = h + o.s")  # fmt: skip
BETWEEN = ("b.z = o.z", "o.z, o.x = o.x, o.z", "w = o.z", "o.z = u", "o.z = u * 0.5", "o.z[:2] = t", "b.x += 0.1 * u",
           "o.z = o.z + w", "b.z = b.z * 1.0", "t = t + o.s", "b.z = o.z[::-1]")  # fmt: skip


class SlotsWriter(InplaceWriter):
    """Writes one such program."""

    def program(self) -> str:
        source = super().program().replace("    o = Kept(u)\n", f"    o = Kept(u){MADE}")
        return source.replace("return float(t", "return float(t + o.z[1] * b.z[2] + b.x.sum() + o.z[3]")

    def _function(self, name: str) -> list[str]:
        lines = super()._function(name)
        for _ in range(self.rng.choice([0, 0, 1, 2])):
            lines.insert(2, f"    {self.rng.choice(INSIDE)}")
        return lines

    def _call(self, arrays: tuple[str, ...], number: str, is_statement: bool = False) -> str:
        slots = SLOTS[:2] if "p" in arrays else SLOTS
        return super()._call((*arrays, *slots), number, is_statement)

    def _statement(self, depth: int) -> list[str]:
        rng = self.rng
        if rng.random() < 0.2:
            return [rng.choice(BETWEEN)]
        numbers = [name for name, gives in self.functions if gives == "n"]
        if not numbers or rng.random() < 0.6:
            return super()._statement(depth)
        call = self._call(("u", "v", "w"), "t")
        call = rng.choice(numbers) + call[call.index("(") :]
        held = rng.choice(["t", "o.z[0]", "w[1]", "o.s", "b.x.sum()", "(u * t).sum()", "(o.z * v[1]).sum()"])
        kind, end = rng.random(), rng.choice(["0.2", "-0.4", "1.1"])
        if kind < 0.4:
            return [rng.choice([f"t = max(0.1 * {held}, {call})", f"t += 0.3 * {call}", f"t = {held} * {call} + {held}",
                                f"t = 0.5 * abs({call} - {held})", f"o.s = {held} + 0.2 * {call}",
                                f"w[1] = {call} * {held}", f"t = (w * {call})[1]", f"t = (w[1:] * {call} + w[:3])[1]",
                                f"s, t = {held}, 0.1 * {call}"])]  # fmt: skip
        inner = [f"    {line}" for line in (super()._statement(2) if depth > 1 else self._statement(depth + 1))]
        if kind < 0.7:
            return [
                f"if {rng.choice([call, f'{held} + {call}'])} > {end}:",
                *inner,
                "else:",
                f"    {rng.choice(BETWEEN)}",
            ]
        k = f"n{depth}"
        test = rng.choice(
            [f"{call} < {end} and {k} < 3", f"{k} < 3 and {call} < {end}", f"{held} - {call} < {end} and {k} < 2"]
        )
        return [f"{k} = 0", f"while {test}:", f"    {k} += 1", *inner]
