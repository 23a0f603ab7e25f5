"""A neural network as one writes it in Python: classes, lists and NumPy, and an optimiser of twenty lines.

    python examples/neural_network.py [plot.png]

Two spirals are told apart. Nothing here is a tensor: a layer is an object with two arrays, a network an object with a
list of layers, and the gradient of the loss with respect to the network has the same fields. Back-propagation written
by hand, as in any textbook, checks it.
"""

import sys
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

import morula


@dataclass
class Layer:
    weights: np.ndarray
    bias: np.ndarray

    def __call__(self, x):
        return x @ self.weights + self.bias


@dataclass
class Network:
    layers: list = field(default_factory=list)

    @classmethod
    def of(cls, sizes, rng):
        return cls([Layer(rng.normal(size=(m, n)) * np.sqrt(2 / m), np.zeros(n)) for m, n in pairwise(sizes)])

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = np.tanh(layer(x))
        return self.layers[-1](x)[:, 0]


def loss(network, points, labels):
    """The mean logistic loss, for labels of -1 and 1."""
    return np.mean(np.logaddexp(0.0, -labels * network(points)))


class Adam:
    """Kingma and Ba, 2015."""

    def __init__(self, rate=0.02):
        self.rate, self.count, self.means, self.squares = rate, 0, None, None

    def step(self, arrays, gradients):
        if self.means is None:
            self.means, self.squares = ([np.zeros_like(a) for a in arrays] for _ in range(2))
        self.count += 1
        for array, slope, mean, square in zip(arrays, gradients, self.means, self.squares, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            towards = mean / (1 - 0.9**self.count)
            array -= self.rate * towards / (np.sqrt(square / (1 - 0.999**self.count)) + 1e-8)


def arrays_of(network):
    return [array for layer in network.layers for array in (layer.weights, layer.bias)]


def back_propagation(network, points, labels):
    """The gradients of all arrays, by hand."""
    inputs = [points]
    for layer in network.layers[:-1]:
        inputs.append(np.tanh(layer(inputs[-1])))
    margin = labels * network.layers[-1](inputs[-1])[:, 0]
    error = (-labels / (1 + np.exp(margin)) / len(labels))[:, None]
    gradients = []
    for layer, x in zip(reversed(network.layers), reversed(inputs), strict=True):
        gradients[:0] = [x.T @ error, error.sum(axis=0)]
        error = error @ layer.weights.T * (1 - x**2)
    return gradients


def spirals(rng, count=120):
    turn = np.sqrt(rng.uniform(0.02, 1, count)) * 3 * np.pi
    arm = np.stack([turn * np.cos(turn), turn * np.sin(turn)], axis=1) / 10 + 0.015 * rng.normal(size=(count, 2))
    return np.concatenate([arm, -arm]), np.repeat([1.0, -1.0], count)


def main(path="neural_network.png"):
    rng = np.random.default_rng(2)
    points, labels = spirals(rng)
    network, optimiser = Network.of([2, 24, 24, 1], rng), Adam()

    by_hand = back_propagation(network, points, labels)
    exact = arrays_of(morula.gradient(loss, network, points, labels)[0])
    disagreement = max(np.max(np.abs(a - b)) for a, b in zip(exact, by_hand, strict=True))

    history = []
    for _ in range(600):
        value, (slope, _, _) = morula.withgradient(loss, network, points, labels)
        optimiser.step(arrays_of(network), arrays_of(slope))
        history.append(value)
    right = np.mean((network(points) > 0) == (labels > 0))

    print("Two spirals, a network of 24 and 24 hidden units, 697 numbers\n")
    print(f"  largest difference from back-propagation by hand {disagreement:.1e}")
    print(f"  loss at the start {history[0]:.3f}, after 600 steps {history[-1]:.4f}")
    print(f"  told apart rightly {right:.1%}")
    plot(network, points, labels, history, path)


def plot(network, points, labels, history, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, (left, right) = plt.subplots(1, 2, gridspec_kw={"width_ratios": [3, 2]})
    x, y = np.meshgrid(np.linspace(-1.1, 1.1, 160), np.linspace(-1.1, 1.1, 160))
    score = network(np.stack([x.ravel(), y.ravel()], axis=1)).reshape(x.shape)
    left.contourf(x, y, 1 / (1 + np.exp(-score)), levels=np.linspace(0, 1, 21), cmap="RdBu", alpha=0.75)
    left.scatter(*points.T, c=np.where(labels > 0, "#15466b", "#8c1d13"), s=12, edgecolor="white", linewidth=0.4)
    left.set(xticks=[], yticks=[], aspect="equal")
    left.set_title("Two spirals, told apart")
    right.semilogy(history)
    right.set(xlabel="step", ylabel="loss")
    right.set_title("Training")
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
