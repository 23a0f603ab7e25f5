"""A robot arm draws a figure of eight and keeps clear of a post.

    python examples/robot_arm.py [plot.png]

The arm has five joints and the curve has 48 points: 240 angles are found at once. The cost is written as one would
explain it: where the pen is, how smooth the motion is, how near the links come to the post. For the position of the pen
there is a classical Jacobian, the lever arms of the joints, which checks the derivative.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import morula

LINKS = np.array([1.0, 0.9, 0.8, 0.6, 0.4])
POINTS = 48
PHASE = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)
CURVE = np.stack([1.9 + 0.9 * np.sin(PHASE), 0.7 + 0.8 * np.sin(2 * PHASE)], axis=1)
POST, RADIUS, MARGIN = np.array([0.6, 1.3]), 0.28, 0.06


def joints(angles):
    """Where the joints are, and the pen last: of shape (..., 6, 2) for angles of shape (..., 5)."""
    places = np.zeros((*angles.shape[:-1], len(LINKS) + 1, 2))
    heading = np.cumsum(angles, axis=-1)
    for i, length in enumerate(LINKS):
        places[..., i + 1, 0] = places[..., i, 0] + length * np.cos(heading[..., i])
        places[..., i + 1, 1] = places[..., i, 1] + length * np.sin(heading[..., i])
    return places


def intrusion(places):
    """How deep each link is inside the safety zone around the post."""
    start, along = places[..., :-1, :], np.diff(places, axis=-2)
    nearest = np.clip(np.sum((POST - start) * along, axis=-1) / LINKS**2, 0.0, 1.0)
    distance = np.linalg.norm(start + nearest[..., None] * along - POST, axis=-1)
    return np.maximum(RADIUS + MARGIN - distance, 0.0)


def cost(angles):
    postures = angles.reshape(POINTS, len(LINKS))
    places = joints(postures)
    turns = postures - np.roll(postures, 1, axis=0)
    return 100 * np.sum((places[:, -1] - CURVE) ** 2) + 0.05 * np.sum(turns**2) + 300 * np.sum(intrusion(places) ** 2)


def lever_arms(angles):
    """The Jacobian of the pen's place from the textbook: turning a joint moves the pen at right angles to its lever."""
    places = joints(angles)
    levers = places[-1] - places[:-1]
    return np.stack([-levers[:, 1], levers[:, 0]])


def main(path="robot_arm.png"):
    start = np.tile([0.9, -0.5, -0.5, -0.4, -0.3], POINTS)
    (jacobian,) = morula.jacobian(lambda a: joints(a)[-1], start[:5])
    disagreement = np.max(np.abs(jacobian - lever_arms(start[:5])))

    options = {"maxiter": 80}
    found = minimize(morula.value_and_grad(cost), start, jac=True, method="L-BFGS-B", options=options)
    postures = found.x.reshape(POINTS, len(LINKS))
    places = joints(postures)

    print("A robot arm of five joints, 48 postures at once\n")
    print(f"  largest difference from the lever arms {disagreement:.1e}")
    print(f"  evaluations of cost and gradient       {found.nfev}")
    print(f"  largest distance from the curve        {np.max(np.abs(places[:, -1] - CURVE)):.4f}")
    print(f"  clearance from the post                {MARGIN - intrusion(places).max():.4f}")
    plot(postures, path)


def plot(postures, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, axes = plt.subplots()
    colours = plt.colormaps["viridis"](np.linspace(0, 0.95, POINTS))
    for posture, colour in zip(postures, colours, strict=True):
        x, y = joints(posture).T
        axes.plot(x, y, "-o", color=colour, alpha=0.55, linewidth=1.6, markersize=2.5)
    axes.plot(*np.vstack([CURVE, CURVE[:1]]).T, color="#c0392b", linewidth=2.2, zorder=5)
    axes.add_patch(plt.Circle(POST, RADIUS, color="#555555", zorder=4))
    axes.plot(0, 0, "s", color="#222222", markersize=11)
    axes.set(aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    axes.set_title("48 postures of an arm that draws the red curve around a post")
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
