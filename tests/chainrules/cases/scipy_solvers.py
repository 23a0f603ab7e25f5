"""Integrals of samples, and steps of the programs for SciPy's solvers, tested through the programs that take them."""

import numpy as np
from scipy import integrate

from chainrules.library.scipy.callbacks import iterate
from chainrules.library.scipy.implicit import solved
from chainrules.library.scipy.integrate.backwards import solution_of_equation
from chainrules.library.scipy.integrate.collocations import collocated_solution
from chainrules.library.scipy.integrate.initial_values import valued
from chainrules.library.scipy.integrate.steps import combination
from chainrules.library.scipy.integrate.trajectories import solution
from chainrules.library.scipy.solutions import moved_later
from chainrules.library.scipy.sparse.linalg.solving import nearly_solved

from .points import case

Y, X = np.array([[0.4, 1.2, -0.3], [2.0, 0.1, 0.7]]), np.array([0.1, 0.5, 1.4])

CASES = [
    case(integrate.cumulative_trapezoid, Y), case(integrate.cumulative_trapezoid, Y, X, 1.0, -1, 0),
    case(integrate.cumulative_trapezoid, Y, Y + X, 1.0, 0),
    case(integrate.cumulative_trapezoid, Y, None, 0.3, 0), case(integrate.cumulative_trapezoid, X, X**2),
    case(integrate.trapezoid, Y), case(integrate.trapezoid, Y, X), case(integrate.trapezoid, Y, Y + X, 1.0, 0),
    case(integrate.trapezoid, Y, None, 0.3, 0), case(integrate.trapezoid, X, X**2), case(integrate.trapezoid, Y[:, :1]),
]  # fmt: skip
ELSEWHERE = {
    collocated_solution, combination, iterate, moved_later, nearly_solved, solution, solution_of_equation, solved,
    valued,
}  # fmt: skip
