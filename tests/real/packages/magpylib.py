import magpylib as magpy
import numpy as np
from magpylib.core import dipole_Hfield, magnet_cuboid_Bfield, magnet_sphere_Bfield, triangle_Bfield

CALLS: dict = {}
SEEN = np.array([[0.03, 0.01, 0.02], [0.01, -0.02, 0.04]])


def cuboid(polarization, dimension, position):
    magnet = magpy.magnet.Cuboid(polarization=polarization, dimension=dimension, position=position)
    return magnet.getB(SEEN)


CALLS["Cuboid"] = (cuboid, np.array([0.1, 0.2, 0.9]), np.array([0.01, 0.012, 0.02]), np.array([0.001, 0.0, -0.002]))
CALLS["Cylinder"] = (
    lambda d, x: magpy.magnet.Cylinder(polarization=(0.1, 0.2, 1.0), dimension=d).getH(x),
    np.array([0.01, 0.02]),
    SEEN[0],
)
CALLS["Sphere"] = (lambda d, x: magpy.magnet.Sphere(polarization=(0.1, 0.2, 1.0), diameter=d).getB(x), 0.015, SEEN)
CALLS["Circle"] = (lambda d, i: magpy.current.Circle(current=i, diameter=d).getB(SEEN), 0.05, 3.0)
CALLS["Polyline"] = (
    lambda v: magpy.current.Polyline(current=2.0, vertices=v).getB(SEEN),
    np.array([[0.0, 0.0, 0.0], [0.1, 0.02, 0.0], [0.1, 0.1, 0.05]]),
)
CALLS["Dipole"] = (lambda m, x: magpy.misc.Dipole(moment=m).getB(x), np.array([1.0, 2.0, 3.0]), SEEN)


def turned(angle, shift):
    source = magpy.magnet.Cuboid(polarization=(0.0, 0.0, 1.0), dimension=(0.01, 0.01, 0.01))
    source.rotate_from_angax(angle, "y")
    source.move(shift)
    sensor = magpy.Sensor(position=(0.02, 0.01, 0.03))
    return magpy.Collection(source).getB(sensor)


CALLS["rotated and moved"] = (turned, 30.0, np.array([0.001, 0.002, 0.003]))
CALLS["dipole_Hfield"] = (lambda x, m: dipole_Hfield(observers=x, moments=m), SEEN, np.ones((2, 3)))
CALLS["magnet_cuboid_Bfield"] = (
    lambda x, d: magnet_cuboid_Bfield(observers=x, dimensions=d, polarizations=np.ones((2, 3))),
    SEEN,
    np.array([[0.01, 0.02, 0.03], [0.01, 0.012, 0.014]]),
)
CALLS["magnet_sphere_Bfield"] = (
    lambda x, d: magnet_sphere_Bfield(observers=x, diameters=d, polarizations=np.ones((2, 3))),
    SEEN,
    np.array([0.01, 0.02]),
)
CALLS["triangle_Bfield"] = (
    lambda x: triangle_Bfield(
        observers=x,
        vertices=np.array([[[0.0, 0.0, 0.0], [0.01, 0.0, 0.0], [0.0, 0.01, 0.0]]] * 2),
        polarizations=np.ones((2, 3)),
    ),
    SEEN,
)
