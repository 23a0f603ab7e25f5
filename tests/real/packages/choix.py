import choix
import networkx
import numpy as np

CALLS: dict = {}
GRAPH = networkx.complete_graph(4, create_using=networkx.DiGraph)
P = np.array([0.3, 1.2, -0.4, 0.1])
CALLS["probabilities"] = (lambda p: choix.probabilities([0, 1, 2], p), P)
CALLS["log_likelihood_pairwise"] = (lambda p: choix.log_likelihood_pairwise([(0, 1), (2, 1), (3, 0), (1, 2)], p), P)
CALLS["log_likelihood_rankings"] = (lambda p: choix.log_likelihood_rankings([(0, 1, 2), (3, 1, 0)], p), P)
CALLS["log_likelihood_top1"] = (lambda p: choix.log_likelihood_top1([(0, (1, 2)), (3, (1, 0))], p), P)
CALLS["log_likelihood_network"] = (
    lambda p: choix.log_likelihood_network(GRAPH, np.array([3, 1, 2, 2]), np.array([2, 2, 1, 3]), p),
    P,
)
CALLS["ilsr with regularisation"] = (
    lambda a: choix.ilsr_pairwise(4, [(0, 1), (2, 1), (3, 0), (1, 2)], alpha=a, tol=1e-12),
    0.2,
)
