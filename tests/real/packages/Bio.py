import numpy as np
from Bio.PDB.vectors import Vector, calc_angle, calc_dihedral, rotaxis
from Bio.SeqUtils.MeltingTemp import chem_correction, salt_correction
from Bio.SVDSuperimposer import SVDSuperimposer

P = np.array([[0.1, 0.2, 0.3], [1.0, 0.1, 0.0], [0.2, 1.1, 0.4], [0.5, 0.4, 1.3]])

CALLS = {
    "Vector": (lambda a: (Vector(a, 1.0, 2.0) ** Vector(0.1, a, 0.3)).norm(), 0.5),
    "calc_angle": (lambda a: calc_angle(Vector(a, 1.0, 2.0), Vector(0.0, 0.0, 0.0), Vector(1.0, a, 0.0)), 0.5),
    "calc_dihedral": (
        lambda a: calc_dihedral(Vector(a, 1.0, 2.0), Vector(0.0, 0.0, 0.0), Vector(1.0, a, 0.0), Vector(0.5, 0.5, 2.0)),
        0.5,
    ),
    "rotaxis": (lambda t: rotaxis(t, Vector(1.0, 2.0, 0.5)), 0.5),
    "SVDSuperimposer": (
        lambda P: (lambda s: (s.set(P[::-1].copy(), P), s.run(), s.get_rms())[2])(SVDSuperimposer()),
        P,
    ),
    "salt_correction": (lambda a: salt_correction(Na=a, Mg=1.5, method=5, seq="ACGTACGT"), 50.0),
    "chem_correction": (lambda a: chem_correction(60.0, DMSO=a, GC=50), 3.0),
}
