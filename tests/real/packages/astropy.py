import astropy.units as u
import numpy as np
from astropy import stats
from astropy.cosmology import FlatLambdaCDM, LambdaCDM
from astropy.modeling import models
from astropy.timeseries import LombScargle

x = np.array([1.0, 2.0, 4.0, 3.0, 2.5])

CALLS = {
    "Gaussian1D": (lambda a, m, s: models.Gaussian1D.evaluate(x, a, m, s), 2.0, 2.2, 0.7),
    "Gaussian1D()": (lambda a, m: models.Gaussian1D(amplitude=a, mean=m, stddev=0.8)(x), 2.0, 2.2),
    "compound": (lambda a, m: (models.Gaussian1D(a, m, 0.8) + models.Polynomial1D(1, c0=a, c1=2.0))(x), 2.0, 2.2),
    "Sersic1D": (lambda r: models.Sersic1D(amplitude=1.0, r_eff=r, n=4)(x), 5.0),
    "BlackBody": (
        lambda T: models.BlackBody(temperature=5000 * u.K).evaluate(6000.0 * u.AA, T * u.K, 1.0).value,
        5000.0,
    ),
    "units": (lambda v: (v * u.km / u.s).to(u.m / u.s).value, 3.0),
    "units array": (lambda v: ((v * u.km) ** 2).to(u.m**2).value, np.array([1.0, 2.0])),
    "to_value": (lambda v: (np.sqrt(v * u.km * (2.0 * u.km))).to_value(u.m), 3.0),
    "luminosity_distance": (lambda H0, Om: FlatLambdaCDM(H0=H0, Om0=Om).luminosity_distance(0.5).value, 70.0, 0.3),
    "efunc": (lambda z, Om: FlatLambdaCDM(H0=70.0, Om0=Om).efunc(z), 0.5, 0.3),
    "age": (lambda H0: LambdaCDM(H0=H0, Om0=0.3, Ode0=0.7).hubble_time.value, 70.0),
    "sigma_clip": (lambda v: stats.sigma_clipped_stats(v)[0], x),
    "mad_std": (stats.mad_std, np.array([1.0, 2.0, 4.0, 3.1, 2.5])),
    "biweight": (lambda v: stats.biweight_location(v), x),
    "circmean": (lambda v: stats.circmean(v), x),
    "LombScargle": (lambda y: LombScargle(np.arange(5.0), y).power(np.array([0.1, 0.2]), method="slow"), x),
    "equivalency": (lambda v: (v * u.nm).to(u.eV, equivalencies=u.spectral()).value, 500.0),
    "jackknife": (lambda v: stats.jackknife_stats(v, np.var)[0], x),
}
