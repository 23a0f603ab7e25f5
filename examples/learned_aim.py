"""A PyTorch network learns to aim: its training loop goes through a simulation in plain Python.

    python examples/learned_aim.py [plot.png]

A ball flies through air and wind and bounces once; the loop ends when the last ball has come to rest. The network
is told where the ball shall land and chooses speed and angle. The loss is the miss, whose gradient comes back from
a simulation that knows nothing of tensors, by `to_torch`. The slope by one of the weights is compared with a
central difference.
"""

import sys
from pathlib import Path

import numpy as np
import torch

from morula.torch import to_torch

STEP, WIND, DRAG = 0.05, -1.5, 0.012


def flights(speed, angle, watch=None):
    """Where balls land that leave with these speeds and angles; `watch` collects where they are."""
    x, y = np.zeros(len(speed)), np.full(len(speed), 1.0)
    vx, vy = speed * np.cos(angle), speed * np.sin(angle)
    landed, bounced = np.zeros(len(speed)), np.zeros(len(speed), dtype=bool)
    flying = np.ones(len(speed), dtype=bool)
    while flying.any():
        if watch is not None:
            watch.append((x.copy(), y.copy(), flying.copy()))
        fast = np.hypot(vx - WIND, vy)
        vx = vx - STEP * DRAG * fast * (vx - WIND)
        vy = vy - STEP * (9.81 + DRAG * fast * vy)
        x, y = x + STEP * vx, y + STEP * vy
        for i in np.flatnonzero(flying & (y < 0)):
            back = y[i] / vy[i]  # so long ago it has touched the ground
            x[i] -= back * vx[i]
            y[i], vx[i], vy[i] = 0.0, 0.6 * vx[i], -0.5 * vy[i]
            if bounced[i]:
                landed[i], flying[i] = x[i], False
            bounced[i] = True
    return landed


class Aim(torch.nn.Module):
    """From a distance in units of 40 m to speed and angle."""

    def __init__(self):
        super().__init__()
        sizes = torch.nn.Linear(1, 12), torch.nn.Tanh(), torch.nn.Linear(12, 2)
        self.layers = torch.nn.Sequential(*sizes).double()

    def forward(self, distance):
        out = self.layers(distance[:, None] / 40)
        return 12 + 18 * torch.sigmoid(out[:, 0]), 0.3 + 0.9 * torch.sigmoid(out[:, 1])


def main(path="learned_aim.png"):
    torch.manual_seed(0)
    aim, simulate = Aim(), to_torch(flights)
    distances = torch.linspace(15.0, 55.0, 9, dtype=torch.float64)

    def miss():
        return ((simulate(*aim(distances)) - distances) ** 2).mean()

    weight = aim.layers[0].weight
    miss().backward()
    slope, h = weight.grad[3, 0].item(), 1e-6
    around = []
    for sign in (1, -1):
        with torch.no_grad():
            weight[3, 0] += sign * h
            around.append(miss().item())
            weight[3, 0] -= sign * h
    difference = (around[0] - around[1]) / (2 * h)

    optimizer = torch.optim.Adam(aim.parameters(), 0.03)
    errors = []
    for _ in range(150):
        optimizer.zero_grad()
        loss = miss()
        loss.backward()
        optimizer.step()
        errors.append(loss.item() ** 0.5)
    print("A network of PyTorch that aims, through a simulation in plain Python\n")
    print(f"  slope by a weight {slope:.9f}, by a central difference {difference:.9f}")
    print(f"  root mean square miss before training {errors[0]:.2f} m, after {len(errors)} steps {errors[-1]:.2f} m")
    plot(aim, distances, errors, path)


def plot(aim, distances, errors, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    with torch.no_grad():
        speed, angle = (t.numpy() for t in aim(distances))
    seen = []
    flights(speed, angle, seen)
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.0), width_ratios=(2, 1))
    for i, distance in enumerate(distances.numpy()):
        track = [(x[i], y[i]) for x, y, flying in seen if flying[i]]
        left.plot(*zip(*track, strict=True), linewidth=1.2)
        left.plot(distance, 0, "v", color="#333333", markersize=5)
    left.set(xlabel="distance (m)", ylabel="height (m)", ylim=(-0.5, None))
    left.set_title("Flights to nine marks, one bounce each")
    right.semilogy(errors)
    right.set(xlabel="step of Adam", ylabel="miss (m)")
    right.set_title("Training")
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
