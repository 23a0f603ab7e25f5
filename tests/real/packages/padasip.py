import numpy as np
import padasip as pa

rng = np.random.default_rng(0)
x = rng.normal(size=(20, 3))
d = x @ [1.0, -0.5, 0.3] + 0.1 * rng.normal(size=20)


def run(kind, d, **options):
    f = kind(n=3, w="zeros", **options)
    return f.run(d, x)


CALLS = {
    "FilterLMS mu": (lambda mu: run(pa.filters.FilterLMS, d, mu=mu)[1], 0.1),
    "FilterLMS d": (lambda d: run(pa.filters.FilterLMS, d, mu=0.1)[2], d),
    "FilterNLMS": (lambda mu: run(pa.filters.FilterNLMS, d, mu=mu)[0], 0.3),
    "FilterRLS": (lambda mu: run(pa.filters.FilterRLS, d, mu=mu)[1], 0.95),
    "FilterRLS d": (lambda d: run(pa.filters.FilterRLS, d, mu=0.9)[2], d),
    "FilterAP": (lambda mu: run(pa.filters.FilterAP, d, mu=mu, order=2)[1], 0.3),
    "FilterGNGD": (lambda mu: run(pa.filters.FilterGNGD, d, mu=mu)[1], 0.3),
    "adapt": (lambda mu: adapted(mu), 0.2),
    "MSE": (lambda d: pa.misc.MSE(d, np.zeros(20)), d),
    "standardize": (pa.standardize if hasattr(pa, "standardize") else pa.preprocess.standardize, d),
    "PCA": (lambda x: pa.preprocess.PCA(x, 1) ** 2, x),
    "input_from_history": (lambda d: pa.input_from_history(d, 3), d),
}


def adapted(mu):
    f = pa.filters.FilterLMS(3, mu=mu, w=np.zeros(3))
    for target, row in zip(d, x, strict=True):
        f.predict(row)
        f.adapt(target, row)
    return f.w
