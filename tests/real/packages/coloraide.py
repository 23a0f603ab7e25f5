from coloraide import Color

CALLS: dict = {}
for space in ("oklch", "lab", "hsl", "xyz-d65", "oklab", "hwb", "lch", "rec2020"):
    CALLS[f"convert {space}"] = (lambda r, g, space=space: Color("srgb", [r, g, 0.3]).convert(space)[:3], 0.42, 0.73)
CALLS["contrast"] = (lambda r: Color("srgb", [r, 0.4, 0.3]).contrast(Color("white")), 0.4)
CALLS["delta_e"] = (lambda r: Color("srgb", [r, 0.4, 0.3]).delta_e(Color("orange"), method="2000"), 0.4)
CALLS["mix"] = (lambda t: Color.mix(Color("red"), Color("blue"), t, space="oklab").convert("srgb")[:3], 0.4)
CALLS["luminance"] = (lambda g: Color("srgb", [0.2, g, 0.3]).luminance(), 0.4)
