import mici
import numpy as np

CALLS: dict = {}


def leapfrog(step, scale):
    system = mici.systems.EuclideanMetricSystem(
        neg_log_dens=lambda q: 0.5 * scale * (q**2).sum() + 0.1 * q[0] ** 4,
        grad_neg_log_dens=lambda q: scale * q + np.array([0.4 * q[0] ** 3, 0.0]),
    )
    integrator = mici.integrators.LeapfrogIntegrator(system, step)
    state = mici.states.ChainState(pos=np.array([0.5, -0.3]), mom=np.array([0.2, 0.4]), dir=1)
    for _ in range(4):
        state = integrator.step(state)
    return np.append(state.pos, system.h(state))


CALLS["leapfrog"] = (leapfrog, 0.1, 1.3)
CALLS["BCSS"] = (
    lambda s: (
        mici.integrators.BCSSThreeStageIntegrator(
            mici.systems.GaussianEuclideanMetricSystem(
                neg_log_dens=lambda q: s * (q**4).sum(), grad_neg_log_dens=lambda q: 4 * s * q**3
            ),
            0.1,
        )
        .step(mici.states.ChainState(pos=np.array([0.5]), mom=np.array([0.2]), dir=1))
        .pos
    ),
    0.4,
)
CALLS["matrices"] = (
    lambda m: mici.matrices.DensePositiveDefiniteMatrix(m @ m.T + np.eye(2)).inv @ np.array([1.0, 2.0]),
    np.array([[1.0, 0.2], [0.3, 0.8]]),
)
CALLS["log_abs_det"] = (
    lambda m: mici.matrices.DensePositiveDefiniteMatrix(m @ m.T + np.eye(2)).log_abs_det,
    np.array([[1.0, 0.2], [0.3, 0.8]]),
)
CALLS["PositiveDiagonalMatrix"] = (
    lambda d: mici.matrices.PositiveDiagonalMatrix(d).sqrt @ np.array([1.0, 2.0]),
    np.array([0.4, 0.9]),
)
