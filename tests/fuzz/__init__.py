"""A differential fuzzer: random programs, run plainly and differentiated, compared in all that they do.

Run it as ``python -m tests.fuzz --programs 20000``; `grammar` writes the programs, `check` judges one.
"""

import sys
from pathlib import Path

for helpers in ("", "morula", "native"):  # which are used here, too
    sys.path.append(str(Path(__file__).parents[1] / helpers))
