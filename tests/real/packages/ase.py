import numpy as np
from ase import Atoms
from ase.build import bulk, molecule
from ase.calculators.emt import EMT
from ase.calculators.lj import LennardJones
from ase.calculators.morse import MorsePotential
from ase.eos import birchmurnaghan, vinet
from ase.geometry import cell_to_cellpar, cellpar_to_cell, get_angles, get_distances

positions = np.array([[0.0, 0.0, 0.0], [1.1, 0.1, 0.0], [0.3, 1.2, 0.2], [0.1, 0.2, 1.15]])


def energy(calculator, x, symbols="Ar4"):
    atoms = Atoms(symbols, positions=x)
    atoms.calc = calculator
    return atoms.get_potential_energy()


def lattice(a):
    atoms = bulk("Cu", "fcc", a=a)
    atoms.calc = EMT()
    return atoms.get_potential_energy()


CALLS = {
    "LennardJones": (lambda x: energy(LennardJones(), x), positions),
    "LennardJones forces": (lambda x: forces(LennardJones(), x), positions),
    "LennardJones sigma": (lambda s: energy(LennardJones(sigma=s), positions), 1.05),
    "MorsePotential": (lambda x: energy(MorsePotential(), x), positions),
    "EMT": (lambda x: energy(EMT(), x, "Cu4"), 2.2 * positions),
    "EMT of a lattice": (lattice, 3.7),
    "get_distance": (lambda x: Atoms("Ar4", positions=x).get_distance(0, 2), positions),
    "get_all_distances": (lambda x: Atoms("Ar4", positions=x).get_all_distances()[0, 1:], positions),
    "get_angle": (lambda x: Atoms("Ar4", positions=x).get_angle(1, 0, 2), positions),
    "get_dihedral": (lambda x: Atoms("Ar4", positions=x).get_dihedral(0, 1, 2, 3), positions),
    "get_center_of_mass": (lambda x: Atoms("Ar4", positions=x).get_center_of_mass(), positions),
    "get_moments_of_inertia": (lambda x: Atoms("CuArKrH", positions=x).get_moments_of_inertia(), positions),
    "rotate": (lambda a: rotated(a), 30.0),
    "cellpar_to_cell": (lambda c: cellpar_to_cell(c), np.array([3.0, 4.0, 5.0, 80.0, 95.0, 100.0])),
    "cell_to_cellpar": (lambda c: cell_to_cellpar(c), np.array([[3.0, 0.1, 0.0], [0.4, 4.0, 0.2], [0.1, 0.5, 5.0]])),
    "volume": (
        lambda c: Atoms("H", cell=c).get_volume(),
        np.array([[3.0, 0.1, 0.0], [0.4, 4.0, 0.2], [0.1, 0.5, 5.0]]),
    ),
    "get_angles": (lambda v: get_angles(v, np.array([[0.1, 1.0, 0.3]])), np.array([[1.0, 0.2, 0.1]])),
    "get_distances": (lambda x: get_distances(x, np.array([[5.0, 1.0, 0.0]]))[1], positions),
    "birchmurnaghan": (lambda V, B: birchmurnaghan(V, -3.0, B, 4.0, 11.0), 11.5, 0.9),
    "vinet": (lambda V, B: vinet(V, -3.0, B, 4.0, 11.0), 11.5, 0.9),
    "kinetic energy": (lambda v: moving(v), np.array([[0.1, 0.2, 0.3], [0.0, -0.1, 0.2]])),
}


def forces(calculator, x):
    atoms = Atoms("Ar4", positions=x)
    atoms.calc = calculator
    return atoms.get_forces()


def rotated(angle):
    atoms = molecule("H2O")
    atoms.rotate(angle, "x")
    return atoms.get_positions()


def moving(v):
    atoms = Atoms("H2", positions=positions[:2])
    atoms.set_velocities(v)
    return atoms.get_kinetic_energy()
