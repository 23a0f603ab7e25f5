"""The back end that Numba compiles."""
