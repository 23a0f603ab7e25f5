"""One reverse context: its protocol, the tape, the sweep, one run."""
