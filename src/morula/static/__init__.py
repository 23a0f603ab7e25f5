"""The native tier: adjoints of `numba.njit` functions, generated as source and compiled by Numba."""
