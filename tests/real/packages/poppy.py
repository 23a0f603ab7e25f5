import numpy as np
from poppy import matrixDFT, zernike

CALLS: dict = {}
CALLS["zernike"] = (
    lambda r: zernike.zernike(3, 1, rho=r, theta=np.array([0.1, 0.8, 2.0]), mask_outside=False),
    np.array([0.2, 0.5, 0.9]),
)
CALLS["opd_from_zernikes"] = (
    lambda c: zernike.opd_from_zernikes(c, npix=8, outside=0.0),
    np.array([0.1, 0.2, -0.3, 0.4]),
)
CALLS["matrix_dft"] = (lambda p: np.abs(matrixDFT.matrix_dft(p, 3.0, 6)) ** 2, np.outer(np.hanning(8), np.hanning(8)))
