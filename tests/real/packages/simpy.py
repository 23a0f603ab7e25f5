import simpy


def car(env, drive, charge, log):
    while True:
        yield env.timeout(drive)
        log.append(env.now)
        yield env.timeout(charge)


def cars(drive, charge):
    env, log = simpy.Environment(), []
    env.process(car(env, drive, charge, log))
    env.run(until=20.0)
    return log


def queue(service, gap):
    env, waits = simpy.Environment(), []
    desk = simpy.Resource(env, capacity=1)

    def customer(k):
        yield env.timeout(k * gap)
        arrived = env.now
        with desk.request() as request:
            yield request
            waits.append(env.now - arrived)
            yield env.timeout(service)

    for k in range(4):
        env.process(customer(k))
    env.run()
    return waits


def tank(rate):
    env = simpy.Environment()
    store = simpy.Container(env, 100.0, init=10.0)

    def fill():
        for _ in range(3):
            yield store.put(rate)
            yield env.timeout(1.0)

    env.process(fill())
    env.run()
    return store.level


CALLS = {"timeout": (cars, 5.0, 2.0), "Resource": (queue, 3.0, 1.0), "Container": (tank, 2.5)}
