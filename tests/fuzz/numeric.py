"""Many numeric programs, counted. Each portion has a process of its own: compiled code may end it, or never return."""

import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from .survey import Survey, signature

PORTION = 50
BY_PYTHON = ("run by Python",) * 3
WAYS = (*BY_PYTHON, "compiled", *BY_PYTHON, "frozen", *BY_PYTHON, "compiled", *BY_PYTHON, "frozen")  # in turn
LONG = 70  # arrays of this length are not taken apart
LARGE = 40  # one program of so many is large
PARALLEL = {"compiled": 0.01, "run by Python": 0.1}  # how often: Numba compiles such loops for a minute
SILENCE = 300.0  # seconds after which a process that says nothing has hung
SHRINKING = 240.0  # seconds for one failure


def work(seeds: range, way: str, told: Connection) -> None:
    """The process of one portion: tells each program, then what became of it."""
    from . import numeric_check, numeric_frozen, numeric_grammar

    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            small = way != "run by Python" or seed % LARGE > 0
            if way == "frozen":
                source = numeric_frozen.program(seed)
            else:
                source = numeric_grammar.program(seed, small, PARALLEL[way])
            told.send((seed, source, None))
            if way == "frozen":
                verdict = numeric_frozen.check(source, Path(folder))
            else:  # generating texts and compiling them takes the time: for few sizes, and some derivatives
                compiled = way == "compiled"
                sizes = (LONG if seed % 3 == 0 else 5,) if compiled else (5, numeric_grammar.SIZES[1 + seed % 4])
                parts = numeric_check.PARTS if seed % 20 == 0 else (numeric_check.PARTS[seed % 4],)
                verdict = numeric_check.check(source, Path(folder), sizes, compiled=compiled, parts=parts)
            verdict = replace(verdict, is_compiled=way != "run by Python" and verdict.kind in ("right", "wrong"))
            told.send((seed, source, verdict))
            if verdict.message == "takes too long":  # a compilation that was cut off leaves Numba unusable
                break
    told.send(range(seed + 1, seeds.stop))


def shrink_one(source: str, told: Connection) -> None:
    os.environ["NUMBA_OPT"] = "1"
    from .numeric_check import smaller

    until = time.monotonic() + SHRINKING
    with tempfile.TemporaryDirectory() as folder:
        told.send(smaller(source, Path(folder), lambda: time.monotonic() > until))


def started(target: Any, *args: Any) -> tuple[Any, Connection]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(*args, theirs), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def verdicts(start: int, number: int, jobs: int, until: float) -> Iterator[tuple[int, str, Any]]:
    """Seed, source and verdict of each program, as they come."""
    from .check import Verdict

    waiting = [range(start + k, start + min(k + PORTION, number)) for k in range(0, number, PORTION)]
    running: dict[Connection, list[Any]] = {}  # to the process, its last program, its seeds, when it spoke last
    count = 0
    while waiting or running:
        while waiting and len(running) < jobs and time.monotonic() < until:
            seeds = waiting.pop(0)
            process, pipe = started(work, seeds, WAYS[count % len(WAYS)])
            count += 1
            running[pipe] = [process, None, seeds, time.monotonic()]
        if not running:
            return
        for pipe in wait(list(running), timeout=5.0):
            state = running[pipe]
            state[3] = time.monotonic()
            try:
                message = pipe.recv()
            except EOFError:
                message = "died"
            if isinstance(message, range) or message == "died":
                del running[pipe]
                state[0].join()
                if isinstance(message, range) and message:
                    waiting.insert(0, message)
                if message == "died":
                    seed, source = state[1] or (state[2].start, "")
                    yield seed, source, Verdict("wrong", f"the process died with {state[0].exitcode}")
                    if seed + 1 < state[2].stop:
                        waiting.insert(0, range(seed + 1, state[2].stop))
            elif message[2] is None:
                state[1] = message[:2]
            else:
                yield message
                if time.monotonic() > until:
                    state[0].terminate()
                    state[0].join()
                    del running[pipe]
        for pipe, (process, last, seeds, spoke) in list(running.items()):
            if time.monotonic() - spoke > SILENCE and last is not None:
                process.kill()
                process.join()
                del running[pipe]
                yield last[0], last[1], Verdict("wrong", "hangs")
                waiting.insert(0, range(last[0] + 1, seeds.stop))


def shrunk_apart(source: str) -> tuple[str, str]:
    """Shrink in another process; the program itself where that dies or hangs."""
    process, pipe = started(shrink_one, source)
    try:
        if pipe.poll(SHRINKING + SILENCE):
            return pipe.recv()
    except EOFError:
        pass
    finally:
        process.kill()
    return source, "(not shrunk)"


def main(options: Any) -> int:
    """The command: a survey, failures as they come, and each kind of failure shrunk."""
    start = options.seed if options.seed is not None else int(time.time()) % 1_000_000 * 1000
    until = time.monotonic() + 60 * options.minutes
    print(f"seed {start}", flush=True)
    total = Survey()
    began = time.monotonic()
    for seed, source, verdict in verdicts(start, options.programs, options.jobs, until):
        known = len(total.failures)
        total.add(source, verdict)
        if len(total.failures) > known or (verdict.kind == "wrong" and "died" in verdict.message):
            print(f"\nwrong (seed {seed}): {verdict.message}\n{source}", flush=True)
        elif verdict.kind == "wrong":
            print(f"wrong again (seed {seed}): {signature(verdict)}", flush=True)
        if total.programs % 100 == 0:
            print(f"{total.programs} programs, {time.monotonic() - began:.0f} s", flush=True)
    print("\n" + total.report(), flush=True)
    for message, source in total.examples.items() if options.examples else ():
        print(f"\n{'-' * 80}\n{message}\n\n{source}", flush=True)
    for source, message in total.failures.values():
        if not any(word in message for word in ("died", "hangs", " of [")):  # events are not made fewer
            small, said = shrunk_apart(source)
            print(f"\n{'-' * 80}\nshrunk: {said}\n\n{small}", flush=True)
    return 1 if total.failures else 0
