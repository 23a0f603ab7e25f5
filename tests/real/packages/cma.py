import numpy as np
from cma import fitness_functions, transformations

CALLS: dict = {}
X = np.array([0.4, -0.7, 1.2])
ff = fitness_functions.FitnessFunctions()
for _name in "sphere elli cigar tablet rosen diffpow rastrigin griewank schwefel2_22 ellirot".split():
    CALLS[_name] = (lambda x, name=_name: getattr(ff, name)(x), X)
CALLS["BoxConstraintsLinQuadTransformation"] = (
    lambda x: np.asarray(transformations.BoxConstraintsLinQuadTransformation([[-1.0, 1.0]]).transform(x)),
    X,
)
