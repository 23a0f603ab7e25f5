"""What only an engine can say of NumPy's functions."""
