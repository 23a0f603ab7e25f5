import numpy as np
from smt.problems import Rosenbrock
from smt.surrogate_models import IDW, LS, QP, RBF

CALLS: dict = {}
X = np.array([[0.1, 0.3], [1.2, 0.4], [0.7, 1.5], [1.9, 1.1], [0.4, 0.9], [1.5, 1.8], [0.2, 1.7]])
Y = np.sin(X[:, :1]) + X[:, 1:] ** 2
AT = np.array([[0.8, 0.7], [1.3, 1.2]])


def predicted(kind, **options):
    def at(x):
        model = kind(print_global=False, **options)
        model.set_training_values(X, Y)
        model.train()
        return model.predict_values(x)

    return at


CALLS["LS"] = (predicted(LS), AT)
CALLS["QP"] = (predicted(QP), AT)
CALLS["IDW"] = (predicted(IDW, p=2), AT)
CALLS["RBF"] = (predicted(RBF, d0=1.0), AT)
CALLS["Rosenbrock"] = (lambda x: Rosenbrock(ndim=2)(x), AT)
