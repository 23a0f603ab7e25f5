"""Programs with `scipy.cluster.hierarchy`: heights of merges, while the merges stay the same."""

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial import distance

import morula
from morula import gradient, hvp, jvp

RNG = np.random.default_rng(3)
POINTS = RNG.normal(size=(9, 2))
CONDENSED = distance.pdist(POINTS)
WEIGHTS = np.arange(1.0, 9.0)
METHODS = ["single", "complete", "average", "weighted", "centroid", "median", "ward"]


def check(f, x):
    v = RNG.normal(size=x.shape)
    slope = (f(x + 1e-6 * v) - f(x - 1e-6 * v)) / 2e-6
    found = morula.withgradient(f, x)
    assert found.value == pytest.approx(f(x), rel=1e-13)
    assert np.sum(found.gradient[0] * v) == pytest.approx(slope, rel=1e-6, abs=1e-8)
    assert jvp(f, (x,), (v,))[1] == pytest.approx(slope, rel=1e-6, abs=1e-8)
    bend = (gradient(f, x + 1e-5 * v)[0] - gradient(f, x - 1e-5 * v)[0]) / 2e-5
    np.testing.assert_allclose(hvp(f, x, v), bend, rtol=1e-5, atol=1e-5 * (1.0 + np.abs(bend).max()))


@pytest.mark.parametrize("method", METHODS)
def test_heights_of_merges(method):
    check(lambda y: hierarchy.linkage(y, method)[:, 2] ** 2 @ WEIGHTS, CONDENSED)
    check(lambda x: np.log(hierarchy.linkage(x, method)[:, 2]) @ WEIGHTS, POINTS)


def test_other_ways_to_say_it():
    check(lambda y: hierarchy.average(y)[:, 2] @ WEIGHTS + hierarchy.ward(y)[-1, 2], CONDENSED)
    check(lambda x: hierarchy.linkage(x, "average", "cityblock", optimal_ordering=True)[:, 2] ** 2 @ WEIGHTS, POINTS)
    ordered = lambda y: hierarchy.optimal_leaf_ordering(hierarchy.linkage(y, "average"), y)
    check(lambda y: ordered(y)[:, 2] ** 2 @ WEIGHTS, CONDENSED)


def test_heights_of_pairs():
    check(lambda y: hierarchy.cophenet(hierarchy.linkage(y, "average")) ** 2 @ np.arange(36.0), CONDENSED)
    check(lambda y: hierarchy.cophenet(hierarchy.linkage(y, "average"), y)[0], CONDENSED)


def test_clusters_are_constants():
    def spread(x):
        labels = hierarchy.fcluster(hierarchy.linkage(x, "ward"), 3, "maxclust")
        return sum(np.sum((x[labels == k] - x[labels == k].mean(axis=0)) ** 2) for k in (1, 2, 3))

    check(spread, POINTS)
