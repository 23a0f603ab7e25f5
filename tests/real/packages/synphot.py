import numpy as np
from synphot import SourceSpectrum, SpectralElement, units
from synphot.models import BlackBodyNorm1D, Box1D, Gaussian1D, GaussianFlux1D, PowerLawFlux1D

CALLS: dict = {}
W = np.linspace(4000.0, 7000.0, 7)
CALLS["black body"] = (lambda T: SourceSpectrum(BlackBodyNorm1D, temperature=T)(W).value * 1e3, 6000.0)
CALLS["power law"] = (lambda a: SourceSpectrum(PowerLawFlux1D, amplitude=1.3, x_0=5000, alpha=a)(W).value, 0.7)
CALLS["Gaussian"] = (
    lambda m, s: SpectralElement(Gaussian1D, amplitude=0.8, mean=m, stddev=s)(W).value,
    5500.0,
    400.0,
)
CALLS["emission line"] = (
    lambda f: SourceSpectrum(GaussianFlux1D, total_flux=f, mean=5500, fwhm=400)(W, flux_unit=units.FLAM).value * 1e15,
    1.3e-13,
)
CALLS["equivalent width"] = (lambda a: SpectralElement(Box1D, amplitude=a, x_0=5500, width=300).equivwidth().value, 0.7)
CALLS["integrate"] = (
    lambda s: SpectralElement(Gaussian1D, amplitude=1.0, mean=5500, stddev=s).integrate().value,
    200.0,
)
