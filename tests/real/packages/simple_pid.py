from simple_pid import PID

CALLS: dict = {}


def heated(kp, ki, kd):
    pid = PID(kp, ki, kd, setpoint=20.0, sample_time=None, output_limits=(-50.0, 50.0))
    temperature, cost = 10.0, 0.0
    for _ in range(30):
        power = pid(temperature, dt=0.1)
        temperature += 0.1 * (power - 0.5 * (temperature - 8.0))
        cost += (temperature - 20.0) ** 2
    return cost


CALLS["heated room"] = (heated, 1.3, 0.4, 0.05)
