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
    *(case(f, x) for f in (F.hfft, F.ihfft) for x in (T, T[:, :, :3])), *(case(F.hfft, x, n, a, norm) for x in (C, T * (1 + 0.5j)) for n in (None, 3, 8) for a, norm in ((-1, "ortho"), (0, "forward"), (1, "backward"))),
    *(case(F.ihfft, T, n, a, norm) for n in (None, 2, 7) for a, norm in ((1, "ortho"), (-1, "forward"), (0, "backward"))), *(case(f, T[0, 0].astype(np.float32)) for f in (F.fft, F.ifft, F.rfft, F.irfft, F.hfft, F.ihfft)),
    *(case(f, T, (2, -1), (0, 2)) for f in (F.fft2, F.ifftn, F.rfft2, F.rfftn, F.irfftn)), *(case(f, T, None, (2, 1)) for f in (F.fftn, F.ifftn, F.rfftn, F.irfftn)), *(case(f, T, axes=(1,)) for f in (F.fftn, F.rfftn, F.irfftn)), *(case(f, T * (1 + 0.5j), axes=(1, 1)) for f in (F.fftn, F.ifftn)),
    *(case(f, np.zeros((0, 4))) for f in (F.fft, F.ifft, F.rfft, F.irfft, F.hfft, F.ihfft, F.fftshift)), *(case(f, T, norm=norm) for f in (F.irfftn, F.rfftn, F.irfft2) for norm in ("ortho", "forward")), case(F.irfft, T[:, :, :1], 1), case(F.rfft, T[:, :, :1]), case(F.irfft, T, 3), case(F.irfftn, T, (2, 3, 5), (0, 1, 2)),
    case(F.fftfreq, 5, 0.3), case(F.rfftfreq, 6, 0.3), case(F.fftfreq, 4), case(F.fftfreq, 4, d=2.0), case(F.fft, [1.0, 2.0, 4.0]), case(F.fftshift, [1.0, 2.0, 4.0]), case(F.fftn, np.array([1.0, 2.0])),
]  # fmt: skip
