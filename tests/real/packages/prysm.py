import numpy as np
from prysm import jacobi, psf, thinfilm, thinlens
from prysm.coordinates import cart_to_polar, polar_to_cart

CALLS = {
    "jacobi": (lambda x: jacobi.jacobi(4, 0.5, 0.5, x), np.array([0.1, 0.4])),
    "object_to_image_dist": (thinlens.object_to_image_dist, 50.0, 200.0),
    "image_dist_epd_to_na": (thinlens.image_dist_epd_to_na, 50.0, 10.0),
    "defocus_to_image_displacement": (thinlens.defocus_to_image_displacement, 0.5, 8.0, 0.55),
    "twolens_bfl": (thinlens.twolens_bfl, 50.0, 70.0, 12.0),
    "airydisk": (lambda u, w: psf.airydisk(u, 4.0, w), np.array([0.3, 1.2]), 0.55),
    "brewsters_angle": (thinfilm.brewsters_angle, 1.0, 1.5),
    "snell_aor": (thinfilm.snell_aor, 1.0, 1.5, 20.0),
    "multilayer_stack_rt": (
        lambda d: thinfilm.multilayer_stack_rt("s", 0.55, [(1.38, d), (2.1, 0.2), (1.5, 1.0)], 10.0),
        0.1,
    ),
    "cart_to_polar": (cart_to_polar, np.array([0.3, 0.2]), np.array([0.1, -0.4])),
    "polar_to_cart": (polar_to_cart, np.array([0.3, 0.2]), np.array([0.1, -0.4])),
}
