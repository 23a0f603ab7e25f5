import numpy as np
from rocketpy import Environment, Function
from rocketpy.mathutils.vector_matrix import Matrix, Vector
from rocketpy.rocket.aero_surface import NoseCone, Tail, TrapezoidalFins

CALLS: dict = {}
T = np.array([0.0, 0.5, 1.0, 1.7, 2.2])
Y = np.array([0.0, 3.0, 4.1, 2.0, 0.3])


def table(y, how):
    return Function(np.column_stack([T, y]), interpolation=how, extrapolation="constant")


CALLS["Function linear"] = (lambda y: table(y, "linear")(0.7), Y)
CALLS["Function spline"] = (lambda y: table(y, "spline")(0.7), Y)
CALLS["Function akima"] = (lambda y: table(y, "akima")(0.7), Y)
CALLS["Function polynomial"] = (lambda y: table(y, "polynomial")(0.7), Y)
CALLS["Function at"] = (lambda x: table(Y, "spline")(x), 1.3)
CALLS["integral"] = (lambda y: table(y, "spline").integral(0.2, 2.0), Y)
CALLS["product"] = (lambda y: (table(y, "linear") * 2.0 + 1.0)(1.2), Y)
CALLS["callable"] = (lambda a: Function(lambda t: a * np.sin(a * t)).differentiate(0.4, dx=1e-3), 1.3)
CALLS["Vector"] = (
    lambda a: (Vector([a[0], a[1], 1.0]) ^ Vector([0.3, a[2], 2.0])).unit_vector @ Vector([1.0, 2.0, 3.0]),
    np.array([0.4, 1.3, 0.9]),
)
CALLS["Matrix.transformation"] = (
    lambda q: list((Matrix.transformation(q) @ Vector([1.0, 2.0, 3.0])).components),
    np.array([0.9, 0.1, -0.3, 0.2]),
)
CALLS["Matrix.inverse"] = (
    lambda a: (
        Matrix([[a[0], 1.0, 0.2], [0.3, a[1], 0.1], [0.0, 0.4, a[2]]]).inverse @ Vector([1.0, 2.0, 3.0])
    ).components[1],
    np.array([2.0, 1.5, 3.0]),
)
CALLS["atmosphere"] = (lambda h: (Environment().density(h), Environment().speed_of_sound(h)), 1500.0)
CALLS["NoseCone"] = (lambda length, r: NoseCone(length, "vonKarman", base_radius=r, rocket_radius=r).cpz, 0.55, 0.06)
CALLS["Tail"] = (lambda a, b: (Tail(a, b, 0.06, 0.065).cpz, Tail(a, b, 0.06, 0.065).clalpha(0.0)), 0.06, 0.04)
CALLS["fins"] = (lambda c, s: TrapezoidalFins(4, c, 0.06, s, 0.0635).clalpha(0.3), 0.12, 0.1)
