"""Steps of the programs for SciPy's solvers: their rules are tested through the programs that take them."""

from chainrules.library.scipy.callbacks import iterate
from chainrules.library.scipy.implicit import solved
from chainrules.library.scipy.integrate.steps import combination
from chainrules.library.scipy.integrate.trajectories import solution

ELSEWHERE = {combination, iterate, solution, solved}
