"""Trees of species: likelihood of aligned letters by matrix exponentials."""

import numpy as np
from scipy.linalg import expm
from scipy.special import gammainc, gammaincinv, logsumexp

ALIGNMENT = {"human": "ACGTACGTAC", "chimp": "ACGTACGTAA", "gorilla": "ACGAACGTTA", "orang": "GCGAATGTTA"}


def rate_matrix(kappa, pi):
    """Hasegawa, Kishino and Yano's."""
    Q = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            if i != j:
                transition = {i, j} in ({0, 2}, {1, 3})
                Q[i, j] = (kappa if transition else 1.0) * pi[j]
    for i in range(4):
        Q[i, i] = -Q[i].sum()
    return Q / -np.dot(pi, np.diag(Q))


def leaf(letter):
    v = np.zeros(4)
    v["ACGT".index(letter)] = 1.0
    return v


def log_likelihood(theta):
    kappa = np.exp(theta[0])
    t = np.exp(theta[1:7])
    w = np.append(np.exp(theta[7:]), 1.0)
    pi = w / w.sum()
    Q = rate_matrix(kappa, pi)
    P = [expm(Q * b) for b in t]
    total = 0.0
    for site in zip(*ALIGNMENT.values()):
        h, c, g, o = map(leaf, site)
        hc = (P[0] @ h) * (P[1] @ c)
        hcg = (P[4] @ hc) * (P[2] @ g)
        root = (P[5] @ hcg) * (P[3] @ o)
        total += np.log(pi @ root)
    return total


class Node:
    def __init__(self, length, children=(), name=None):
        self.length, self.children, self.name = length, children, name

    def partial(self, model, site):
        """Felsenstein's pruning."""
        if self.name is not None:
            return leaf(ALIGNMENT[self.name][site])
        result = np.ones(4)
        for child in self.children:
            result *= model.transition(child.length).dot(child.partial(model, site))
        return result


class GammaRates:
    """Yang's discrete gamma rates, each class with its mean."""

    def __init__(self, shape, n=3):
        edges = np.concatenate([[0.0], gammaincinv(shape, np.arange(1, n) / n)])
        below = np.append(gammainc(shape + 1, edges), 1.0)
        self.rates = n * np.diff(below)


class Model:
    def __init__(self, Q):
        self.Q, self.rate, self._cache = Q, 1.0, {}

    def transition(self, t):
        key = (float(t), float(self.rate))
        if key not in self._cache:
            self._cache[key] = expm(self.Q * (t * self.rate))
        return self._cache[key]


def gamma_rates_likelihood(theta):
    pi = np.full(4, 0.25)
    lengths = iter(np.exp(theta[2:]))
    tips = {name: Node(next(lengths), name=name) for name in ALIGNMENT}
    inner = Node(next(lengths), [tips["human"], tips["chimp"]])
    tree = Node(None, [inner, tips["gorilla"], tips["orang"]])
    model = Model(rate_matrix(np.exp(theta[0]), pi))
    classes = GammaRates(np.exp(theta[1])).rates
    per_site = []
    for site in range(10):
        terms = []
        for r in classes:
            model.rate = r
            terms.append(np.log(pi.dot(tree.partial(model, site))))
        per_site.append(logsumexp(terms, b=1 / len(classes)))
    return -sum(per_site)


PROGRAMS = [
    (log_likelihood, np.array([0.7, -2.0, -2.5, -1.5, -1.0, -2.0, -1.8, 0.1, 0.2, -0.1])),
    (gamma_rates_likelihood, np.array([0.7, -0.3, -2.0, -2.5, -1.5, -1.0, -2.2])),
]
