import gsw

CALLS = {
    "grav": (lambda lat, p: gsw.grav(lat, p), 30.0, 100.0),
    "rho": (lambda S, T, p: gsw.rho(S, T, p), 35.0, 10.0, 100.0),
    "f": (lambda lat: gsw.f(lat), 30.0),
}
