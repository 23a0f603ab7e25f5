from chempy import Substance
from chempy.electrochemistry.nernst import nernst_potential
from chempy.henry import Henry
from chempy.kinetics.arrhenius import arrhenius_equation
from chempy.kinetics.eyring import eyring_equation
from chempy.kinetics.integrated import binary_irrev, dimerization_irrev, pseudo_rev
from chempy.properties.sulfuric_acid_density_myhre_1998 import sulfuric_acid_density
from chempy.properties.water_density_tanaka_2001 import water_density
from chempy.properties.water_diffusivity_holz_2000 import water_self_diffusion_coefficient
from chempy.properties.water_permittivity_bradley_pitzer_1979 import water_permittivity
from chempy.properties.water_viscosity_korson_1969 import water_viscosity

CALLS = {
    "nernst_potential": (lambda o, i, T: nernst_potential(o, i, 1, T), 145.0, 15.0, 310.0),
    "arrhenius_equation": (arrhenius_equation, 1e10, 42e3, 298.0),
    "eyring_equation": (eyring_equation, 40e3, 20.0, 298.0),
    "dimerization_irrev": (dimerization_irrev, 0.5, 0.3, 1.0),
    "binary_irrev": (binary_irrev, 0.5, 0.3, 0.1, 1.2, 0.9),
    "pseudo_rev": (pseudo_rev, 0.5, 0.3, 0.2, 0.1, 1.2, 0.9),
    "water_density": (water_density, 300.0),
    "water_viscosity": (water_viscosity, 300.0),
    "water_permittivity": (lambda T: water_permittivity(T, warn=False), 300.0),
    "water_self_diffusion_coefficient": (lambda T: water_self_diffusion_coefficient(T, warn=False), 300.0),
    "sulfuric_acid_density": (lambda w, T: sulfuric_acid_density(w, T, warn=False), 0.5, 290.0),
    "Henry": (lambda T: Henry(1.2e-3, 1800.0)(T), 300.0),
    "mass": (lambda x: x * Substance.from_formula("Fe2O3").mass, 2.0),
}
