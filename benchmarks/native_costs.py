"""What the native tier costs besides time: compilation, memory, calls. A part of `benchmarks/native.py`."""

import ctypes
import gc
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from native_problems import PROBLEMS
from native_problems.problem import Problem
from timing import interleaved

import morula

COMPILE = 4.0  # asked for: the first gradient over Numba's own time for the primal; of the median, 2.2
CACHED = 0.25  # asked for: seconds of the first gradient from the disk cache
SEEN = 65_536  # bytes: less is not told apart from what a process does besides
FREEING = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}  # what is freed leaves the process
CALLS = {"gradient": 1.0, "grad": 0.5}  # asked for: microseconds on top of the kernel


def in_new_process(*words: object, **environment: str) -> dict:
    """What this file, run with these words, prints; ``{"error": ...}`` if it fails."""
    command = [sys.executable, __file__, *map(str, words)]
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}  # modules are compiled once
    done = subprocess.run(command, capture_output=True, text=True, env={**inherited, **environment})
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


# -- compilation ------------------------------------------------------------------------------------------------------


def compile_table(problems: list[Problem]) -> None:
    """Each problem in a process of its own, and then in another one with the first one's cache.

    What Numba and the native tier take to start is not counted: it comes once in a process. `start` is the tier's.
    """
    heads = (
        "lines",
        "Numba, primal",
        "by hand",
        "first gradient",
        "over primal",
        "cached: primal",
        "gradient",
        "start",
    )
    ratios = []
    print("seconds to the end of the first call" + "".join(f"{h:>16}" for h in heads).rjust(0))
    for problem in problems:
        first, again = compiled_twice(problem)
        if "error" in first or "error" in again:
            print(f"  {problem.name:<34}{first.get('error') or again.get('error')}")
            continue
        ratio = first["gradient"] / first["primal"]
        cells = [f"{first['lines']}", *(f"{first[k]:.2f}" for k in ("primal", "by hand", "gradient"))]
        cells += [f"{ratio:.1f}", *(f"{again[k]:.3f}" for k in ("primal", "gradient", "start"))]
        ratios.append(ratio)
        met = "met" if ratio <= COMPILE and again["gradient"] <= CACHED else "MISSED"
        print(f"  {problem.name:<34}" + "".join(f"{c:>16}" for c in cells) + f"   {met}", flush=True)
    print(f"  median over primal: {statistics.median(ratios):.2f}")
    print(
        f"  asked: the first gradient in {COMPILE:g} times Numba's own time for the primal, {CACHED:g} s from the cache"
    )


def compiled_twice(problem: Problem) -> tuple[dict, dict]:
    """Seconds of the first calls in a new process, and in another one with the first one's cache."""
    with tempfile.TemporaryDirectory() as cache:
        found = [in_new_process("compile", problem.name, NUMBA_CACHE_DIR=cache) for _ in range(2)]
    return found[0], found[1]


def compile_child(problem: Problem) -> dict:
    from numba import njit

    @njit
    def square(x: float) -> float:
        return x * x

    njit(lambda x: x.sum())(np.zeros(1))  # Numba's own start
    square(1.0)
    start = time.process_time()
    morula.gradient(square, 1.0)
    found: dict[str, float] = {"start": time.process_time() - start}
    args = problem.arguments(problem.sizes[0] // 10)
    primal, by_hand = (njit(cache=True)(f.py_func) for f in (problem.primal, problem.by_hand))
    source = problem.primal.py_func.__code__
    found["lines"] = len({line for _, _, line in source.co_lines() if line})
    g = replace(problem, primal=primal).generated
    for name, run in (
        ("primal", lambda: primal(*args)),
        ("by hand", lambda: by_hand(*args)),
        ("gradient", lambda: g(args)()),
    ):
        start = time.process_time()
        run()
        first = time.process_time() - start
        start = time.process_time()
        run()
        found[name] = first - (time.process_time() - start)
    return found


# -- sizes ------------------------------------------------------------------------------------------------------------


def scaling_table(problems: list[Problem]) -> None:
    """Four sizes; each row comes from a process of its own, which has compiled before."""
    for problem in problems:
        print(f"\n{problem.title}: size, seconds and peak megabytes on top of the arguments; the largest size's")
        print("over the smallest's, beside what the size itself is over the smallest")
        print(f"  {'':<12}" + "".join(f"{size:>20}" for size in problem.sizes))
        for which in ("primal", "by hand", "generated"):
            found = in_new_process("scaling", problem.name, which, **FREEING)
            if "error" in found:
                print(f"  {which:<12}{found['error']}")
                continue
            seconds, peaks = found["seconds"], found["bytes"]
            cells = "".join(f"{t:10.4f} {b / 1e6:6.1f} MB" for t, b in zip(seconds, peaks, strict=True))
            memory = f"{peaks[-1] / peaks[0]:.0f}" if peaks[0] > SEEN else "-"
            size = problem.sizes[-1] / problem.sizes[0]
            print(
                f"  {which:<12}{cells}   time {seconds[-1] / seconds[0]:.0f}, memory {memory} ({size:.0f})", flush=True
            )


def scaling_child(problem: Problem, which: str) -> dict:
    written = {"primal": problem.primal, "by hand": problem.by_hand}.get(which)

    def run(*args: object) -> object:
        return problem.generated(args)() if written is None else written(*args)

    run(*problem.arguments(problem.size))
    found: dict[str, list] = {"seconds": [], "bytes": []}
    for size in problem.sizes:
        args = problem.arguments(size)
        seconds = []
        for _ in range(3):
            start = time.process_time()
            run(*args)
            seconds.append(time.process_time() - start)
        found["seconds"].append(statistics.median(seconds))
        found["bytes"].append(peak_of(run, args))
    return found


def peak_of(run, args: tuple) -> int:
    """The most resident bytes of the process during the call, beyond those before it (Linux).

    Numba's arrays are in no statistics of Python's; the kernel's high-water mark sees them, and can be reset.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = of_status("VmRSS")
    run(*args)
    return max(0, of_status("VmHWM") - before)


def of_status(name: str) -> int:
    return int(re.search(rf"{name}:\s*(\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024


def memory_of(problem: Problem) -> dict[str, float]:
    """Peak bytes of a gradient at the largest size but one, by hand and generated; 0 where it is too little to see."""
    found = {}
    for which in ("by hand", "generated"):
        peaks = in_new_process("scaling", problem.name, which, **FREEING).get("bytes")
        found[which] = peaks[-2] if peaks else math.nan
    return found


# -- calls ------------------------------------------------------------------------------------------------------------


def overhead_table(problems: list[Problem], rounds: int) -> None:
    """The verbs on top of a call of the kernel that they end in, with the arrays that it adds to."""
    try:
        from morula.static.numba.kernels import kernels_of
    except ImportError:
        raise SystemExit("there are no generated adjoints yet") from None
    print(f"{'microseconds':<16}{'primal':>10}{'by hand':>10}{'kernel':>10}{'grad':>10}{'gradient':>10}   on top")
    for problem in problems:
        args = problem.arguments(problem.size)
        g = morula.grad(problem.primal, problem.wrt)
        kernels = kernels_of(problem.primal, args, tuple(i in problem.wrt for i in range(len(args))))
        arrays = [args[leaf.argument] for leaf in kernels.leaves if leaf.is_array]

        def kernel(kernels=kernels, arrays=arrays, args=args):
            kernels.joint(args, tuple([np.zeros(a.shape) for a in arrays]), (1.0,))

        t = interleaved(
            rounds,
            time.process_time,
            primal=lambda f=problem.primal, args=args: f(*args),
            by_hand=lambda f=problem.by_hand, args=args: f(*args),
            kernel=kernel,
            grad=lambda g=g, args=args: g(*args),
            gradient=lambda f=problem.primal, args=args: morula.gradient(f, *args),
        )
        line = f"{problem.name:<16}" + "".join(f"{seconds * 1e6:10.2f}" for seconds in t.values())
        for name, asked in CALLS.items():
            if name == "gradient" and len(problem.wrt) < len(args):
                continue  # it is by all arguments, which is another kernel
            on_top = (t[name] - t["kernel"]) * 1e6
            line += f"   {name} {on_top:.2f} (asked {asked}: {'met' if on_top <= asked else 'MISSED'})"
        print(line, flush=True)


def main() -> None:
    """In a process of its own: ``compile NAME`` or ``scaling NAME COLUMN``."""
    warnings.simplefilter("error")  # a fallback to the eager tier is not what is measured here
    what, name, *rest = sys.argv[1:]
    problem = PROBLEMS[name]
    print(json.dumps(compile_child(problem) if what == "compile" else scaling_child(problem, rest[0])))


if __name__ == "__main__":
    main()
