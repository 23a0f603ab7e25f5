import numpy as np
from python_speech_features import delta, fbank, logfbank, mfcc, ssc
from python_speech_features.base import hz2mel, lifter, mel2hz
from python_speech_features.sigproc import framesig, preemphasis

t = np.arange(160) / 800.0
signal = (
    np.sin(2 * np.pi * 60 * t) + 0.4 * np.cos(2 * np.pi * 113 * t + 0.3) + 0.05 * np.cos(1.0 * np.arange(160) ** 1.5)
)
options = {"samplerate": 800, "winlen": 0.05, "winstep": 0.02, "nfilt": 8, "nfft": 64}

CALLS = {
    "mfcc": (lambda s: mfcc(s, numcep=6, **options), signal),
    "fbank": (lambda s: fbank(s, **options), signal),
    "logfbank": (lambda s: logfbank(s, **options), signal),
    "ssc": (lambda s: ssc(s, **options), signal),
    "delta": (lambda s: delta(mfcc(s, numcep=6, **options), 2), signal),
    "hz2mel": (hz2mel, 300.0),
    "mel2hz": (mel2hz, 300.0),
    "lifter": (lambda c: lifter(c, 22), np.array([[1.0, 2.0, 3.0]])),
    "preemphasis": (preemphasis, signal, 0.95),
    "framesig": (lambda s: framesig(s, 40, 16), signal),
}
