import numpy as np
from gymnasium.envs.classic_control import CartPoleEnv, Continuous_MountainCarEnv, PendulumEnv
from gymnasium.envs.classic_control.acrobot import AcrobotEnv, rk4

CALLS: dict = {}


def rolled(kind, steps, action):
    def total(s):
        env = kind()
        env.reset(seed=0)
        env.state = s
        reward = 0.0
        for k in range(steps):
            _, r, *_ = env.step(action(k))
            reward = reward + r
        return reward, np.asarray(env.state, float)

    return total


CALLS["Pendulum"] = (rolled(PendulumEnv, 4, lambda k: np.array([0.3 * k])), np.array([0.4, 0.1]))
CALLS["CartPole"] = (lambda s: rolled(CartPoleEnv, 4, lambda k: k % 2)(s)[1], np.array([0.01, 0.02, 0.03, -0.04]))
CALLS["MountainCar"] = (
    lambda s: rolled(Continuous_MountainCarEnv, 4, lambda k: np.array([0.3]))(s)[1],
    np.array([-0.5, 0.01]),
)
CALLS["Acrobot"] = (lambda s: rk4(AcrobotEnv()._dsdt, np.append(s, 1.0), [0, 0.2])[:4], np.array([0.1, 0.2, -0.1, 0.3]))
