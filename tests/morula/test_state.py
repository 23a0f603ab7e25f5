"""State outside of a function's own variables: globals, modules, classes, functions and what they keep.

What outlives a call is a plain value: a constant for the next one.
"""
