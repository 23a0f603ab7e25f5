import numpy as np
from deap import benchmarks
from deap.benchmarks import tools

x = [0.3, -0.2, 0.5]

CALLS = {
    name: (lambda x, name=name: getattr(benchmarks, name)(x), np.array(x))
    for name in "sphere rosenbrock rastrigin ackley griewank schwefel bohachevsky himmelblau schaffer zdt1 dtlz2 cigar".split()
}
CALLS["himmelblau"] = (benchmarks.himmelblau, np.array([0.3, 0.2]))
CALLS["zdt1"] = (benchmarks.zdt1, np.array([0.3, 0.2, 0.4]))
CALLS["dtlz2"] = (lambda x: benchmarks.dtlz2(x, 2), np.array([0.3, 0.2, 0.4]))
CALLS["rotate"] = (tools.translate([0.1, 0.2, 0.3])(lambda x: benchmarks.sphere(x)), np.array(x))
