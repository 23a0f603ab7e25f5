"""``python -m tests.fuzz --programs 20000``: as many programs as one likes, from seeds of their own."""

import argparse
import multiprocessing
import os
import shlex
import sys
import time
import warnings

from . import numeric, plain
from .groups import DEFAULT, REFUSED
from .survey import Survey, Task, checked, smallest

PORTION = 200  # programs that one job checks before it reports


def command(task: Task, hash_seed: str) -> str:
    """What repeats one portion: the same programs, in the same order, with the same hashes."""
    names, start, size, _ = task
    groups = " ".join(shlex.quote(name) for name in names)
    return f"PYTHONHASHSEED={hash_seed} python -m tests.fuzz --seed {start} --programs {size} --groups {groups}"


def main() -> int:
    names = [g.name for g in DEFAULT]
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, help="of the first portion; by default the clock")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="the time after which to stop")
    parser.add_argument("--groups", nargs="*", metavar="NAME", help=f"of constructs; by default {', '.join(names)}")
    parser.add_argument("--all", action="store_true", help="also the groups that are refused so far")
    parser.add_argument("--examples", action="store_true", help="show a program for each kind of refusal and skip")
    parser.add_argument("--numeric", action="store_true", help="programs for Numba: compiled adjoints are compared")
    parser.add_argument("--plain", action="store_true", help="programs of numbers: static adjoints are compared")
    grammars_help = "with --plain: only these grammars, such as plain_lent; `each` takes them all in turn"
    parser.add_argument("--grammars", nargs="*", metavar="NAME", default=[], help=grammars_help)
    options = parser.parse_args()
    if options.numeric:
        return numeric.main(options)
    if options.plain:
        return plain.main(options)

    chosen = options.groups or names + [g.name for g in REFUSED] * options.all
    start = options.seed if options.seed is not None else int(time.time()) % 1_000_000
    until = time.monotonic() + 60 * options.minutes
    sizes = [min(PORTION, options.programs - k) for k in range(0, options.programs, PORTION)]
    tasks = [(tuple(chosen), start + k, size, until) for k, size in enumerate(sizes)]
    hash_seed = os.environ.setdefault("PYTHONHASHSEED", str(start))  # of the processes that check
    print(f"seed {start}, PYTHONHASHSEED={hash_seed}", flush=True)

    total, began = Survey(), time.monotonic()
    # each portion in a process of its own: what fails is repeated by itself, with the programs before it
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=1) as pool:
        for task, part in pool.imap_unordered(checked, tasks):
            known = set(total.failures)
            total.merge(part)
            if total.programs % 1000 < part.programs:
                print(f"{total.programs} programs, {(time.monotonic() - began) / 60:.0f} min", flush=True)
            for kind in total.failures.keys() - known:
                source, message = total.failures[kind]
                print(f"\nwrong: {message}\n{source}\nagain by: {command(task, hash_seed)}", flush=True)
    print("\n" + total.report(), flush=True)
    for message, source in total.examples.items() if options.examples else ():
        print(f"\n{'-' * 80}\n{message}\n\n{source}", flush=True)
    warnings.simplefilter("ignore", SyntaxWarning)  # of programs on their way to smaller ones
    for source, _ in total.failures.values():
        small, message = smallest(source)
        print(f"\n{'-' * 80}\nshrunk: {message}\n\n{small}", flush=True)
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.exit(main())
