"""Rules and programs for `scipy.spatial`."""
