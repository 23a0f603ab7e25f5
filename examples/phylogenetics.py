"""How long ago did species part? Branch lengths of a tree from aligned DNA, by maximum likelihood.

    python examples/phylogenetics.py [plot.png]

Sequences of six species are simulated along a known tree. Felsenstein's pruning computes their likelihood by recursion
over the tree, with a matrix exponential on each branch; the nine branch lengths and the ratio of transitions to
transversions are fitted. With two species and Jukes and Cantor's model the answer is known,
t = -3/4 log(1 - 4/3 p) for a share p of differing sites, which checks the program.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.linalg import expm
from scipy.optimize import minimize

import morula

SITES, KAPPA = 1500, 4.0
TREE = ((("human", "chimp"), "gorilla"), ("macaque", ("lemur", "loris")))
TRUE = {
    "human": 0.06, "chimp": 0.05, "human chimp": 0.04, "gorilla": 0.10, "human chimp gorilla": 0.12, "macaque": 0.25,
    "lemur": 0.18, "loris": 0.22, "lemur loris": 0.15,
}  # fmt: skip


def name_of(node):
    return node if isinstance(node, str) else " ".join(map(name_of, node))


def rates(kappa):
    """Kimura's model: transitions A-G and C-T are kappa times as frequent; one change for each unit of time."""
    q = np.ones((4, 4))
    for i, j in ((0, 2), (2, 0), (1, 3), (3, 1)):
        q[i, j] = kappa
    np.fill_diagonal(q, 0.0)
    q /= q.sum(axis=1)[:, None]
    return q - np.eye(4)


def simulated():
    """An alignment: for each species a row of letters 0 to 3."""
    rng, alignment = np.random.default_rng(5), {}
    q = rates(KAPPA)

    def evolve(node, letters):
        if isinstance(node, str):
            alignment[node] = letters
            return
        for child in node:
            chances = np.cumsum(expm(q * TRUE.get(name_of(child), 0.0)), axis=1)[letters]
            evolve(child, np.sum(rng.random((SITES, 1)) > chances, axis=1))

    evolve(TREE, rng.integers(0, 4, SITES))
    return alignment


def log_likelihood(tree, lengths, kappa, alignment):
    """Felsenstein's pruning, for all sites at once. Branches without a length have none."""
    q = rates(kappa)

    def below(node):
        if isinstance(node, str):
            return np.eye(4)[alignment[node]]
        chances = 1.0
        for child in node:
            branch = lengths.get(name_of(child))
            partial = below(child)
            chances = chances * (partial if branch is None else partial @ expm(q * branch).T)
        return chances

    return np.sum(np.log(below(tree) @ np.full(4, 0.25)))


def fit(tree, names, alignment, kappa=None):
    """Branch lengths by name, and kappa unless it is given."""

    def loss(logarithms):
        values = np.exp(logarithms)
        lengths = dict(zip(names, values, strict=False))
        return -log_likelihood(tree, lengths, values[-1] if kappa is None else kappa, alignment) / SITES

    start = np.log([0.1] * len(names) + [2.0] * (kappa is None))
    options = {"ftol": 1e-11}
    found = minimize(morula.value_and_grad(loss), start, jac=True, method="L-BFGS-B", options=options)
    values = np.exp(found.x)
    return dict(zip(names, values, strict=False)), values[-1] if kappa is None else kappa


def main(path="phylogenetics.png"):
    alignment = simulated()
    pair = {name: alignment[name] for name in ("human", "lemur")}
    (distance,) = fit(("human", "lemur"), ["human"], pair, kappa=1.0)[0].values()
    share = np.mean(pair["human"] != pair["lemur"])
    lengths, kappa = fit(TREE, list(TRUE), alignment)

    print("Six species, 1,500 sites: changes for each site, by branch\n")
    print("                          true    fitted")
    for name, true in TRUE.items():
        print(f"  {name:<20}{true:10.3f}{lengths[name]:10.3f}")
    print(f"  {'kappa':<20}{KAPPA:10.3f}{kappa:10.3f}")
    print(f"\n  human to lemur by Jukes and Cantor: fitted {distance:.8f}")
    print(f"                              closed form {-0.75 * np.log(1 - 4 / 3 * share):.8f}")
    plot(lengths, path)


def plot(lengths, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, axes = plt.subplots(figsize=(7.2, 3.8))
    rows = iter(range(6))

    def draw(node, parent, known):
        """The height of a node, drawn with its branches below it."""
        name = name_of(node)
        x, x_true = parent + lengths.get(name, 0.0), known + TRUE.get(name, 0.0)
        if isinstance(node, str):
            y = next(rows)
            axes.text(max(x, x_true) + 0.012, y, node, va="center", fontweight="bold", color="#333333")
        else:
            heights = [draw(child, x, x_true) for child in node]
            y = np.mean(heights)
            axes.plot([x, x], [heights[0], heights[-1]], color="#2f6f8f", linewidth=2.5)
        axes.plot([parent, x], [y, y], color="#2f6f8f", linewidth=2.5, solid_capstyle="round")
        axes.plot(x_true, y, "|", color="#c0392b", markersize=16, markeredgewidth=2)
        return y

    draw(TREE, 0.0, 0.0)
    axes.plot([], [], "|", color="#c0392b", markersize=12, markeredgewidth=2, label="where it is in truth")
    axes.set(xlabel="changes for each site since the root", yticks=[], ylim=(5.6, -0.6), xlim=(-0.005, 0.46))
    axes.spines["left"].set_visible(False)
    axes.set_title("A tree with its fitted branch lengths")
    axes.legend(loc="upper right")
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
