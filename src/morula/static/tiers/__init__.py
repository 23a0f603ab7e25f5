"""Which tier answers a call."""
