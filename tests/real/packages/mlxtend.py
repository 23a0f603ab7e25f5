import numpy as np
from mlxtend.feature_extraction import PrincipalComponentAnalysis
from mlxtend.math import vectorspace_orthonormalization
from mlxtend.preprocessing import MeanCenterer, minmax_scaling, standardize
from mlxtend.regressor import LinearRegression

x = np.array([[1.0, 0.3], [2.0, 0.9], [4.0, -0.5], [3.0, 0.2]])
y = np.array([1.0, 2.1, 3.9, 3.2])


def regressor(x, y, method):
    r = LinearRegression(method=method)
    r.fit(x, y)
    return r.predict(np.array([[1.5, 0.1]]))


CALLS = {
    "standardize": (lambda x: standardize(x, columns=[0, 1]), x),
    "minmax_scaling": (lambda x: minmax_scaling(x, columns=[0, 1]), x),
    "MeanCenterer": (lambda x: MeanCenterer().fit_transform(x), x),
    "vectorspace_orthonormalization": (vectorspace_orthonormalization, x[:2].copy()),
    "LinearRegression direct": (lambda x, y: regressor(x, y, "direct"), x, y),
    "LinearRegression qr": (lambda x, y: regressor(x, y, "qr"), x, y),
    "LinearRegression svd": (lambda x, y: regressor(x, y, "svd"), x, y),
    "PrincipalComponentAnalysis": (lambda x: PrincipalComponentAnalysis(n_components=1).fit(x).transform(x) ** 2, x),
}
