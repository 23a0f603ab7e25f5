import librosa
import numpy as np

CALLS: dict = {}
rng = np.random.default_rng(0)
y = rng.normal(size=1024)
CALLS["stft"] = (lambda a: np.abs(librosa.stft(a * y, n_fft=256)), 1.3)
CALLS["melspectrogram"] = (lambda a: librosa.feature.melspectrogram(y=a * y, sr=8000, n_fft=256, n_mels=10), 1.3)
CALLS["mfcc"] = (
    lambda a: librosa.feature.mfcc(S=a * np.outer(np.arange(20.0), np.arange(5.0)), n_mfcc=5),
    1.3,
)
CALLS["power_to_db"] = (lambda a: librosa.power_to_db(a * np.array([1.0, 2.0, 0.5]), ref=1.0, top_db=None), 1.3)
CALLS["hz_to_mel"] = (lambda f: librosa.hz_to_mel(f), 440.0)
CALLS["rms"] = (lambda a: librosa.feature.rms(y=y[:600] * a, frame_length=256, hop_length=64), 1.3)
CALLS["spectral_centroid"] = (
    lambda a: librosa.feature.spectral_centroid(
        S=np.abs(np.sin(np.arange(129 * 3.0).reshape(129, 3) * a)), sr=8000, n_fft=256
    ),
    1.3,
)
CALLS["preemphasis"] = (lambda a: librosa.effects.preemphasis(a * y[:50]), 1.3)
