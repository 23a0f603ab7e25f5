"""Attributes, classes, construction, copies, state outside functions."""
