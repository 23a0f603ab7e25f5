# ruff: noqa: E501
"""`numpy.fft`."""

import numpy as np

from .points import C, T, case

F = np.fft
CASES = [
    *(case(f, x) for f in (F.fft, F.ifft, F.fft2, F.ifft2, F.fftn, F.ifftn, F.irfft, F.irfft2, F.irfftn, F.fftshift, F.ifftshift) for x in (C, T, T * (1 + 0.5j))),
    *(case(f, x) for f in (F.rfft, F.rfft2, F.rfftn) for x in (T, T[:, :, :3])),
    *(case(f, T, n, axis, norm) for f in (F.fft, F.ifft, F.rfft, F.irfft) for n in (None, 2, 5) for axis, norm in ((1, "ortho"), (-1, "forward"), (0, "backward"))),
    *(case(f, T, s, axes, norm=norm) for f in (F.fft2, F.ifft2, F.fftn, F.ifftn, F.rfft2, F.rfftn, F.irfft2, F.irfftn) for s, axes, norm in (((2, 5), (0, 2), "ortho"), ((4, 3), (1, 2), "forward"))),
    case(F.fftshift, T, (0, 2)), case(F.ifftshift, T, axes=1),
]  # fmt: skip
