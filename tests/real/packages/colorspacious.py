import numpy as np
from colorspacious import cspace_convert, deltaE

rgb = np.array([0.45, 0.2, 0.3])

CALLS = {
    "sRGB1 to XYZ100": (lambda c: cspace_convert(c, "sRGB1", "XYZ100"), rgb),
    "sRGB1 to CAM02-UCS": (lambda c: cspace_convert(c, "sRGB1", "CAM02-UCS"), rgb),
    "sRGB1 to CIELab": (lambda c: cspace_convert(c, "sRGB1", "CIELab"), rgb),
    "sRGB1 to JCh": (lambda c: cspace_convert(c, "sRGB1", "JCh"), rgb),
    "CIELab to sRGB1": (lambda c: cspace_convert(c, "CIELab", "sRGB1"), np.array([50.0, 10.0, 20.0])),
    "deltaE": (lambda c: deltaE(c, np.array([0.5, 0.5, 0.5]), input_space="sRGB1"), rgb),
    "CVD": (
        lambda c: cspace_convert(c, {"name": "sRGB1+CVD", "cvd_type": "deuteranomaly", "severity": 50}, "sRGB1"),
        rgb,
    ),
}
