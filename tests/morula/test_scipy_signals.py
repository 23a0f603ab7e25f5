"""Programs with `scipy.fft`, `scipy.signal` and `scipy.ndimage`, as their users write them."""

import numpy as np
import pytest
from scipy import fft, ndimage, signal
from scipy_checks import check

import chainrules
import morula
from morula import NotDifferentiable, gradient, hessian, hvp, jvp

R = np.random.default_rng(11)
IMAGE = ndimage.gaussian_filter(R.normal(size=(12, 10)), 1.0)
BLUR = fft.rfft2(np.outer(signal.windows.gaussian(12, 1.2), signal.windows.gaussian(10, 1.2)))
SIGNAL = np.cumsum(R.normal(size=60)) / 5
TARGET = signal.lfilter([0.3, 0.2], [1.0, -0.6, 0.1], SIGNAL)
SOS = signal.butter(4, 0.3, output="sos")
LABELS = np.arange(120).reshape(12, 10) // 25


def deblurring(x):
    misfit = fft.irfft2(fft.rfft2(x) * BLUR, s=x.shape) - IMAGE
    variation = np.sqrt(np.diff(x, axis=0)[:, :-1] ** 2 + np.diff(x, axis=1)[:-1] ** 2 + 1e-2)
    return 0.5 * np.sum(misfit**2) + 0.1 * np.sum(variation)


def compressed(x):
    return np.sum(np.log1p(fft.dctn(x, norm="ortho") ** 2)) + np.sum(fft.dst(x, type=1, axis=0) ** 3) * 1e-3


def recursive(p):
    y = signal.lfilter(p[:2], [1.0, p[2], p[3]], SIGNAL)
    return np.sum((y - TARGET) ** 2)


def with_state(p):
    b, a = p[:2], np.array([1.0, p[2], p[3]])
    first, state = signal.lfilter(b, a, SIGNAL[:20], zi=signal.lfilter_zi(b, a) * SIGNAL[0])
    second, state = signal.lfilter(b, a, SIGNAL[20:], zi=state)
    third, rest = signal.lfilter(p, [2.0], SIGNAL[:9], zi=[p[0], 0.3, p[1]])  # without recursion
    return np.sum(first**2) + np.sum(second**3) + state @ state + np.sum(third**2) + rest @ [p[2], 1.0, 2.0]


def sections(p):
    sos = np.array([[p[0], p[1], 0.1, 1.0, p[2], p[3]], [1.0, 0.2, p[0], 1.0, p[3], -0.1]])
    return np.sum(signal.sosfilt(sos, SIGNAL) ** 2) + np.sum(signal.sosfiltfilt(sos, SIGNAL) ** 3)


def smoothed(x):
    b, a = signal.butter(3, 0.2)
    y = signal.filtfilt(b, a, x) + signal.savgol_filter(x, 7, 2) + signal.sosfiltfilt(SOS, x, padlen=9)
    return np.sum(signal.detrend(y) ** 2) + np.sum(signal.medfilt(x, 5) ** 3)


def of_cutoff(p):
    b, a = signal.butter(2, p[0])
    return np.sum(signal.filtfilt(b, a, SIGNAL) ** 2) * p[1]


def resampled(x):
    short = signal.resample_poly(x, 2, 3, padtype="mean")
    return np.sum(short**3) + np.sum(signal.decimate(x, 2) ** 2) + np.sum(signal.resample(x, 45) ** 2)


def envelope(x):
    return np.sum(np.log(np.abs(signal.hilbert(x)) + 0.1))


def spectra(x):
    _, density = signal.welch(x, nperseg=16)
    _, _, z = signal.stft(x, nperseg=16)
    return np.sum(np.log(density)) + np.sum(np.abs(z) ** 2)


def windows(p):
    y = SIGNAL * p[0]
    _, density = signal.welch(y, window=("kaiser", p[1]), nperseg=16)
    _, other = signal.periodogram(y, window=("tukey", p[0]))
    taps = signal.firwin(11, 0.3, window=("kaiser", p[1]))
    return np.sum(np.log(density)) + np.sum(np.sqrt(other[1:])) + np.sum(signal.lfilter(taps, 1.0, y) ** 2)


def matched(k):
    y = signal.fftconvolve(SIGNAL, k, mode="same") + signal.convolve(SIGNAL, k[::-1], mode="same")
    return np.sum(signal.correlate(y, SIGNAL, mode="valid") ** 2) + np.sum(np.tanh(y))


def hankel(p):
    return np.sum(fft.fht(SIGNAL * p[0], 0.1, 1.5, bias=0.2) ** 3) + np.sum(fft.ifht(SIGNAL + p[1], 0.1, 1.5) ** 2)


def heights(x):
    peaks, properties = signal.find_peaks(x, height=0.0, prominence=0.1)
    return np.sum(x[peaks] ** 2) + np.sum(properties["peak_heights"] * properties["prominences"])


def registered(p):
    rows, columns = np.meshgrid(np.arange(12.0), np.arange(10.0), indexing="ij")
    moved = np.stack([rows * np.cos(p[0]) + columns * np.sin(p[0]) + p[1], columns * (1 + p[2]) + p[3]])
    return np.sum((ndimage.map_coordinates(IMAGE, moved, order=3, mode="nearest") - IMAGE[::-1]) ** 2)


def turned(p):
    y = ndimage.rotate(IMAGE * p[1], 10 * p[0], reshape=False, mode="mirror")
    y = ndimage.shift(y, [p[2], p[3]], order=3, mode="reflect")
    y = ndimage.affine_transform(y, np.array([[1.0, p[2]], [p[3], 1.0]]), mode="grid-wrap")
    return np.sum(ndimage.affine_transform(y, 1.0 + p[2:] / 3, [p[0], 0.3], order=2, mode="reflect") * IMAGE)


def scales(p):
    rough = ndimage.gaussian_filter(IMAGE, p[:2], mode="wrap") - ndimage.gaussian_filter(IMAGE, p[2])
    edges = ndimage.gaussian_gradient_magnitude(IMAGE, p[3])
    return np.sum(rough**2) + np.sum(edges) + np.sum(ndimage.gaussian_laplace(IMAGE, p[3]) ** 2)


def edges(x):
    y = np.hypot(ndimage.sobel(x, 0), ndimage.prewitt(x, 1)) + ndimage.laplace(ndimage.uniform_filter(x, 3))
    return np.sum(y**2) + np.sum(ndimage.grey_opening(x, 3) ** 2) + np.sum(ndimage.zoom(x, 1.5, order=1) ** 3)


def measured(x):
    bright = x**2 + 0.1
    center = ndimage.center_of_mass(bright, LABELS, [0, 2])
    means = ndimage.mean(bright, LABELS, [1, 3]) * ndimage.maximum(bright, LABELS, [0, 1])
    return center[0][0] * center[1][1] + np.sum(means) + np.sum(ndimage.variance(x, LABELS, [2, 4]))


def into_buffers(x):
    buffer, total = np.empty_like(x), 0.0
    for sigma in (0.7, 1.3):
        ndimage.gaussian_filter(x, sigma, output=buffer)
        total = total + np.sum(buffer**2 * x)
    ndimage.correlate1d(x, [1.0, 2.0, -1.0], output=buffer, mode="wrap")
    ndimage.median_filter(buffer, 3, output=x.copy())
    return total + np.sum(buffer**3)


KERNEL = np.array([0.5, 1.0, -0.3, 0.2, 0.1])
START = np.array([0.4, 0.3, -0.3, 0.2])
PROGRAMS = {
    "deblurring": (deblurring, IMAGE), "cosines and sines": (compressed, IMAGE), "lfilter": (recursive, START),
    "lfilter with states": (with_state, START), "sections": (sections, START), "smoothing": (smoothed, SIGNAL),
    "cutoff": (of_cutoff, np.array([0.25, 1.5])), "resampling": (resampled, SIGNAL), "envelope": (envelope, SIGNAL),
    "windows": (windows, np.array([0.63, 5.0])), "spectra": (spectra, SIGNAL),
    "convolutions": (matched, KERNEL), "peaks": (heights, SIGNAL),
    "Hankel": (hankel, np.array([1.3, 0.7])),
    "registration": (registered, np.array([0.1, 0.3, 0.05, -0.2])),
    "transforms": (turned, np.array([0.7, 1.1, 0.21, -0.13])), "scales": (scales, np.array([0.8, 1.2, 1.1, 0.9])),
    "edges": (edges, IMAGE), "labels": (measured, IMAGE), "output": (into_buffers, IMAGE),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_first_order(name):
    f, x = PROGRAMS[name]
    v = R.normal(size=x.shape)
    found = morula.withgradient(f, x)
    assert found.value == pytest.approx(f(x), rel=1e-12)
    slope = (f(x + 1e-6 * v) - f(x - 1e-6 * v)) / 2e-6
    assert np.sum(found.gradient[0] * v) == pytest.approx(slope, rel=2e-6, abs=1e-7)
    assert jvp(f, (x,), (v,))[1] == pytest.approx(slope, rel=2e-6, abs=1e-7)


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_order(name):
    f, x = PROGRAMS[name]
    v = R.normal(size=x.shape)
    slope = (gradient(f, x + 1e-5 * v)[0] - gradient(f, x - 1e-5 * v)[0]) / 2e-5
    np.testing.assert_allclose(hvp(f, x, v), slope, rtol=1e-4, atol=1e-4 * np.abs(slope).max())


@pytest.mark.parametrize("name", [name for name, (_, x) in PROGRAMS.items() if x.size < 6])
def test_hessians(name):
    f, x = PROGRAMS[name]
    rows = [hvp(f, x, unit) for unit in np.eye(len(x))]
    np.testing.assert_allclose(hessian(f, x), rows, rtol=1e-9, atol=1e-9 * np.abs(rows).max())


def test_a_buffer_that_is_written_again_is_what_it_was():
    weights = [np.array([1.0, 2.0, 0.5]), np.array([0.3, -1.0, 2.0])]

    def f(x, filtered):
        buffer, total = np.empty(12), 0.0
        for w in weights:
            filtered(IMAGE[:, 0], w, buffer)  # of constants
            total = total + np.sum(x * buffer)
        return total

    def by_output(image, w, buffer):
        ndimage.correlate1d(image, w, output=buffer)

    def by_assignment(image, w, buffer):
        buffer[:] = ndimage.correlate1d(image, w)

    x = R.normal(size=12)
    expected = sum(ndimage.correlate1d(IMAGE[:, 0], w) for w in weights)
    np.testing.assert_allclose(gradient(lambda x: f(x, by_assignment), x)[0], expected)
    np.testing.assert_allclose(gradient(lambda x: f(x, by_output), x)[0], expected)


def test_the_offset_of_the_hankel_transform():
    f = lambda mu: fft.fhtoffset(0.1, mu, 0.05)
    assert gradient(f, 1.3)[0] == pytest.approx((f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6, rel=1e-6)


def spread_of(v, k=1.0):
    return k * np.std(v) + v[0] ** 2


def neighbours(line, out, k=1.0):
    for i in range(len(out)):
        out[i] = k * line[i] * line[i + 3]


def test_filters_by_functions_of_the_users():
    image, w = R.normal(size=(4, 5)), R.normal(size=(4, 5))
    shape = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 1]], bool)
    for f in (
        lambda x: ndimage.generic_filter(x, spread_of, 3, mode="mirror"),
        lambda x: ndimage.generic_filter(x, spread_of, footprint=shape, mode="constant", cval=0.7, origin=1),
        lambda x: ndimage.generic_filter(x, spread_of, (2, 3), origin=(0, -1), extra_arguments=(1.3,)),
        lambda x: ndimage.generic_filter1d(x, neighbours, 4, axis=0, origin=1, mode="wrap", extra_keywords={"k": 1.2}),
    ):
        check(lambda x, f=f: np.sum(w * f(x)), image)


def test_arguments_are_not_overwritten():
    x = IMAGE.copy()
    gradient(lambda x: np.sum(fft.dct(x, overwrite_x=True) ** 2 + signal.detrend(x, overwrite_data=True) ** 2), x)
    jvp(lambda x: np.sum(np.abs(fft.fft(x * (1 + 1j), overwrite_x=True)) ** 2), (x,), (x,))
    np.testing.assert_array_equal(x, IMAGE)


REFUSED = {
    "order of the Hankel transform": (
        lambda x: fft.fht(SIGNAL, 0.1, x[0]),
        "with respect to argument 2: it is not implemented",
    ),
    "structure": (lambda x: ndimage.grey_dilation(x, structure=np.ones(3)), "structure="),
    "extrapolating pads": (lambda x: signal.upfirdn([1.0, 2.0], x, mode="smooth"), "mode='smooth'"),
    "distances by their unit": (lambda x: ndimage.distance_transform_edt(LABELS > 1, x[:2]), "no rule"),
    "an array for the output": (lambda x: ndimage.generic_filter(x, np.sum, 3, output=x * 0), "take what is returned"),
    "widths of peaks": (lambda x: signal.find_peaks(x, width=1)[1]["widths"], "width="),
    "remez": (lambda x: signal.remez(7, x, [1.0, 0.0]), "firls"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_derivative_says_so(name):
    f, reason = REFUSED[name]
    with pytest.raises((NotDifferentiable, chainrules.NotImplementedDerivative), match=reason):
        gradient(lambda x: np.sum(f(x)), np.array([0.05, 0.1, 0.3, 0.5]))


def test_places_and_design_of_constants_are_constants():
    def f(x):
        window = signal.get_window("hann", 8)
        peaks, _ = signal.find_peaks(x)
        mask = ndimage.binary_dilation(x > 0.2)
        count = ndimage.label(mask)[1]
        return np.sum(x[peaks]) * count + np.sum(x[:8] * window) + np.sum(ndimage.distance_transform_edt(mask) * x)

    v = R.normal(size=SIGNAL.shape)
    slope = (f(SIGNAL + 1e-6 * v) - f(SIGNAL - 1e-6 * v)) / 2e-6
    assert gradient(f, SIGNAL)[0] @ v == pytest.approx(slope, rel=1e-6)
