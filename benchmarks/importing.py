"""What ``import morula`` costs beyond ``import numpy``, in processor time, from compiled modules.

python benchmarks/importing.py [--repeat 20]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

CODE = "import numpy, time; t = time.process_time(); import morula; print(time.process_time() - t)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=20)
    repeat = parser.parse_args().repeat
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": cache}

        def once() -> float:
            done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, env=environment)
            done.check_returncode()
            return float(done.stdout)

        first = once()
        later = [once() for _ in range(repeat)]
    print(f"compiling every module: {first:.3f} s")
    print(f"afterwards: median {statistics.median(later):.3f} s, least {min(later):.3f} s")


if __name__ == "__main__":
    main()
