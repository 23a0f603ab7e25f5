import numpy as np
from colossus.cosmology import cosmology
from colossus.halo import concentration, profile_nfw

CALLS: dict = {}
cosmo = cosmology.setCosmology("planck18", persistence="")
CALLS["Hz"] = (lambda z: cosmo.Hz(z), 0.7)
CALLS["luminosityDistance"] = (lambda z: cosmo.luminosityDistance(z), 0.7)
CALLS["Om"] = (lambda z: cosmo.Om(z), 0.7)
CALLS["growth"] = (lambda z: cosmo.growthFactor(z), 0.7)
CALLS["power"] = (lambda k: cosmo.matterPowerSpectrum(k), 0.3)
pr = profile_nfw.NFWProfile(M=1e12, c=10.0, z=0.0, mdef="vir")
CALLS["nfw"] = (lambda r: pr.density(r), np.array([10.0, 50.0]))
CALLS["nfw mass"] = (lambda r: pr.enclosedMass(r), np.array([10.0, 50.0]))
CALLS["surface"] = (lambda r: pr.surfaceDensity(r), np.array([10.0, 50.0]))
CALLS["conc"] = (lambda M: concentration.concentration(M, "vir", 0.0, model="bullock01"), 1e12)
