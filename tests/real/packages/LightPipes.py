import numpy as np
from LightPipes import (
    Begin,
    CircAperture,
    Forvard,
    Fresnel,
    GaussBeam,
    Intensity,
    Lens,
    SubPhase,
    Tilt,
    mm,
    nm,
)

CALLS: dict = {}
CALLS["Lens"] = (lambda f: Intensity(Forvard(Lens(GaussBeam(Begin(5 * mm, 633 * nm, 12), 1 * mm), f), 0.2)), 0.8)
CALLS["Tilt"] = (
    lambda t: np.real(Fresnel(Tilt(CircAperture(Begin(5 * mm, 633 * nm, 12), 1 * mm), t, 0.0), 0.3).field),
    1e-4,
)
CALLS["GaussBeam"] = (lambda w: Intensity(Forvard(GaussBeam(Begin(5 * mm, 633 * nm, 12), w), 0.1)), 1 * mm)
CALLS["SubPhase"] = (
    lambda p: np.imag(Forvard(SubPhase(Begin(5 * mm, 633 * nm, 8), p), 0.1).field),
    np.outer(np.arange(8.0), np.ones(8)) / 9,
)
