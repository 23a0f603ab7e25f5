"""What of `scipy.stats` is followed as Python, what is constant, and what is refused.

Distributions are no names here: see `continuous` and `discrete`, and `chainrules.coverage`.
"""

from __future__ import annotations

from scipy import stats as st  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, unsupported
from ..naming import named, refuse

needs_no_rule(
    *named(st, "boxcox boxcox_llf circmean circstd circvar describe differential_entropy energy_distance entropy"),
    *named(st, "expectile gmean gstd gzscore hmean iqr kstat kstatvar kurtosis linregress median_abs_deviation moment"),
    *named(st, "obrientransform pearsonr pmean quantile scoreatpercentile sem skew theilslopes tmean"),
    *named(st, "trim_mean tsem tstd tvar variation wasserstein_distance yeojohnson yeojohnson_llf zmap"),
    *named(st, "bartlett chisquare f_oneway jarque_bera kurtosistest levene normaltest power_divergence"),
    *named(st, "skewtest ttest_1samp ttest_ind ttest_ind_from_stats ttest_rel pointbiserialr combine_pvalues"),
    *named(st, "Covariance Normal Uniform Logistic rv_histogram dirichlet dirichlet_multinomial invwishart"),
    *named(st, "matrix_normal multinomial multivariate_normal multivariate_t normal_inverse_gamma vonmises_fisher"),
    *named(st, "wishart binned_statistic gaussian_kde"),
)
RANKS = "is computed from ranks in compiled code, and is piecewise constant"
unsupported(RANKS, *named(st, "siegelslopes weightedtau"))
refuse("solves a linear program with a matching; use linear_sum_assignment", *named(st, "wasserstein_distance_nd"))
refuse("computes a statistic of the sorted sample in compiled code", *named(st, "shapiro"))
