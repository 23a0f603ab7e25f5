import numpy as np
import peakutils

CALLS: dict = {}
X = np.linspace(0.0, 10.0, 60)
Y = 3.0 * np.exp(-((X - 3.1) ** 2)) + 2.0 * np.exp(-((X - 7.2) ** 2) / 2) + 0.1 * X
CALLS["baseline"] = (lambda y: peakutils.baseline(y, 2), Y)
CALLS["envelope"] = (lambda y: peakutils.envelope(y, 2), Y)
CALLS["centroid"] = (lambda y: peakutils.centroid(X, y), Y)
CALLS["centroid2"] = (lambda y: peakutils.centroid2(y, X), Y)
CALLS["interpolate"] = (lambda y: peakutils.interpolate(X, y, ind=np.array([18, 43]), width=5), Y)
CALLS["interpolate centroid"] = (
    lambda y: peakutils.interpolate(X, y, ind=np.array([18, 43]), width=5, func=peakutils.centroid),
    Y,
)
CALLS["indexes"] = (lambda y: y[peakutils.indexes(y, thres=0.3, min_dist=5)], Y)
CALLS["scale"] = (lambda y: peakutils.scale(y, (-1.0, 1.0))[0], Y)
CALLS["gaussian"] = (lambda c: peakutils.gaussian(X, 1.2, c, 0.8), 3.1)
