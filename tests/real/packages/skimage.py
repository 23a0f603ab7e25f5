import numpy as np
from skimage import color, exposure, metrics, transform

a = np.random.default_rng(1).random((4, 4))
b = np.random.default_rng(2).random((4, 4))

CALLS = {
    "mean_squared_error": (lambda a: metrics.mean_squared_error(a, b), a),
    "normalized_root_mse": (lambda a: metrics.normalized_root_mse(b, a), a),
    "peak_signal_noise_ratio": (lambda a: metrics.peak_signal_noise_ratio(b, a, data_range=1.0), a),
    "rgb2gray": (color.rgb2gray, np.random.default_rng(3).random((2, 2, 3))),
    "rgb2lab": (color.rgb2lab, np.random.default_rng(3).random((2, 2, 3))),
    "rgb2hsv": (color.rgb2hsv, np.random.default_rng(3).random((2, 2, 3))),
    "adjust_gamma": (lambda a: exposure.adjust_gamma(a, 2.0), a),
    "adjust_sigmoid": (lambda a: exposure.adjust_sigmoid(a), a),
    "AffineTransform": (lambda r: transform.AffineTransform(rotation=r, scale=(1.1, 1.2)).params, 0.3),
    "transform": (lambda r: transform.SimilarityTransform(rotation=r, translation=(1, 2))(np.array([[1.0, 2.0]])), 0.3),
}
