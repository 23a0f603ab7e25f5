"""A lens is shaped until all rays meet in one point.

    python examples/lens.py [plot.png]

Parallel rays enter a lens by its flat face and leave it by a curved one, where Snell's law bends them; the loss is the
size of the spot at the wanted focus. A spherical face blurs. That a hyperbola of conic constant -n^2 focuses perfectly
has been known since Descartes (La dioptrique, 1637); the fit knows nothing of it, and finds it.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import morula

INDEX, THICKNESS, FOCUS = 1.5, 2.2, 8.0
HEIGHTS = np.linspace(-2.2, 2.2, 12)


def sag(heights, curvature, conic):
    """How far the surface of revolution has receded at a height above the axis."""
    squared = curvature * heights**2
    return squared / (1 + np.sqrt(1 - (1 + conic) * curvature * squared))


def trace(shape):
    """Points where the rays leave the lens, and their directions after that."""
    curvature, conic = shape
    z = THICKNESS - sag(HEIGHTS, curvature, conic)
    root = np.sqrt(1 - (1 + conic) * curvature**2 * HEIGHTS**2)
    normal = np.stack([np.ones_like(HEIGHTS), curvature * HEIGHTS / root])
    normal = normal / np.sqrt(np.sum(normal**2, axis=0))
    cosine = normal[0]
    bent = np.sqrt(1 - INDEX**2 * (1 - cosine**2))
    direction = INDEX * np.array([[1.0], [0.0]]) + (bent - INDEX * cosine) * normal
    return z, direction


def spot(shape):
    """The mean squared distance from the axis in the focal plane."""
    z, direction = trace(shape)
    landing = HEIGHTS + (THICKNESS + FOCUS - z) * direction[1] / direction[0]
    return np.mean(landing**2)


def main(path="lens.png"):
    spherical = morula.value_and_grad(lambda c: spot((c[0], 0.0)))
    sphere = minimize(spherical, [0.2], jac=True, bounds=[(0.05, 0.26)], method="L-BFGS-B").x
    problem = morula.for_scipy(lambda shape: 1e4 * spot(shape))
    found = minimize(
        problem.fun, [sphere[0], -1.0], jac=problem.jac, hess=problem.hess, method="trust-exact", options={"gtol": 1e-9}
    )
    curvature, conic = found.x
    differences = [(spot(found.x + h) - spot(found.x - h)) / 2e-6 for h in 1e-6 * np.eye(2)]

    print("A flat and a curved face, index 1.5, focus 8 behind the lens\n")
    print(f"  conic constant  {conic:10.6f}   Descartes {-(INDEX**2):10.6f}")
    print(f"  curvature       {curvature:10.6f}   Descartes {1 / (FOCUS * (INDEX - 1)):10.6f}")
    print(f"  spot, spherical {np.sqrt(spot((sphere[0], 0.0))):.1e}, fitted {np.sqrt(spot(found.x)):.1e}")
    print(f"  largest difference of the gradient from differences {np.max(np.abs(found.jac / 1e4 - differences)):.1e}")
    plot({"the best sphere": (sphere[0], 0.0), "fitted": found.x}, path)


def plot(shapes, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, panels = plt.subplots(2, 1, figsize=(7.2, 4.6), sharex=True)
    for axes, (title, shape) in zip(panels, shapes.items(), strict=True):
        edge = np.linspace(-2.35, 2.35, 200)
        face = THICKNESS - sag(edge, *shape)
        axes.fill_betweenx(edge, 0, face, color="#9cc5d8", alpha=0.6, lw=0)
        axes.plot(np.concatenate([[0], face, [0]]), np.concatenate([[-2.35], edge, [2.35]]), color="#2f6f8f")
        z, direction = trace(shape)
        far = THICKNESS + FOCUS + 1.5
        for height, out, along in zip(HEIGHTS, z, direction.T, strict=True):
            end = height + (far - out) * along[1] / along[0]
            axes.plot([-1.5, out, far], [height, height, end], color="#d98e04", linewidth=0.9)
        axes.axvline(THICKNESS + FOCUS, color="#999999", linestyle=":", linewidth=1)
        axes.set(yticks=[], xticks=[], ylim=(-2.6, 2.6), aspect="equal")
        axes.spines[:].set_visible(False)
        axes.set_title(title)
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
