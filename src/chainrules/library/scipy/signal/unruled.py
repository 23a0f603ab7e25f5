"""What of `scipy.signal` needs no rule: code that engines follow; and what has none, by reason."""

from __future__ import annotations

from typing import Any

from scipy import signal as sp  # type: ignore[import-untyped]
from scipy.signal import windows  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, non_differentiable
from ....programs import followed
from ..naming import refuse_whole

FOLLOWED = """
    band_stop_obj bessel besselap bilinear bilinear_zpk bode butter cheb1ap cheb2ap cheby1 cheby2 chirp
    closest_STFT_dual_window coherence cont2discrete csd cspline1d czt decimate deconvolve dfreqresp
    dbode dimpulse dlsim dstep ellip ellipap envelope firls firwin firwin2 firwin_2d freqresp freqs freqs_zpk freqz
    freqz_sos freqz_zpk gammatone gauss_spline gausspulse group_delay hilbert2 iircomb iirdesign iirfilter iirnotch
    iirpeak impulse invres invresz istft lfiltic lombscargle lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp
    lp2lp_zpk lsim minimum_phase normalize periodogram place_poles qspline1d resample residue residuez
    savgol_coeffs sawtooth sos2tf sos2zpk sosfreqz spectrogram square ss2tf ss2zpk step stft sweep_poly
    tf2sos tf2ss tf2zpk vectorstrength welch wiener zoom_fft zpk2sos zpk2ss zpk2tf abcd_normalize correlation_lags
    cspline1d_eval qspline1d_eval unique_roots kaiser_atten kaiser_beta buttord cheb1ord cheb2ord ellipord kaiserord
    czt_points
"""
WINDOWS = """
    boxcar triang parzen bohman blackman nuttall blackmanharris flattop bartlett barthann hamming kaiser
    kaiser_bessel_derived gaussian general_gaussian general_cosine general_hamming cosine hann exponential tukey taylor
    get_window lanczos chebwin dpss
"""
# Places, lengths, orders, flags; what is made of integers alone.
CONSTANT = """
    argrelextrema argrelmax argrelmin find_peaks_cwt buttap
    check_COLA check_NOLA choose_conv_method findfreqs max_len_seq unit_impulse
"""
CLASSES = "CZT ShortTimeFFT StateSpace TransferFunction ZerosPolesGain ZoomFFT dlti lti"
UNSUPPORTED = {
    "is a recursion over an image in C without a rule; use scipy.ndimage.spline_filter or scipy.signal.lfilter": """
        cspline2d qspline2d sepfir2d spline_filter symiirorder1 symiirorder2
    """,
    "is an iterative design in C; give its result as a constant, or use scipy.signal.firls": "remez",
    "interpolates between elements at places that it finds in C; use scipy.signal.find_peaks": "peak_widths",
    "solves a banded system in place without a rule; use scipy.linalg.solve_banded": "whittaker_henderson",
}


def _named(space: Any, names: str) -> list[Any]:
    return [getattr(space, name) for name in names.split() if hasattr(space, name)]


followed(*_named(sp, FOLLOWED), *_named(windows, WINDOWS))
non_differentiable(*_named(sp, CONSTANT))
needs_no_rule(*_named(sp, CLASSES))
for reason, names in UNSUPPORTED.items():
    refuse_whole(reason, *_named(sp, names))
