"""One module for each package: CALLS has a name, a function and its arguments for each call that is tried."""
