import mesa
import numpy as np
from mesa.datacollection import DataCollector
from mesa.space import ContinuousSpace

CALLS: dict = {}


class Saver(mesa.Agent):
    def __init__(self, model, wealth):
        super().__init__(model)
        self.wealth = wealth

    def earn(self):
        self.wealth *= 1.0 + self.model.rate

    def give(self):
        other = self.random.choice(self.model.agents)
        gift = self.model.share * self.wealth
        other.wealth += gift
        self.wealth -= gift


class Economy(mesa.Model):
    def __init__(self, rate, share, n=6):
        super().__init__(seed=42)
        self.rate, self.share = rate, share
        Saver.create_agents(self, n, [1.0 + k for k in range(n)])
        self.datacollector = DataCollector(
            model_reporters={"variance": lambda m: np.var([a.wealth for a in m.agents])},
            agent_reporters={"wealth": "wealth"},
        )

    def step(self):
        self.agents.shuffle_do("give")
        self.agents.do("earn")
        self.datacollector.collect(self)


def economy(rate, share):
    model = Economy(rate, share)
    for _ in range(4):
        model.step()
    return model


CALLS["wealth"] = (lambda rate, share: sum(a.wealth for a in economy(rate, share).agents), 0.05, 0.2)
CALLS["richest"] = (lambda rate, share: economy(rate, share).agents.agg("wealth", max), 0.05, 0.2)
CALLS["collected"] = (lambda rate, share: economy(rate, share).datacollector.model_vars["variance"], 0.05, 0.2)
CALLS["distance"] = (
    lambda p: ContinuousSpace(10.0, 10.0, True).get_distance(p, np.array([9.0, 8.0])),
    np.array([0.4, 1.3]),
)
