import bct
import numpy as np

CALLS: dict = {}
R = np.random.default_rng(2)
W = np.abs(R.normal(size=(6, 6)))
W = (W + W.T) / 6

for name in (
    "clustering_coef_wu",
    "clustering_coef_wd",
    "strengths_und",
    "strengths_dir",
    "transitivity_wu",
    "efficiency_wei",
    "assortativity_wei",
    "subgraph_centrality",
    "eigenvector_centrality_und",
):
    CALLS[name] = (getattr(bct, name), W)
CALLS["distance_wei"] = (lambda w: bct.distance_wei(1 / (w + np.eye(6)) * (1 - np.eye(6)))[0], W)
CALLS["charpath"] = (lambda d: bct.charpath(d + np.eye(6))[0], W)
CALLS["participation_coef"] = (lambda w: bct.participation_coef(w, np.array([1, 1, 2, 2, 3, 3])), W)
CALLS["pagerank"] = (lambda w: bct.pagerank_centrality(w, 0.85), W)
