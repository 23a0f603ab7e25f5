"""Fifteen problems of scientists, each solved with SciPy in two or three styles; `PROGRAMS` has functions and points.

They are written as if nobody differentiated them. What fails here is to be mended in the library, not in them.
"""
