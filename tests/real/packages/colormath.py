from colormath.color_conversions import convert_color
from colormath.color_objects import HSLColor, LabColor, LCHabColor, XYZColor, sRGBColor

CALLS: dict = {}
for kind in (XYZColor, LabColor, HSLColor, LCHabColor):
    CALLS[kind.__name__] = (
        lambda r, g, kind=kind: convert_color(sRGBColor(r, g, 0.3), kind).get_value_tuple(),
        0.42,
        0.73,
    )
