from geographiclib.geodesic import Geodesic

CALLS: dict = {}
CALLS["Inverse"] = (lambda lat, lon: Geodesic.WGS84.Inverse(lat, lon, 48.9, 2.4)["s12"] * 1e-6, 40.6, -73.8)
CALLS["azimuth"] = (lambda lat: Geodesic.WGS84.Inverse(lat, -73.8, 48.9, 2.4)["azi1"], 40.6)
CALLS["Direct"] = (lambda s: [Geodesic.WGS84.Direct(40.6, -73.8, 45.0, s)[k] for k in ("lat2", "lon2")], 1e6)
CALLS["Line"] = (lambda s: Geodesic.WGS84.InverseLine(40.6, -73.8, 48.9, 2.4).Position(s)["lat2"], 1e6)


def area(lat):
    polygon = Geodesic.WGS84.Polygon()
    for point in ((lat, 0.0), (0.0, 3.0), (4.0, 5.0)):
        polygon.AddPoint(*point)
    return [v * 1e-9 for v in polygon.Compute()[1:]]


CALLS["Polygon"] = (area, -2.0)
