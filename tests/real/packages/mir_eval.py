import mir_eval
import numpy as np

CALLS: dict = {}
CALLS["hz_to_midi"] = (lambda f: mir_eval.util.hz_to_midi(f), np.array([220.0, 441.3]))
CALLS["midi_to_hz"] = (lambda m: mir_eval.util.midi_to_hz(m), np.array([60.0, 61.3]))
CALLS["f_measure"] = (lambda p, r: mir_eval.util.f_measure(p, r), 0.7, 0.4)
CALLS["hz2cents"] = (lambda f: mir_eval.melody.hz2cents(f), np.array([220.0, 441.3]))
CALLS["resample_melody_series"] = (
    lambda f: mir_eval.melody.resample_melody_series(np.arange(4.0), f, np.ones(4), np.arange(3.0) + 0.3)[0],
    np.array([220.0, 230.0, 241.0, 260.0]),
)
