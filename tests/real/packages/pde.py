import numpy as np
import pde

CALLS: dict = {}
LINE = pde.CartesianGrid([[0, 3.0]], 12, periodic=True)
BOX = pde.CartesianGrid([[0, 2.0], [0, 3.0]], [4, 5], periodic=False)
X = np.sin(np.arange(12.0))
Z = np.cos(np.arange(20.0)).reshape(4, 5)

CALLS["laplace (scipy)"] = (lambda d: pde.ScalarField(LINE, d).laplace("periodic", backend="scipy").data, X)
CALLS["laplace (numba)"] = (lambda d: pde.ScalarField(BOX, d).laplace("auto_periodic_neumann").data, Z)
CALLS["gradient"] = (lambda d: pde.ScalarField(BOX, d).gradient("auto_periodic_neumann").data, Z)
CALLS["field arithmetic"] = (lambda d: ((pde.ScalarField(BOX, d) * 2 + 1) ** 2).average, Z)
CALLS["fluctuations"] = (lambda d: pde.ScalarField(BOX, d).fluctuations, Z)
CALLS["interpolate"] = (lambda d: pde.ScalarField(BOX, d).interpolate(np.array([0.7, 1.1])), Z)
CALLS["integral"] = (lambda d: pde.ScalarField(BOX, d).integral, Z)
CALLS["diffusion"] = (
    lambda d: (
        pde.DiffusionPDE(0.1).solve(pde.ScalarField(LINE, d), t_range=0.2, dt=0.05, backend="numpy", tracker=None).data
    ),
    X,
)
CALLS["diffusivity"] = (
    lambda k: (
        pde.DiffusionPDE(k).solve(pde.ScalarField(LINE, X), t_range=0.2, dt=0.05, backend="numpy", tracker=None).data
    ),
    0.1,
)
CALLS["evolution rate"] = (lambda d: pde.AllenCahnPDE().evolution_rate(pde.ScalarField(LINE, d)).data, X)
CALLS["Cahn-Hilliard"] = (lambda d: pde.CahnHilliardPDE().evolution_rate(pde.ScalarField(LINE, d)).data, X)
