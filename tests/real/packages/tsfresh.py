import numpy as np
from tsfresh.feature_extraction import feature_calculators as fc

CALLS: dict = {}
X = np.sin(np.arange(30.0) * 0.9) + 0.4 * np.cos(np.arange(30.0) ** 1.2)
for name in (
    "abs_energy", "mean_abs_change", "mean_second_derivative_central", "median", "variance", "variation_coefficient",
    "skewness", "kurtosis", "root_mean_square", "absolute_sum_of_changes", "absolute_maximum", "standard_deviation",
):  # fmt: skip
    CALLS[name] = (getattr(fc, name), X)
for name, given in {
    "cid_ce": {"normalize": True}, "c3": {"lag": 2}, "time_reversal_asymmetry_statistic": {"lag": 2},
    "mean_n_absolute_max": {"number_of_maxima": 4}, "quantile": {"q": 0.3}, "autocorrelation": {"lag": 3},
    "change_quantiles": {"ql": 0.1, "qh": 0.8, "isabs": True, "f_agg": "mean"},
}.items():  # fmt: skip
    CALLS[name] = (lambda x, name=name, kw=given: getattr(fc, name)(x, **kw), X)
rows = lambda found: [v for _, v in found]
CALLS["fft_coefficient"] = (
    lambda x: rows(fc.fft_coefficient(x, [{"coeff": 2, "attr": a} for a in ("real", "imag", "abs", "angle")])),
    X,
)
CALLS["fft_aggregated"] = (lambda x: rows(fc.fft_aggregated(x, [{"aggtype": "centroid"}, {"aggtype": "skew"}])), X)
CALLS["agg_autocorrelation"] = (lambda x: rows(fc.agg_autocorrelation(x, [{"f_agg": "mean", "maxlag": 8}])), X)
CALLS["partial_autocorrelation"] = (lambda x: rows(fc.partial_autocorrelation(x, [{"lag": 2}])), X)
CALLS["ar_coefficient"] = (lambda x: rows(fc.ar_coefficient(x, [{"coeff": 1, "k": 3}])), X)
CALLS["linear_trend"] = (lambda x: rows(fc.linear_trend(x, [{"attr": "slope"}, {"attr": "stderr"}])), X)
CALLS["agg_linear_trend"] = (
    lambda x: rows(fc.agg_linear_trend(x, [{"attr": "slope", "chunk_len": 5, "f_agg": "mean"}])),
    X,
)
CALLS["energy_ratio"] = (lambda x: rows(fc.energy_ratio_by_chunks(x, [{"num_segments": 5, "segment_focus": 1}])), X)
CALLS["spkt_welch_density"] = (lambda x: rows(fc.spkt_welch_density(x, [{"coeff": 2}])), X)
