import numpy as np
from sk_dsp_comm import digitalcom, fir_design_helper, sigsys

CALLS: dict = {}
T = np.arange(0.0, 1.0, 0.05)
X = np.sin(2 * np.pi * 3 * T) + 0.3 * np.cos(2 * np.pi * 7 * T)
CALLS["peaking"] = (lambda g: np.hstack(sigsys.peaking(g, 500.0, 2.0, 8000.0)), 4.0)
CALLS["conv_sum"] = (lambda x: sigsys.conv_sum(x, np.arange(20), X, np.arange(20))[0], X)
CALLS["conv_integral"] = (lambda x: sigsys.conv_integral(x, T, X, T)[0], X)
CALLS["fs_coeff"] = (lambda x: sigsys.fs_coeff(x, 5, 1.0)[0], X)
CALLS["ft_approx"] = (lambda x: sigsys.ft_approx(x, T, 64)[1], X)
CALLS["my_psd"] = (lambda x: sigsys.my_psd(x, 16, 10.0)[0], np.tile(X, 2))
CALLS["ten_band_eq_filt"] = (lambda g: sigsys.ten_band_eq_filt(X, g), np.linspace(1.0, 10.0, 10))
CALLS["rc_imp"] = (lambda a: sigsys.rc_imp(4, a, 3), 0.35)
CALLS["sqrt_rc_imp"] = (lambda a: sigsys.sqrt_rc_imp(4, a, 3), 0.35)
CALLS["oa_filter"] = (lambda h: sigsys.oa_filter(X, h, 32), np.array([0.3, 0.5, 0.2]))
CALLS["am_tx"] = (lambda a: sigsys.am_tx(X, a, 75e3)[0], 0.6)
CALLS["upsample"] = (lambda x: sigsys.upsample(x, 2), X)
CALLS["downsample"] = (lambda x: sigsys.downsample(x, 2), X)
CALLS["env_det"] = (lambda x: sigsys.env_det(x), X + 0.01)
CALLS["q_fctn"] = (lambda x: digitalcom.q_fctn(x), 0.7)
CALLS["firwin_lpf"] = (lambda f: fir_design_helper.firwin_lpf(11, f, 1.0), 0.2)
CALLS["cruise_control"] = (lambda w: np.hstack(sigsys.cruise_control(w, 0.7, 20.0, 75.0, 120.0)), 0.1)
CALLS["tri"] = (lambda x: sigsys.tri(x, 2.0), np.array([0.3, -0.7]))
