import numpy as np
import pymannkendall as mk

CALLS: dict = {}
X = np.cumsum(np.random.default_rng(4).standard_normal(20) + 0.4)
CALLS["sens_slope"] = (lambda x: mk.sens_slope(x).slope, X)
CALLS["original_test"] = (lambda x: mk.original_test(x).slope + mk.original_test(x).intercept, X)
CALLS["seasonal_sens_slope"] = (lambda x: mk.seasonal_sens_slope(x, period=4).slope, X)
CALLS["yue_wang"] = (lambda x: mk.yue_wang_modification_test(x).z, X)
CALLS["hamed_rao"] = (lambda x: mk.hamed_rao_modification_test(x).slope, X)
CALLS["pre_whitening"] = (lambda x: mk.pre_whitening_modification_test(x).slope, X)
CALLS["trend_free"] = (lambda x: mk.trend_free_pre_whitening_modification_test(x).slope, X)
