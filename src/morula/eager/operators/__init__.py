"""Operators and statements of transformed code."""
