from svgpathtools import Arc, CubicBezier, Line, Path, QuadraticBezier

CALLS = {
    "CubicBezier.point": (
        lambda a, t: CubicBezier(complex(a, 100), 100 + 10j, 700 + 200j, 200 + 300j).point(t),
        300.0,
        0.3,
    ),
    "CubicBezier.length": (lambda a: CubicBezier(complex(a, 100), 100 + 10j, 700 + 200j, 200 + 300j).length(), 300.0),
    "CubicBezier.derivative": (lambda t: CubicBezier(300 + 100j, 100 + 10j, 700 + 200j, 200 + 300j).derivative(t), 0.4),
    "curvature": (lambda t: CubicBezier(300 + 100j, 100 + 10j, 700 + 200j, 200 + 300j).curvature(t), 0.4),
    "QuadraticBezier.length": (lambda a: QuadraticBezier(complex(a, 0), 100 + 50j, 200 + 10j).length(), 3.0),
    "Line.length": (lambda a: Line(complex(a, 0), 100 + 50j).length(), 3.0),
    "Arc.point": (lambda t: Arc(0j, 100 + 50j, 0, 0, 1, 120 + 30j).point(t), 0.4),
    "Path.length": (
        lambda a: Path(Line(0j, complex(a, 10)), QuadraticBezier(complex(a, 10), 50 + 60j, 90j)).length(),
        3.0,
    ),
    "unit_tangent": (lambda t: QuadraticBezier(0j, 100 + 50j, 200 + 10j).unit_tangent(t), 0.3),
    "bbox": (lambda a: QuadraticBezier(complex(a, 0), 100 + 50j, 20 + 10j).bbox(), 3.0),
    "translated": (lambda a: Line(0j, 2 + 1j).translated(complex(a, 1)).point(0.2), 3.0),
}
