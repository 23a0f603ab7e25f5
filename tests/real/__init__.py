"""Functions of packages from the index, differentiated unmodified: ``python -m tests.real``."""
