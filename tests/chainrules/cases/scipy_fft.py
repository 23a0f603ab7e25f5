# ruff: noqa: E501
"""`scipy.fft`."""

import numpy as np
import scipy.fft as F

from .points import C, T, V, case

CT = T * (1 + 0.5j)
SINGLE = T[0, 0].astype(np.float32)
MANY = (F.fft2, F.ifft2, F.fftn, F.ifftn, F.irfft2, F.irfftn, F.hfft2, F.hfftn)
REAL_MANY = (F.rfft2, F.rfftn, F.ihfft2, F.ihfftn)
TRIGONOMETRIC = (F.dct, F.idct, F.dst, F.idst)
TRIGONOMETRIC_MANY = (F.dctn, F.idctn, F.dstn, F.idstn)
CASES = [
    *(case(f, x) for f in (F.fft, F.ifft, F.irfft, F.hfft, *MANY, F.fftshift, F.ifftshift) for x in (C, T, CT)), *(case(f, x) for f in (F.rfft, F.ihfft, *REAL_MANY) for x in (T, T[:, :, :3])),
    *(case(f, T, n, axis, norm, workers=1) for f in (F.fft, F.ifft, F.rfft, F.irfft, F.hfft, F.ihfft) for n in (None, 2, 5) for axis, norm in ((1, "ortho"), (-1, "forward"), (0, "backward"))),
    *(case(f, T, s, axes, norm) for f in (*MANY, *REAL_MANY) for s, axes, norm in (((2, 5), (0, 2), "ortho"), ((4, 3), [1, 2], "forward"), ((2, -1), (0, 2), None))), *(case(f, T, 5, -1) for f in (*MANY, *REAL_MANY)), *(case(f, T, axes=2) for f in (F.fftn, F.rfftn, F.hfftn, F.ihfftn, F.irfftn)), *(case(f, CT, (2, 3, 5)) for f in (F.hfftn, F.irfftn)),
    *(case(f, SINGLE) for f in (F.fft, F.ifft, F.rfft, F.irfft, F.hfft, F.ihfft, *TRIGONOMETRIC, *TRIGONOMETRIC_MANY)), *(case(f, [1.0, 2.0, 4.0]) for f in (F.fft, F.rfft, F.dct, F.idst, F.fftshift)),
    *(case(f, T[0], kind, n, axis, norm) for f in TRIGONOMETRIC for kind in (1, 2, 3, 4) for n, axis, norm in ((None, -1, None), (6, 0, "ortho"), (2, 1, "forward"))), *(case(f, T[0], kind, norm=norm, orthogonalize=o) for f in TRIGONOMETRIC for kind in (1, 2, 3, 4) for norm, o in (("backward", True), ("ortho", False))),
    *(case(f, T, kind, s, axes, norm) for f in TRIGONOMETRIC_MANY for kind in (1, 2, 3, 4) for s, axes, norm in ((None, None, None), ((5, 2), (0, 2), "ortho"), (6, 1, "forward"))), *(case(f, T, kind, norm="ortho", orthogonalize=False) for f in TRIGONOMETRIC_MANY for kind in (1, 2, 3)), *(case(f, CT, 2, orthogonalize=o) for f in (F.dct, F.dstn) for o in (None, True)), *(case(f, CT, 1, norm="ortho", orthogonalize=False) for f in (F.idct, F.idstn)),
    *(case(f, x, 0.2, 1.5, 0.1, bias) for f in (F.fht, F.ifht) for x in (V, T) for bias in (0.0, 0.3)),
    case(F.fftshift, T, (0, 2)), case(F.ifftshift, T, axes=1), case(F.fftfreq, 5, 0.3), case(F.rfftfreq, 6, 0.3), case(F.fftfreq, 4), case(F.fftfreq, 4, d=2.0),
]  # fmt: skip
LACKING = {F.fht: (1, 2, 3, 4), F.ifht: (1, 2, 3, 4)}
