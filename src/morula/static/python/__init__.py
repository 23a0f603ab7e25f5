"""Static adjoints of plain Python: text that CPython runs, for programs of real numbers without side effects."""
