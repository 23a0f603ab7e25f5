"""Rules for SciPy, one room for each of its modules; a room is entered once the program has loaded the module."""
