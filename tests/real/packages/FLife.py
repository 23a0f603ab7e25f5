import FLife
import numpy as np

CALLS: dict = {}
F = np.linspace(1.0, 50.0, 50)
PSD = 1.0 + np.exp(-(((F - 20.0) / 5.0) ** 2))
SD = lambda p: FLife.SpectralData(input={"PSD": p, "f": F})
for _name in ("Narrowband", "WirschingLight", "OrtizChen", "TovoBenasciutti", "Dirlik"):
    CALLS[_name] = (lambda p, n=_name: np.log(getattr(FLife, n)(SD(p)).get_life(C=1.8e2, k=7.3)), PSD)
