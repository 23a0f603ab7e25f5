import HydroErr as he
import numpy as np

CALLS: dict = {}
SEEN = np.array([1.2, 2.3, 0.9, 1.7, 3.1, 2.2])
SIMULATED = np.array([1.03, 2.62, 1.11, 1.54, 2.78, 2.35])
for name in "me mae mse mle male msle mde mdae mdse ed ned rmse rmsle nrmse_range nrmse_mean nrmse_iqr irmse mase r_squared pearson_r acc mape mapd maape smape1 smape2 d d1 d_mod d_rel dmod drel watt_m mb_r nse nse_mod nse_rel lm_index kge_2009 kge_2012 sa sc sid sga h1_mhe h2_rmshe h4_mhe h5_mahe h6_rmshe h7_mahe h10_rmshe g_mean_diff mean_var ve".split():
    if hasattr(he, name):
        CALLS[name] = (lambda s, f=name: getattr(he, f)(s, SEEN), SIMULATED)
