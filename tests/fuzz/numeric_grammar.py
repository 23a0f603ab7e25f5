"""Programs in Numba's subset, at random: modules with ``program(...)`` and ``arguments(n)``.

`numeric_tables` has the templates; here their holes are filled. A program is for all sizes `n`.
"""

import random
import re
from dataclasses import dataclass, replace
from textwrap import indent

from . import numeric_tables as tables
from .numeric_parallel import parallel_loop

HOLE = re.compile(r"\$([SACVUXMNWPQZiJknR])")
BLOCK = ("$B", "$L", "$b")
MATRICES = re.compile(r"\bW\b|\bK\b|\$[NMWP]")
ELEMENT = re.compile(r"\$[iJ]")
SIZES = (5, 3, 1, 0, 2)

ARGUMENTS = """\
def arguments(n):
    rng = np.random.default_rng({seed} + n)
    x = rng.uniform(-1.2, 1.2, n)
    y = rng.uniform(-1.2, 1.2, n)
    K = rng.uniform(-1.2, 1.2, (n, n))
    a, b = rng.uniform(-1.2, 1.2, 2)
    idx = rng.integers(0, max(n, 1), n)
    z0 = complex(*rng.uniform(0.3, 1.0, 2))
    zs0 = rng.uniform(0.3, 1.0, n) + 1j * rng.uniform(-1.0, 1.0, n)
    g0 = rng.uniform(-1.0, 1.0, n).astype(F32)
    p0 = (0.4, rng.uniform(-1.0, 1.0, n))
    q0 = Pair(0.6, rng.uniform(-1.0, 1.0, n))
    return ({chosen},)
"""
FEATURES = (  # what most programs do without: each of them alone may send a program to the eager tier
    r"\bz\b|\bzs\b|\$Z|complex", r"\bheld\b", r"\bp\b|\bq\b", r"power|halves", r"\bboth\b|\btrade\b", r"\bmade\b",
    r"idx\d?\]|\bidx2\b", r"concatenate|cumsum|outer|linspace|arange|ndindex|newaxis", r"\bg\b|F32", r"\.T\b|::-1",
    r"@|dot", r"\brow\b|\btail\b", r" for t\$0 in \(|zip|enumerate", r"while", r"1:|:-1", r"where|max|min",
)  # fmt: skip
LEAVES = ("a", "b", "s", "t", "c", "p[0]", "q.mass", *tables.NUMBERS[:3])
LAYOUTS = ("x", "x", "x", "x", "np.repeat(x, 2)[::2]")
LAYOUTS_OF_MATRICES = ("K", "K", "K", "np.asfortranarray(K)", "np.repeat(K, 2, axis=1)[:, ::2]")
OPTIONAL = {"z": "z0", "zs": "zs0", "g": "g0", "p": "p0", "q": "q0", "flag": "n % 2 == 1"}  # arguments
LOCALS = {  # where they are no arguments
    "z": "z = complex(a, 0.5)",
    "zs": "zs = np.full(n, 0.5 + 0.3j)",
    "g": "g = np.zeros(n, F32)",
    "p": "p = (b, 0.5 * y)",
    "q": "q = Pair(a, np.cos(x))",
    "flag": "flag = a > 0.0",
    "held": "held = [a, 0.5 * b]",
    "idx2": "idx2 = idx.copy()",
}
CLASHES = {  # names that generated code would give to something else
    "y": "x_bar", "u": "x_dot", "v": "u_bar", "w": "v_bar_bar", "t": "s_bar", "b": "imag", "c": "seed",
    "k": "tape", "K": "W_bar", "L": "times",
}  # fmt: skip


@dataclass(frozen=True)
class Scope:
    """What may be used at one place: indices that are below `n`, floats, vectors; and how deep one may nest."""

    depth: int = 3
    indices: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    in_loop: bool = False


class Writer:
    """Fills templates; every choice comes from one random generator."""

    def __init__(self, rng: random.Random, returned: str, writes_arguments: bool, small: bool):
        self.rng = rng
        self.returned = returned
        self.fresh = 0
        self.small = small
        self.without = [re.compile(pattern) for pattern in FEATURES if rng.random() < (0.85 if small else 0.75)]
        self.vectors = rng.sample("uvw", rng.choice((1, 2))) if small else ["u", "v", "w"]
        if small and rng.random() < 0.7:
            self.without.append(MATRICES)
        self.leaves = self.allowed(LEAVES)
        self.owned = (*self.vectors, "x") if writes_arguments else (*self.vectors,)

    def allowed(self, templates: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(t for t in templates if not any(pattern.search(t) for pattern in self.without))

    def among(self, *tables: tuple[str, ...], scope: Scope) -> str:
        """A template that can be filled here, of one of the tables."""
        while True:
            template = self.rng.choice(self.rng.choice(tables))
            possible = scope.indices or not ELEMENT.search(template)
            if possible and not any(pattern.search(template) for pattern in self.without):
                return template

    def fill(self, template: str, scope: Scope, level: int) -> str:
        return HOLE.sub(lambda hole: self.hole(hole[1], scope, level), template)

    def hole(self, kind: str, scope: Scope, level: int) -> str:
        rng = self.rng
        match kind:
            case "S":
                if level <= 0 or rng.random() < 0.3:
                    return self.leaf(scope)
                elements = (tables.ELEMENTS,) if scope.indices else ()  # also those that need an element to be there
                return self.fill(self.among(tables.SCALARS, *elements, scope=scope), scope, level - 1)
            case "A":
                if level <= 0 or rng.random() < 0.35:
                    return self.hole("V", scope, 0)
                return self.fill(self.among(tables.VECTORS, scope=scope), scope, level - 1)
            case "N":
                if level <= 0 or rng.random() < 0.35:
                    return self.hole("M", scope, 0)
                return self.fill(self.among(tables.MATRICES, scope=scope), scope, level - 1)
            case "Z":
                if level <= 0:
                    return "z"
                return self.fill(rng.choice(tables.COMPLEX), scope, level - 1)
            case "C":
                elements = (tables.CONDITIONS_IN_LOOPS,) if scope.indices else ()
                return self.fill(self.among(tables.CONDITIONS, *elements, scope=scope), scope, level)
            case "V":
                return rng.choice((*self.vectors, "x", "y", *scope.vectors, *scope.vectors))
            case "U":
                return rng.choice((*self.owned, *(r for r in scope.vectors if r[0] == "r")))
            case "Q":
                return rng.choice(self.vectors)
            case "X":
                return rng.choice("stc")
            case "M" | "P":
                return rng.choice(("W", "W", "K"))
            case "W":
                return "W"
            case "i":
                return rng.choice(scope.indices)
            case "J":
                return scope.indices[-1]
            case "k":
                return rng.choice("123")
            case "n":
                return rng.choice(tables.NUMBERS)
            case "R":
                return self.fill(tables.RETURNS[self.returned], scope, 1)
            case _:
                raise ValueError(f"no hole is called ${kind}")

    def leaf(self, scope: Scope) -> str:
        if scope.indices and self.rng.random() < 0.5:
            return self.fill("$V[$i]", scope, 0)
        return self.rng.choice((*self.leaves, *scope.scalars * 2))

    def block(self, scope: Scope, most: int) -> str:
        made = [self.statement(scope)]
        while len(made) < most and self.rng.random() < 0.6:
            made.append(self.statement(scope))
        return "\n".join(made)

    def statement(self, scope: Scope) -> str:
        if scope.in_loop and self.rng.random() < 0.1:
            return self.fill(self.rng.choice(tables.LOOP_LINES), scope, 1)
        if scope.depth > 0 and self.rng.random() < 0.4:
            nested = (tables.NESTED,) if scope.indices else ()
            return self.compound(self.among(*(tables.BLOCKS,) * 3, tables.SMALL, *nested, scope=scope), scope)
        elements = (tables.ELEMENT_LINES,) * 2 if scope.indices else ()
        return self.fill(self.among(tables.LINES, *elements, scope=scope), scope, 2)

    def compound(self, template: str, scope: Scope) -> str:
        self.fresh += 1
        template = template.replace("$0", str(self.fresh))
        own = sorted(set(re.findall(rf"\b[ijtrho]{self.fresh}\b", template)))
        inner = replace(
            scope,
            depth=scope.depth - 1,
            indices=(*scope.indices, *(n for n in own if n[0] in "ij")),
            scalars=(*scope.scalars, *(n for n in own if n[0] in "to")),
            vectors=(*scope.vectors, *(n for n in own if n[0] == "r")),
        )
        lines = []
        known = scope  # a template's own names count from the line after the one that makes them
        for line in template.split("\n"):
            hole = line.strip()
            if hole not in BLOCK:
                lines.append(self.fill(line, known, 1))
                continue
            known = inner
            body = {
                "$B": inner,
                "$L": replace(inner, in_loop=True),
                "$b": replace(inner, depth=0, in_loop=False),
            }[hole]
            lines.append(indent(self.block(body, 1 if hole == "$b" else 2 if self.small else 3), line[: -len(hole)]))
        return "\n".join(lines)


def program(seed: int, small: bool = False, parallel: float = 0.07) -> str:
    """The source of one module. Small ones have few statements, and no more around them than these need."""
    rng = random.Random(seed)
    returned = rng.choice(("number",) * 12 + tuple(tables.RETURNS))
    writer = Writer(rng, returned, rng.random() < 0.3, small)
    scope = Scope(depth=rng.choice((1, 1, 2) if small else (2, 3, 3)))
    body = [writer.statement(scope) for _ in range(rng.randint(1, 2) if small else rng.randint(3, 6))]
    if not any("for " in s or "while " in s for s in body):
        body.append(writer.compound("for i$0 in range(n):\n    $L\n    $L", scope))
    options = ""
    if rng.random() < parallel:
        options = "(parallel=True)"
        for number in range(rng.randint(1, 2)):
            body.insert(rng.randint(0, len(body)), parallel_loop(rng, number))
    optional = [name for name in OPTIONAL if rng.random() < 0.25]
    tail = writer.fill("$R", scope, 1)
    text = "\n".join((*body, tail))
    endings = [e for name, e in tables.ENDINGS.items() if name in "uW" or re.search(rf"\b{name}\b", text)]
    if small:  # without the vectors and matrices that it does not have
        vectors = [
            f" + {k} * total({v})" for v, k in zip("uvw", (1.0, -1.2, 0.5), strict=True) if re.search(rf"\b{v}\b", text)
        ]
        endings = [f"s = s + 0.3 * t - 0.2 * c{''.join(vectors)}", *endings[1:]]
        endings.remove(tables.ENDINGS["W"]) if not re.search(r"\bW\b", text) else None
    body += ["\n".join(endings)]
    text = "\n".join((*body, tail))
    setup = [
        "n = len(x)",
        "s, t, c = 0.3, a, b",
        "u = np.sin(x)",
        "v = np.cos(y) * b",
        "w = x * y",
        "W = 0.5 * K",
        "L = 0",
    ]
    if rng.random() < 0.3:
        setup[1] = "s, t, c = 0, a, b"  # a type that unifies
    if small:
        used = "\n".join((*body, tail))
        setup = [line for line in setup if not re.match(r"[uvwWL] ", line) or re.search(rf"\b{line[0]}\b", used)]
    setup += [line for name, line in LOCALS.items() if name not in optional and re.search(rf"\b{name}\b", text)]
    optional = [name for name in optional if re.search(rf"\b{name}\b", text)]
    names = ["x", "y", "K", "a", "b", "k", "idx", *optional]
    chosen = [rng.choice(LAYOUTS), "y", rng.choice(LAYOUTS_OF_MATRICES), "float(a)", "float(b)", f"{rng.randint(0, 3)}"]
    chosen += ["idx", *(OPTIONAL[name] for name in optional)]
    parts = [tables.HEAD]
    parts += [writer.fill(tables.HELPERS[h].strip("\n"), scope, 0) + "\n\n" for h in helpers_in(text)]
    function = indent("\n".join((*setup, *body, f"return {tail}")), "    ")
    function = f"@njit{options}\ndef program({', '.join(names)}):\n{function}\n\n\n"
    clashes = {old: new for old, new in CLASHES.items() if rng.random() < 0.5} if rng.random() < 0.2 else {}
    parts.append(re.sub(r"(?<!\.)\b\w+\b", lambda word: clashes.get(word[0], word[0]), function))
    parts.append(ARGUMENTS.format(seed=seed % 1000, chosen=", ".join(chosen)))
    return "\n".join(parts)


def helpers_in(text: str) -> list[str]:
    """The helpers that a program calls, and what these call, in the order of the table."""
    wanted = {name for name in tables.HELPERS if re.search(rf"\b{name}\(", text)}
    wanted |= {other for name in wanted for other in tables.NEEDS.get(name, ())}
    return [name for name in tables.HELPERS if name in wanted]
