"""Random parallel loops whose iterations do not meet: each writes at its own index, and reads what none writes.

An iteration may read the arrays that nobody writes anywhere, add to a sum, and write elements, rows or columns of the
arrays that this loop writes, at its own index alone.
"""

import random
import re

READS = (
    "x[p]", "y[p]", "x[n - 1 - p]", "y[p - 1]", "x[idx[p]]", "y[0]", "a", "b", "K[p, idx[p]]", "K[0, p]", "G",
    "TABLE[p % 5]", "math.sin(x[p] + a)", "K[p].sum()", "np.dot(K[p], y)", "(x * K[:, p]).sum()", "b * y[idx[p]]",
)  # fmt: skip
LINES = (
    "$U[p] = $R * $U[p] + q",
    "$U[p] += 0.3 * q * $R",
    "$U[p] *= 0.5 + 0.1 * math.sin(q)",
    "q = 0.5 * q + $R * $R",
    "q -= $R * $U[p]",
    "W[p, 0] = 0.4 * W[p, n - 1] + q",
    "W[p, idx[p]] += q * $R",
    "W[p] *= 0.3 + math.cos($R)",
    "row = W[p]\nrow[idx[0]] = row[0] * q\nq += row.sum() * 0.2",
    "W[p, :] = x * y + q * $R",
    "own = x * q\nown[p] += $U[p]\nq = 0.3 * own.sum()",
    "for h in range(n):\n    q = 0.6 * q + 0.1 * W[p, h] * x[h]",
    "for h in range(idx[p]):\n    W[p, h] *= 0.9 * $R\n    q += 0.1 * y[h]",
    "for h in range(2):\n    $U[p] = math.sin($U[p] + q)",
    "if q > $R:\n    q = math.cos(q)\n    $U[p] = q",
    "if $U[p] < 0.4:\n    $U[p] = $R\nelse:\n    q = q * $U[p]",
    "s += 0.3 * q * $R",
    "c -= $U[p] * $R",
    "t += $R",
)


def parallel_loop(rng: random.Random, number: int) -> str:
    """The statements of one loop; `number` makes its variables new."""
    targets = rng.sample("uvw", 2)
    lines = [rng.choice(LINES) for _ in range(rng.randint(2, 6))]
    sums = [line for line in lines if line[0] in "sct"]
    lines = [line for line in lines if line not in sums[1:]]  # Numba refuses some loops with several
    by_columns = rng.random() < 0.3  # the other index of the matrix is its own
    body = [filled(line, targets, rng) for line in (f"q = {rng.choice(READS)}", *lines)]
    text = "\n".join(body)
    if by_columns:
        for old, new in (("W[p, 0]", "W[0, p]"), ("W[p, n - 1]", "W[n - 1, p]"), ("W[p, idx[p]]", "W[idx[p], p]"),
                         ("W[p, h]", "W[h, p]"), ("W[p, :]", "W[:, p]"),
                         ("W[p] *=", "W[:, p] *="), ("= W[p]", "= W[:, p]")):  # fmt: skip
            text = text.replace(old, new)
    fresh = "".join(f"{name} = {name} * 0.9\n" for name in (*targets, "W"))
    header = rng.choice(("n", "n", "1, n", "0, n - 1"))
    inner = text.replace("\n", "\n    ")
    loop = f"for p in prange({header}):\n    {inner}"
    for name in ("p", "q", "h", "row", "own"):
        loop = renamed(loop, name, f"{name}_{number}")
    return fresh + loop


def filled(line: str, targets: list[str], rng: random.Random) -> str:
    while "$U" in line or "$R" in line:
        line = line.replace("$R", rng.choice(READS), 1)
        if "$U" in line:  # the same one in all of a line
            line = line.replace("$U", rng.choice(targets))
    return line


def renamed(text: str, old: str, new: str) -> str:
    return re.sub(rf"(?<![\w.]){old}\b", new, text)
