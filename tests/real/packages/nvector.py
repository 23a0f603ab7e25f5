import numpy as np
import nvector as nv
from nvector import FrameE, GeoPoint

n = nv.lat_lon2n_E(0.8, 0.2)


CALLS = {
    "lat_lon2n_E": (nv.lat_lon2n_E, 0.8, 0.2),
    "n_E2lat_lon": (lambda a, b: nv.n_E2lat_lon(nv.lat_lon2n_E(a, b)), 0.8, 0.2),
    "great_circle_distance": (
        lambda a, b: nv.great_circle_distance(nv.lat_lon2n_E(a, b), n),
        0.7,
        0.1,
    ),
    "n_EB_E2p_EB_E": (lambda a, z: nv.n_EB_E2p_EB_E(nv.lat_lon2n_E(a, 0.2), z), 0.8, 10.0),
    "p_EB_E2n_EB_E": (lambda p: nv.p_EB_E2n_EB_E(p), np.array([[4.0e6], [8.0e5], [4.9e6]])),
    "zyx2R": (nv.zyx2R, 0.1, 0.2, 0.3),
    "n_E2R_EN": (lambda a: nv.n_E2R_EN(nv.lat_lon2n_E(a, 0.2)), 0.8),
    "cross_track_distance": (
        lambda a: nv.cross_track_distance((nv.lat_lon2n_E(a, 0.0), n), nv.lat_lon2n_E(0.85, 0.15)),
        0.7,
    ),
    "GeoPoint.delta_to": (
        lambda lat: GeoPoint(latitude=lat, longitude=2.0, z=3.0).delta_to(GeoPoint(4.0, 5.0, 6.0)).pvector,
        1.0,
    ),
    "geodesic distance": (
        lambda lat: (
            FrameE(a=6371e3, f=0)
            .GeoPoint(lat, 0.0, degrees=True)
            .distance_and_azimuth(FrameE(a=6371e3, f=0).GeoPoint(89.0, -170.0, degrees=True))[0]
        ),
        88.0,
    ),
}
