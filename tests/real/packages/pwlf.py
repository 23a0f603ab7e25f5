import numpy as np
import pwlf

x = np.linspace(0, 1, 12)
y = np.abs(x - 0.4) + 0.01 * np.random.default_rng(0).normal(size=12)


def predicted(y):
    model = pwlf.PiecewiseLinFit(x, y)
    model.fit_with_breaks([0.0, 0.4, 1.0])
    return model.predict(np.array([0.2, 0.7]))


CALLS = {
    "fit_with_breaks": (lambda b: pwlf.PiecewiseLinFit(x, y).fit_with_breaks(np.array([0.0, b, 1.0])), 0.45),
    "predict": (predicted, y),
}
