"""Timing that other programs on the machine disturb as little as can be."""

import statistics
import time
from collections.abc import Callable

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
