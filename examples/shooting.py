"""Earth to Mars by two burns: shooting for the flight, and the cheapest one by the gradient through the shooting.

    python examples/shooting.py [plot.png]

The planets go round the sun in circles. For a day of departure and a duration, the velocity with which to leave is
found by shooting: `scipy.optimize.root` turns it until `scipy.integrate.solve_ivp` arrives where Mars will be. The
cheapest flight of all is found by the gradient of the burns with respect to day and duration, through root and
through solve_ivp. It is known since 1925: half an ellipse that touches both circles (W. Hohmann, Die Erreichbarkeit
der Himmelskörper). Lengths are in astronomical units, times in years, the model knows nothing of derivatives.
"""

import math
import sys

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import minimize, root

import morula

SUN = 4 * math.pi**2  # its mass times the gravitational constant
EARTH, MARS = 1.0, 1.5237  # radii of the orbits
AHEAD = math.radians(90)  # where Mars is at time 0, before Earth
KM_PER_S = 4.74047  # of one astronomical unit in a year
DAYS = 365.25


def planet(radius, angle, t):
    """Place and velocity on a circle."""
    speed = math.sqrt(SUN / radius)
    phase = angle + t * speed / radius
    return radius * np.array([np.cos(phase), np.sin(phase)]), speed * np.array([-np.sin(phase), np.cos(phase)])


def pull(t, state):
    place, velocity = state[:2], state[2:]
    return np.concatenate([velocity, -SUN * place / np.sum(place**2) ** 1.5])


def flight(velocity, start, duration, **options):
    state = np.concatenate([start, velocity])
    return solve_ivp(pull, (0.0, duration), state, method="DOP853", rtol=1e-9, atol=1e-9, **options)


def burns(departure, duration):
    """What it takes to leave Earth's orbit and to stay in that of Mars, and the velocity with which to leave."""
    start, with_earth = planet(EARTH, 0.0, departure)
    target, with_mars = planet(MARS, AHEAD, departure + duration)

    def miss(velocity):
        return flight(velocity, start, duration).y[:2, -1] - target

    shot = root(miss, 1.1 * with_earth, tol=1e-10)
    arrival = flight(shot.x, start, duration).y[2:, -1]
    return np.linalg.norm(shot.x - with_earth), np.linalg.norm(with_mars - arrival), shot.x


def cost(plan):
    leaving, staying, _ = burns(plan[0], plan[1])
    return leaving + staying


def central_differences(f, x, h=1e-3):
    steps = h * np.eye(len(x))
    return np.array([(8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h) for e in steps])


def hohmann():
    """The cheapest flight by two burns: its duration and its burns."""
    axis = (EARTH + MARS) / 2
    speed = lambda radius: math.sqrt(SUN * (2 / radius - 1 / axis))
    leaving = speed(EARTH) - math.sqrt(SUN / EARTH)
    return math.pi * math.sqrt(axis**3 / SUN), leaving, math.sqrt(SUN / MARS) - speed(MARS)


def main(path="shooting.png"):
    start = np.array([0.25, 0.55])
    exact, differences = morula.gradient(cost, start)[0], central_differences(cost, start)
    problem = morula.for_scipy(cost)
    found = minimize(problem.fun, start, jac=problem.jac, method="BFGS", options={"gtol": 1e-7})
    leaving, staying, velocity = burns(*found.x)
    duration, first, second = hohmann()

    print("Earth to Mars by two burns, planets on circles\n")
    print("                          found   Hohmann, 1925")
    print(f"  duration (days)     {found.x[1] * DAYS:11.3f} {duration * DAYS:13.3f}")
    print(f"  first burn (km/s)   {leaving * KM_PER_S:11.5f} {first * KM_PER_S:13.5f}")
    print(f"  second burn (km/s)  {staying * KM_PER_S:11.5f} {second * KM_PER_S:13.5f}")
    print(f"  {found.nfev} flights were shot for, {found.nit} iterations\n")
    print("Gradient at the start        d/d departure      d/d duration")
    print("  morula             " + "".join(f"{g:18.9f}" for g in exact))
    print("  central differences" + "".join(f"{g:18.9f}" for g in differences))
    print(f"  largest relative difference {np.max(np.abs(exact / differences - 1)):.1e}\n")
    plot(found.x, velocity, path)
    print(f"Plot of the flight: {path}")


def plot(plan, velocity, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    departure, duration = plan
    figure, axes = plt.subplots(figsize=(5.4, 5.4), layout="constrained")
    circle = np.linspace(0, 2 * np.pi, 200)
    for radius, angle, name, colour in ((EARTH, 0.0, "Earth", "#2c6fbb"), (MARS, AHEAD, "Mars", "#c0392b")):
        axes.plot(radius * np.cos(circle), radius * np.sin(circle), color=colour, linewidth=0.8, alpha=0.5)
        for t, size in ((departure, 7), (departure + duration, 4)):
            axes.plot(*planet(radius, angle, t)[0], "o", color=colour, markersize=size)
        axes.text(*(planet(radius, angle, departure)[0] * 1.12), name, color=colour, fontweight="bold")
    times = np.linspace(0, duration, 100)
    place = flight(velocity, planet(EARTH, 0.0, departure)[0], duration, t_eval=times).y
    axes.plot(place[0], place[1], color="#333333", linewidth=2)
    axes.plot(0, 0, "o", color="#e6a817", markersize=14)
    axes.set(aspect="equal", xlabel="astronomical units")
    axes.set_title(f"The cheapest flight takes {duration * DAYS:.0f} days", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
