"""Where Python is told to write no compiled modules beside the sources, they are kept in `.cache`.

Otherwise each process that a test starts would compile everything, and pytest would rewrite each test file each time.
"""

import os
import sys
from pathlib import Path

if sys.dont_write_bytecode:
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".cache" / "bytecode")
    sys.dont_write_bytecode = False
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
