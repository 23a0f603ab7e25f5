import numpy as np
import pyfar as pf

CALLS: dict = {}
X = np.sin(np.arange(32) * 0.7)
CALLS["Signal.freq"] = (lambda x: np.abs(pf.Signal(x, 44100).freq), X)
CALLS["rms"] = (lambda x: pf.dsp.rms(pf.Signal(x, 44100)), X)
CALLS["time_window"] = (lambda x: pf.dsp.time_window(pf.Signal(x, 44100), [4, 20]).time, X)
CALLS["convolve"] = (lambda x, y: pf.dsp.convolve(pf.Signal(x, 44100), pf.Signal(y, 44100)).time, X, X[::-1].copy())
CALLS["normalize"] = (lambda x: pf.dsp.normalize(pf.Signal(x, 44100)).time, X)
CALLS["butterworth"] = (lambda x: pf.dsp.filter.butterworth(pf.Signal(x, 44100), 2, 4000).time, X)
CALLS["speed_of_sound_simple"] = (pf.constants.speed_of_sound_simple, 20.0)
