import periodictable as pt
from periodictable import formula, nsf, xsf

CALLS = {
    "neutron_sld": (lambda d: pt.neutron_sld("H2O", density=d, wavelength=4.75)[0], 1.0),
    "xray_sld": (lambda d: pt.xray_sld("SiO2", density=d, energy=8.0)[0], 2.2),
    "mass": (lambda n: (n * formula("H2O")).mass, 2.0),
    "mix": (lambda q: pt.mix_by_weight("H2O", q, "D2O", 2.0).mass, 1.0),
    "wavelength": (lambda e: xsf.xray_wavelength(e), 8.0),
    "neutron_wavelength": (nsf.neutron_wavelength, 20.0),
}
