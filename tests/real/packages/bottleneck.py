import bottleneck as bn
import numpy as np

a = np.array([[1.0, 2.5, np.nan, 0.3], [0.2, 1.7, 2.2, 3.1]])
b = np.array([1.0, 2.5, 1.7, 0.3, 0.9])

CALLS = {
    "nanmean": (lambda s: bn.nanmean(a * s, axis=1), 0.7),
    "nanmedian": (lambda s: bn.nanmedian(a * s, axis=0), 0.7),
    "nanstd": (lambda s: bn.nanstd(a * s, axis=1, ddof=1), 0.7),
    "nanmin": (lambda x: bn.nanmin(x), b),
    "median": (lambda x: bn.median(x), b),
    "move_mean": (lambda x: bn.move_mean(x, 3, min_count=1), b),
    "move_std": (lambda x: bn.move_std(x, 3, ddof=1)[2:], b),
    "move_max": (lambda x: bn.move_max(x, 2)[1:], b),
}
