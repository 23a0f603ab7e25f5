from geopy import distance
from geopy.point import Point

CALLS = {
    "geodesic": (lambda a, b: distance.geodesic((a, b), (41.49008, -71.312796)).km, 41.499498, -81.695391),
    "great_circle": (lambda a, b: distance.great_circle((a, b), (41.49008, -71.312796)).km, 41.499498, -81.695391),
    "destination": (
        lambda d: distance.great_circle(kilometers=d).destination((41.49, -71.3), bearing=30.0).latitude,
        10.0,
    ),
    "miles": (lambda a: distance.great_circle((a, -81.7), (41.49008, -71.312796)).miles, 41.499498),
    "sum": (lambda a: (distance.Distance(a) + distance.Distance(2.0)).m, 41.5),
    "lonlat": (lambda a: distance.great_circle(distance.lonlat(-81.7, a), Point(41.49, -71.3)).nautical, 41.5),
}
