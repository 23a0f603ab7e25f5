import psychrolib as psy

psy.SetUnitSystem(psy.SI)

CALLS = {
    "GetTWetBulbFromRelHum": (lambda T, h: psy.GetTWetBulbFromRelHum(T, h, 101325.0), 25.0, 0.6),
    "GetTDewPointFromRelHum": (psy.GetTDewPointFromRelHum, 25.0, 0.6),
    "GetHumRatioFromTWetBulb": (lambda T, w: psy.GetHumRatioFromTWetBulb(T, w, 101325.0), 25.0, 18.0),
    "GetSatVapPres": (psy.GetSatVapPres, 25.0),
    "GetMoistAirEnthalpy": (psy.GetMoistAirEnthalpy, 25.0, 0.01),
    "GetMoistAirVolume": (psy.GetMoistAirVolume, 25.0, 0.01, 95000.0),
    "CalcPsychrometricsFromRelHum": (lambda T, h: psy.CalcPsychrometricsFromRelHum(T, h, 101325.0), 25.0, 0.6),
    "GetStationPressure": (psy.GetStationPressure, 101325.0, 1000.0, 15.0),
}
