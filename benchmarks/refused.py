"""What programs pay that have no static adjoint: the default tier beside the eager one, from the first call on.

    python benchmarks/refused.py [--repeat 3] [NAME ...]

Each program of `refused_programs.py` runs in processes of its own, in one of which the eager tier is chosen: as many
calls of `gradient` as that one takes so many seconds for. The columns are the time of one such call; what the default
tier takes over that, for the first call and for all calls of the first 0.2, 1.2 and 5 seconds; what it has spent on
attempts by then, with loading the generator; and why there is no static adjoint. Modules are compiled beforehand, as an
installation has them; the clock is that of the process, and of several runs the medians are printed.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SPANS = (0.2, 1.2, 5.0)  # seconds in the eager tier


def calls(name: str, tier: str, most: int) -> dict:
    """The seconds after each call of the gradient, `most` calls, or as long as is asked for; run in a new process."""
    import refused_programs

    import morula
    from morula.static.python import callees, pairs

    f, args = refused_programs.CASES[name]
    spent = 0.0
    make = pairs.made

    def timed(*given: object, **more: object) -> bool:
        nonlocal spent
        start = time.process_time()
        try:
            return make(*given, **more)  # type: ignore[arg-type]
        finally:
            spent += time.process_time() - start

    pairs.made = callees.made = timed  # type: ignore[assignment]
    ends, start = [], time.process_time()
    with morula.tier(tier):
        while len(ends) < most and (tier == "auto" or not ends or ends[-1] < SPANS[-1]):
            morula.gradient(f, *args)
            ends.append(time.process_time() - start)
    return {"ends": ends, "spent": spent, "why": pairs.record_of(f).why, "static": bool(pairs.record_of(f).all_pairs)}


def measured(name: str, repeat: int, environment: dict[str, str]) -> tuple[list[float], str]:
    """The columns of one program: seconds of an eager call, ratios, seconds of attempts; and the reason."""

    def run(tier: str, most: int) -> dict:
        command = [sys.executable, __file__, "--calls", name, tier, str(most)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            raise RuntimeError(done.stderr)
        found: dict = json.loads(done.stdout)
        return found

    rows = []
    for _ in range(repeat):
        eager = run("eager", 10**9)
        n = len(eager["ends"])
        auto = run("auto", n)
        at = [next(i for i, t in enumerate(eager["ends"]) if t >= min(span, eager["ends"][-1])) for span in SPANS]
        ratios = [auto["ends"][i] / eager["ends"][i] for i in (0, *at)]
        seconds = statistics.median([b - a for a, b in itertools.pairwise(eager["ends"])])
        rows.append([seconds, *ratios, auto["spent"]])
        why = auto["why"] or ("has a static adjoint" if auto["static"] else "nothing was tried")
    return [statistics.median(column) for column in zip(*rows, strict=True)], why


def main() -> None:
    if sys.argv[1:2] == ["--calls"]:
        print(json.dumps(calls(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    import refused_programs

    names = options.names or list(refused_programs.CASES)
    print(
        f"{'program':16}{'eager ms':>10}{'first':>8}" + "".join(f"{f'{s} s':>8}" for s in SPANS) + f"{'tried ms':>10}"
    )
    columns = []
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": cache}
        environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        measured(names[0], 1, environment)  # compiles the modules
        for name in names:
            (seconds, *ratios, spent), why = measured(name, options.repeat, environment)
            columns.append(ratios)
            shown = "".join(f"{r:8.2f}" for r in ratios)
            print(f"{name:16}{seconds * 1e3:10.2f}{shown}{spent * 1e3:10.1f}   {why}", flush=True)
    for title, of in (("median", statistics.median), ("worst", max)):
        print(f"{title:26}" + "".join(f"{of(column):8.2f}" for column in zip(*columns, strict=True)))


if __name__ == "__main__":
    main()
