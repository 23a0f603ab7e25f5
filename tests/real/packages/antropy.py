import antropy as ant
import numpy as np

x = np.array([1.0, 2.0, 1.5, 0.3, 0.8, 1.9, 2.7, 1.1, 0.6, 1.4])

CALLS = {
    "svd_entropy": (lambda x: ant.svd_entropy(x, normalize=True), x),
    "hjorth_params": (lambda x: ant.hjorth_params(x), x),
    "petrosian": (lambda x: ant.spectral_entropy(x, sf=10, method="fft"), x),
    "katz_fd": (lambda x: ant.katz_fd(x), x),
    "higuchi_fd": (lambda x: ant.higuchi_fd(x, kmax=3), x),
}
