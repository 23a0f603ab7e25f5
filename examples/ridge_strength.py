"""How strong the penalty of a regression should be: the derivative of a validation loss through `minimize`.

    python examples/ridge_strength.py [plot.png]

A polynomial of degree 12 is fitted to 20 noisy points, robustly and with a ridge penalty, by `scipy.optimize.minimize`.
The strength of the penalty is the one that predicts 20 other points best. So there is a minimization inside what is
minimized; the gradient of the validation loss passes through it by the implicit function theorem, not through its
steps. With squares instead of the robust loss the inner problem has a solution in closed form, which checks the rest.
"""

import sys

import numpy as np
from scipy.optimize import minimize
from scipy.special import pseudo_huber

import morula

DEGREE = 12
rng = np.random.default_rng(0)
PLACES = np.sort(rng.uniform(-1, 1, 40))
VALUES = np.sin(4 * PLACES) + 0.3 * rng.standard_t(3, size=40)
TRAINING = np.arange(40) % 2 == 0


def features(x):
    return np.polynomial.legendre.legvander(x, DEGREE)


def fitted(log_strength, loss):
    """Coefficients of the polynomial that the training points and the penalty ask for."""
    A, y = features(PLACES[TRAINING]), VALUES[TRAINING]

    def objective(c):
        return np.sum(loss(A @ c - y)) + np.exp(log_strength) * np.sum(c[1:] ** 2)

    return minimize(morula.value_and_grad(objective), np.zeros(DEGREE + 1), jac=True, options={"gtol": 1e-9}).x


def robust(r):
    return pseudo_huber(0.3, r)


def validation_loss(log_strength, loss=robust):
    c = fitted(log_strength, loss)
    return np.mean(loss(features(PLACES[~TRAINING]) @ c - VALUES[~TRAINING]))


def squares(r):
    return r**2


def closed_form(log_strength):
    """The validation loss with squares, by the normal equations."""
    A, y = features(PLACES[TRAINING]), VALUES[TRAINING]
    penalty = np.exp(log_strength) * np.diag(np.arange(DEGREE + 1) > 0)
    c = np.linalg.solve(A.T @ A + penalty, A.T @ y)
    return np.mean((features(PLACES[~TRAINING]) @ c - VALUES[~TRAINING]) ** 2)


def central_difference(f, x, h=1e-2):
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


def main(path="ridge_strength.png"):
    start = -6.0
    exact, curvature = morula.grad(validation_loss)(start), morula.hessian(validation_loss, start)
    difference = central_difference(validation_loss, start)
    second = central_difference(morula.grad(validation_loss), start)
    with_squares = morula.grad(validation_loss)(start, squares)
    known = central_difference(closed_form, start)

    found = minimize(morula.value_and_grad(lambda s: validation_loss(s[0])), [start], jac=True, options={"gtol": 1e-8})
    best = found.x[0]

    print("A polynomial of degree 12 through 20 points; the ridge penalty is chosen by 20 others\n")
    print(f"  best strength                 {np.exp(best):14.6f}")
    print(f"  validation loss               {found.fun:14.6f}")
    print(f"  its slope there               {morula.grad(validation_loss)(best):14.1e}")
    print(f"  fits on the way               {found.nfev:14d}\n")
    print(f"At strength exp({start:.0f})         by the implicit function    by differences")
    print(f"  slope                       {exact:22.9f} {difference:17.9f}")
    print(f"  second derivative           {curvature:22.9f} {second:17.9f}")
    print(f"  slope with squares          {with_squares:22.9f} {known:17.9f}  (in closed form)")
    errors = [exact / difference - 1, curvature / second - 1, with_squares / known - 1]
    print(f"  largest relative difference {np.max(np.abs(errors)):.1e}\n")
    plot(best, path)
    print(f"Plot of fits and of the validation loss: {path}")


def plot(best, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
    x = np.linspace(-1, 1, 300)
    left.plot(PLACES[TRAINING], VALUES[TRAINING], "o", color="#333333", markersize=4, label="training")
    left.plot(PLACES[~TRAINING], VALUES[~TRAINING], "o", color="#999999", markersize=4, label="validation")
    for s, colour in ((-9.0, "#c0392b"), (best, "#2c6fbb"), (3.0, "#7aa874")):
        left.plot(x, features(x) @ fitted(s, robust), color=colour, label=f"strength {np.exp(s):.2g}")
    left.set(xlabel="place", ylabel="value", ylim=(-2.2, 2.2))
    left.legend(frameon=False, fontsize=8)
    strengths = np.linspace(-9, 3, 40)
    right.plot(strengths, [validation_loss(s) for s in strengths], color="#333333")
    for s in (-7.0, -5.0, best, 0.0):
        y, slope = validation_loss(s), morula.grad(validation_loss)(s)
        right.plot([s - 1, s + 1], [y - slope, y + slope], color="#2c6fbb", linewidth=2)
        right.plot(s, y, "o", color="#2c6fbb")
    right.set(xlabel="logarithm of the strength", ylabel="validation loss")
    right.set_title("with exact slopes", fontsize=11)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
