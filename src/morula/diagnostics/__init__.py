"""What happened in a differentiated run, line by line: `morula.explain` and its kin."""
