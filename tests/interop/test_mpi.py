"""Programs of mpi4py on several ranks."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mpi4py")
HERE = Path(__file__).parent


@pytest.mark.parametrize("ranks", [2, 3])
def test_programs(ranks):
    launcher = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}:{Path('/usr/bin')}")
    if launcher is None:
        pytest.skip("no mpiexec")
    done = subprocess.run(
        [launcher, "-n", str(ranks), sys.executable, "mpi_programs.py"],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all ranks agree" in done.stdout
