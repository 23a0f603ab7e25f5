"""Timing that other programs on the machine disturb as little as can be."""

import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

SLOW = 0.2  # seconds
FEW = 3


def interleaved(
    repeat: int, clock: Callable[[], float] = time.perf_counter, **columns: Callable[[], object]
) -> dict[str, float]:
    """Median seconds of each column, every round running all of them; slow ones are left out after a few rounds.

    With ``time.process_time`` for a clock, what other programs take is not counted; then nothing may run in several
    threads.
    """
    times: dict[str, list[float]] = {name: [] for name in columns}
    inner = {}
    for name, run in columns.items():
        run()
        start = clock()
        run()
        inner[name] = max(1, int(5e-3 / max(clock() - start, 1e-9)))
    for done in range(repeat):
        for name, run in columns.items():
            if done >= FEW and statistics.median(times[name]) > SLOW:
                continue
            start = clock()
            for _ in range(inner[name]):
                run()
            times[name].append((clock() - start) / inner[name])
    return {name: statistics.median(t) for name, t in times.items()}


def keep(
    path: str | None, title: str, base: str, rows: dict[str, dict[str, float]], limit: float | None = None
) -> None:
    """Write seconds by row and column for the site, with what they were measured on; nothing without a path.

    The site draws ratios to the column `base`, and a line at `limit`, the ratio aimed at.
    """
    if path is None:
        return
    packages = ("morula", "numpy", "scipy", "numba", "autograd", "jax", "torch")
    versions = {"Python": platform.python_version()}
    for name in packages:
        module = sys.modules.get(name)
        if module is not None:
            versions[name] = getattr(module, "__version__", "") or metadata.version(name)
    found = {
        "title": title, "base": base, "limit": limit, "versions": versions, "machine": machine(),
        "date": time.strftime("%Y-%m-%d"), "command": " ".join(["python", *sys.argv]),
        "rows": {name: {k: float(f"{t:.4g}") for k, t in columns.items()} for name, columns in rows.items()},
    }  # fmt: skip
    Path(path).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def machine() -> str:
    """The processor, as Linux names it, else as Python does."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {len(names) or 1} cores seen"
