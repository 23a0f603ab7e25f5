from uxsim import World

CALLS: dict = {}


def travelled(free_flow, jam):
    w = World(name="", deltan=5, tmax=300, print_mode=0, save_mode=0, show_mode=0, random_seed=0)
    w.addNode("a", 0, 0)
    w.addNode("b", 1, 1)
    w.addLink("l", "a", "b", length=1000, free_flow_speed=free_flow, jam_density=jam)
    w.adddemand("a", "b", 0, 200, 0.4)
    w.exec_simulation()
    return sum(v.x for v in w.VEHICLES.values()) + sum(sum(v.log_x) for v in w.VEHICLES.values()) * 1e-3


CALLS["World"] = (travelled, 20.0, 0.2)
