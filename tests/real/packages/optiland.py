import numpy as np
from optiland.optic import Optic

CALLS: dict = {}


def singlet(radius, thickness):
    lens = Optic()
    lens.add_surface(index=0, thickness=np.inf)
    lens.add_surface(index=1, thickness=thickness, radius=radius, is_stop=True, material="N-SF11")
    lens.add_surface(index=2, thickness=40.0, radius=-100.0)
    lens.add_surface(index=3)
    lens.set_aperture(aperture_type="EPD", value=10.0)
    lens.set_field_type(field_type="angle")
    lens.add_field(y=0)
    lens.add_wavelength(value=0.5876, is_primary=True)
    return lens


CALLS["f2"] = (lambda r, t: singlet(r, t).paraxial.f2(), 60.0, 7.0)
CALLS["trace"] = (
    lambda r: singlet(r, 7.0).trace(Hx=0, Hy=0, wavelength=0.5876, num_rays=3, distribution="hexapolar").y,
    60.0,
)
