import numpy as np
import pylops

CALLS: dict = {}
X = np.sin(np.arange(6.0)) + 0.3
A = np.cos(np.arange(18.0)).reshape(6, 3)
CALLS["MatrixMult"] = (lambda A, x: pylops.MatrixMult(A) @ x, A, np.array([0.3, 1.2, -0.4]))
CALLS["MatrixMult.H"] = (lambda A, x: pylops.MatrixMult(A).H @ x, A, X)
CALLS["Diagonal"] = (lambda d, x: pylops.Diagonal(d) * x, X, X[::-1].copy())
CALLS["FirstDerivative"] = (lambda x: pylops.FirstDerivative(6, sampling=0.5, edge=True) @ x**2, X)
CALLS["SecondDerivative"] = (lambda x: pylops.SecondDerivative(6) @ x**2, X)
CALLS["Laplacian"] = (lambda x: pylops.Laplacian((4, 3), edge=True) @ x**2, np.tile(X, 2))
CALLS["CausalIntegration"] = (lambda x: pylops.CausalIntegration(6) @ x**2, X)
CALLS["Smoothing1D"] = (lambda x: pylops.Smoothing1D(3, 6) @ x**2, X)
CALLS["VStack"] = (lambda d, x: pylops.VStack([pylops.Diagonal(d), pylops.Identity(6)]) @ x, X, X + 1)
CALLS["products"] = (
    lambda d, x: (pylops.Diagonal(d).H @ pylops.FirstDerivative(6) + 2.0 * pylops.Identity(6)) @ x,
    X,
    X,
)
CALLS["Convolve1D"] = (
    lambda h, x: pylops.signalprocessing.Convolve1D(6, h=h, offset=1) @ x,
    np.array([0.2, 1.0, 0.5]),
    X,
)
CALLS["FFT"] = (lambda x: abs(pylops.signalprocessing.FFT(6, real=False) @ (x + 0j)), X)
CALLS["division"] = (lambda d, y: pylops.Diagonal(d) / y, X + 2, X)
CALLS["cgls"] = (
    lambda A, y: pylops.optimization.basic.cgls(pylops.MatrixMult(A), y, np.zeros(3), niter=40, tol=1e-20)[0],
    A,
    X,
)
CALLS["Restriction"] = (lambda x: pylops.Restriction(6, [0, 2, 5]) @ x**2, X)
CALLS["Regression"] = (lambda t, x: pylops.Regression(t, order=2) @ x, X, np.array([1.0, 0.3, -0.2]))
CALLS["ricker"] = (lambda f: pylops.utils.wavelets.ricker(np.arange(4) * 0.004, f0=f)[0], 20.0)
