"""The module `csv`: what is written to a file is a constant. Loaded when the program has imported it."""

from __future__ import annotations

import csv
import io

from ...declarations import non_differentiable

writer = type(csv.writer(io.StringIO()))
non_differentiable(writer.writerow, writer.writerows)
