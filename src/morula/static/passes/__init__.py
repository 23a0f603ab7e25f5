"""Passes over the intermediate representation, each of one idea."""
