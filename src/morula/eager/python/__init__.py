"""Builtins and modules of the standard library as the engine means them."""
