"""Every test of other libraries ends: what waits for another process for ever is an error."""

import signal
from collections.abc import Iterator
from typing import Any

import pytest

SECONDS = 180


@pytest.fixture(autouse=True)
def _ends() -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TimeoutError(f"the test has not ended after {SECONDS} seconds")

    if not hasattr(signal, "SIGALRM"):  # not on Windows
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
