import pvlib

CALLS = {
    "physical aoi": (lambda aoi: pvlib.iam.physical(aoi), 40.0),
    "ashrae": (lambda aoi: pvlib.iam.ashrae(aoi), 40.0),
    "aoi": (lambda t, a: pvlib.irradiance.aoi(t, a, 40.0, 150.0), 30.0, 180.0),
    "isotropic": (lambda t, d: pvlib.irradiance.isotropic(t, d), 30.0, 100.0),
    "haydavies": (lambda d: pvlib.irradiance.haydavies(30.0, 180.0, d, 700.0, 1400.0, 40.0, 150.0), 100.0),
    "sapm_cell": (lambda g, t: pvlib.temperature.sapm_cell(g, t, 2.0, -3.47, -0.0594, 3.0), 900.0, 20.0),
    "pvsyst_cell": (lambda g, t: pvlib.temperature.pvsyst_cell(g, t), 900.0, 20.0),
    "faiman": (lambda g, t: pvlib.temperature.faiman(g, t), 900.0, 20.0),
    "pvwatts_dc": (lambda g, t: pvlib.pvsystem.pvwatts_dc(g, t, 5000.0, -0.003), 900.0, 40.0),
    "pvwatts inverter": (lambda p: pvlib.inverter.pvwatts(p, 5000.0), 3000.0),
    "i_from_v": (lambda v, i: pvlib.pvsystem.i_from_v(v, i, 5e-7, 0.1, 20.0, 0.5), 7.5, 7.0),
    "calcparams_desoto": (
        lambda g: pvlib.pvsystem.calcparams_desoto(g, 40.0, 0.0046, 2.3, 8.9, 5e-7, 300.0, 0.3)[0],
        900.0,
    ),
    "kastenyoung": (lambda z: pvlib.atmosphere.get_relative_airmass(z), 40.0),
    "bird": (lambda z: pvlib.clearsky.bird(z, 1.5, 0.1, 0.1, 1.4)["ghi"], 40.0),
    "gueymard94_pw": (lambda t, h: pvlib.atmosphere.gueymard94_pw(t, h), 20.0, 50.0),
    "singlediode": (lambda i: pvlib.pvsystem.max_power_point(i, 5e-7, 0.1, 20.0, 0.5)["p_mp"], 7.0),
}
