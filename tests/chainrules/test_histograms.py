"""Histograms with edges that are arrays: NumPy hands these on as they are."""

import numpy as np
import pytest

from chainrules.testing import call_rule, test_rrule

AT, AGAIN = np.array([-0.9, -0.2, 0.0, 0.3, 0.7, 1.1]), np.array([0.4, -1.0, 0.9, 0.2, -0.6, 0.05])
WEIGHTS = np.array([1.1, 0.7, 1.9, 0.6, 1.3, 0.8])
EDGES, OTHER = np.array([-1.05, -0.31, 0.12, 0.55, 1.35]), np.array([-1.25, -0.11, 1.2])


@pytest.mark.parametrize("density", [None, True])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_edges(density, weights):
    test_rrule(np.histogram, AT, EDGES, None, density, weights)
    assert call_rule(np.histogram, AT, EDGES)[0][1] is EDGES
    for bins in (EDGES, [EDGES, OTHER], [3, OTHER]):
        test_rrule(np.histogram2d, AT, AGAIN, bins, None, density, weights)
    for bins in ([EDGES, OTHER], [OTHER, 2]):
        test_rrule(np.histogramdd, np.stack((AT, AGAIN), 1), bins, None, density, weights)


def test_a_density_by_hand():
    weights, (counts, edges) = WEIGHTS, np.histogram(AT, EDGES)
    _, back = call_rule(np.histogram, AT, EDGES, None, True, weights)
    y_bar = np.array([1.0, -2.0, 0.5, 3.0])
    # y[b] = sum(w in b)/(width[b] sum(w))
    bins = np.digitize(AT, EDGES) - 1
    totals = np.array([weights[bins == b].sum() for b in range(4)])
    widths = np.diff(EDGES)
    wanted = [
        sum(y_bar[b] / widths[b] * ((bins[i] == b) / weights.sum() - totals[b] / weights.sum() ** 2) for b in range(4))
        for i in range(6)
    ]
    np.testing.assert_allclose(back((y_bar, None))[4], wanted)
    assert counts.sum() == 6 and edges is EDGES


def test_what_chooses_bins_has_no_derivative():
    _, back = call_rule(np.histogram, AT, EDGES, None, None, WEIGHTS)
    a_bar, bins_bar, *_ = back((np.ones(4), None))
    assert a_bar is None and bins_bar is None
    edges, back = call_rule(np.histogram_bin_edges, AT, "sqrt")
    a_bar, *_ = back(np.ones(len(edges)))  # they move with the ends of the sample alone
    np.testing.assert_allclose(a_bar, len(edges) / 2 * ((np.min(AT) == AT) + (np.max(AT) == AT)))
