import colour
import numpy as np

rgb = np.array([0.45, 0.2, 0.3])

CALLS = {
    "XYZ_to_Lab": (colour.XYZ_to_Lab, np.array([0.206, 0.122, 0.051])),
    "XYZ_to_sRGB": (colour.XYZ_to_sRGB, np.array([0.206, 0.122, 0.051])),
    "sRGB_to_XYZ": (colour.sRGB_to_XYZ, rgb),
    "Lab_to_LCHab": (colour.Lab_to_LCHab, np.array([41.5, 52.6, 26.9])),
    "delta_E_CIE2000": (
        lambda a: colour.delta_E(a, np.array([100.0, 426.6, 72.3]), method="CIE 2000"),
        np.array([100.0, 21.5, 272.2]),
    ),
    "delta_E_CIE1976": (
        lambda a: colour.delta_E(a, np.array([100.0, 426.6, 72.3]), method="CIE 1976"),
        np.array([100.0, 21.5, 272.2]),
    ),
    "RGB_to_HSV": (colour.RGB_to_HSV, rgb),
    "XYZ_to_xyY": (colour.XYZ_to_xyY, np.array([0.206, 0.122, 0.051])),
    "XYZ_to_Luv": (colour.XYZ_to_Luv, np.array([0.206, 0.122, 0.051])),
    "xy_to_CCT": (lambda xy: colour.xy_to_CCT(xy, "McCamy 1992"), np.array([0.31, 0.33])),
    "XYZ_to_Oklab": (colour.XYZ_to_Oklab, np.array([0.206, 0.122, 0.051])),
    "cctf_decoding": (lambda v: colour.cctf_decoding(v, "sRGB"), rgb),
    "chromatic_adaptation": (
        lambda v: colour.chromatic_adaptation(v, np.array([0.95, 1.0, 1.09]), np.array([0.96, 1.0, 0.82])),
        np.array([0.206, 0.122, 0.051]),
    ),
    "luminance": (lambda y: colour.luminance(y), 50.0),
    "CAM02": (
        lambda v: colour.XYZ_to_CIECAM02(v, np.array([95.05, 100.0, 108.88]), 318.31, 20.0).J,
        np.array([19.01, 20.0, 21.78]),
    ),
}
