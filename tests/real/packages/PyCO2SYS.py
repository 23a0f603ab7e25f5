import numpy as np
import PyCO2SYS as pyco2


def system(name, par1, par2, kinds=(1, 2), **options):
    return pyco2.sys(par1=par1, par2=par2, par1_type=kinds[0], par2_type=kinds[1], **options)[name]


CALLS = {
    "pH": (lambda a, c: system("pH", a, c), 2300.0, 2100.0),
    "fCO2": (lambda a, c: system("fCO2", a, c), 2300.0, 2100.0),
    "saturation": (lambda a, ph: system("saturation_aragonite", a, ph, (1, 3)), 2300.0, 8.1),
    "temperature": (lambda t: system("pCO2", 2300.0, 2100.0, temperature=t), 18.0),
    "salinity": (lambda s: system("carbonate", 2300.0, 2100.0, salinity=s), 33.0),
    "arrays": (lambda c: system("pH", 2300.0, c), np.array([2100.0, 2050.0])),
}
