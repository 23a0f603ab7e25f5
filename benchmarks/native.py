"""The generated adjoints of `njit` functions beside their primals, hand-written adjoints, and other libraries.

    python benchmarks/native.py [--problems mse lstm ...] [--rounds 15] [--figure native.png]
    python benchmarks/native.py --compile       what compiling takes, in a new process and from the disk cache
    python benchmarks/native.py --scaling       time and peak memory at four sizes
    python benchmarks/native.py --overhead      what a call of a verb costs on top of the kernel
    python benchmarks/native.py --ratios        a line of ratios for each problem, with compilation and memory

All columns of a problem are measured in one interleaved run; the medians of the processor's time are printed, ratios
count. Before that all gradients are compared with the hand-written one: they agree to 1e-10 of their largest element,
or the program stops. Every library works with one thread and 64 bits; one that is not installed is left out.
`generated` is what ``morula.grad(primal, wrt)`` takes, which allocates the gradients as the hand-written adjoints do.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable

# ruff: noqa: E402  (libraries read these when they are loaded)
for variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "NPROC"):  # the last one is XLA's
    os.environ.setdefault(variable, "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import native_costs
from native_problems import PROBLEMS, peers
from native_problems.problem import Problem
from timing import interleaved, keep

AGREE = 1e-10
HEADS = ("primal", "by hand", "generated", "JAX", "PyTorch", "HIPS autograd")


def generated(problem: Problem, args: tuple) -> tuple[Callable | None, str]:
    """What runs the generated adjoint, or why there is none."""
    run = problem.generated(args)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a fallback to the eager tier is not what is measured here
            run()
    except Exception as error:
        return None, f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return run, ""


def measure(problem: Problem, rounds: int) -> dict[str, float]:
    """Seconds of each column that there is, after all gradients have been found to agree."""
    args = problem.arguments(problem.size)
    adjoints = {"by hand": lambda: problem.by_hand(*args)}
    run, reason = generated(problem, args)
    if run is None:
        print(f"  no generated adjoint: {reason}")
    else:
        adjoints["generated"] = run
    adjoints |= {name: (lambda f=f: f(*args)) for name, f in problem.adjoints.items()}
    adjoints |= peers.columns(problem, args)
    wanted = problem.by_hand(*args)
    for name, column in adjoints.items():
        apart = peers.far_apart(column(), wanted)
        if not apart <= AGREE:
            raise SystemExit(f"{problem.name}: the gradient of {name} is another one, by {apart:.1e}")
    primals = {"primal": lambda: problem.primal(*args)}
    primals |= {name: (lambda f=f: f(*args)) for name, f in problem.primals.items()}
    return interleaved(rounds, time.process_time, **primals, **adjoints)


# -- tables -----------------------------------------------------------------------------------------------------------


def duration(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    unit, factor = next((u, f) for u, f in (("s", 1.0), ("ms", 1e3), ("us", 1e6)) if seconds * f >= 1 or u == "us")
    value = seconds * factor
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"


def table(problems: list[Problem], rounds: int) -> dict[str, dict[str, float]]:
    print(f"{'':<48}" + "".join(f"{head:>15}" for head in HEADS) + "   generated / by hand")
    found = {}
    for problem in problems:
        seconds = found[problem.title] = measure(problem, rounds)
        line = f"{problem.title:<48}" + "".join(f"{duration(seconds.get(head)):>15}" for head in HEADS)
        if "generated" in seconds:
            ratio = seconds["generated"] / seconds["by hand"]
            is_met = seconds["generated"] <= problem.goal * seconds["by hand"] + problem.call
            call = f" and {problem.call * 1e6:g} us for the call" if problem.call else ""
            line += f"{ratio:8.2f}, asked {problem.goal:.1f}{call}: {'met' if is_met else 'MISSED'}"
        print(line, flush=True)
        others = [f"{name} {duration(seconds[name])}" for name in (*problem.primals, *problem.adjoints)]
        if others:
            print("  beside it: " + ", ".join(others))
    return found


def ratios_table(problems: list[Problem], rounds: int) -> None:
    """For each problem what the generated adjoint takes over others; `-` where the other is not there."""
    heads = ("over hand", "over primal", "over JAX", "compile", "cached s", "memory")
    print(f"{'':<14}" + "".join(f"{head:>13}" for head in heads))
    for problem in problems:
        seconds = measure(problem, rounds)
        own = seconds.get("generated", float("nan"))
        cells = [f"{own / seconds[head]:.2f}" if head in seconds else "-" for head in ("by hand", "primal", "JAX")]
        first, again = native_costs.compiled_twice(problem)
        is_there = "error" not in first and "error" not in again
        cells.append(f"{first['gradient'] / first['primal']:.1f}" if is_there else "-")
        cells.append(f"{again['gradient']:.2f}" if is_there else "-")
        peaks = native_costs.memory_of(problem)
        is_seen = peaks["by hand"] > native_costs.SEEN
        cells.append(
            f"{peaks['generated'] / peaks['by hand']:.1f}" if is_seen else f"{peaks['generated'] / 1e6:.1f} MB"
        )
        print(f"{problem.name:<14}" + "".join(f"{cell:>13}" for cell in cells), flush=True)


def draw(found: dict[str, dict[str, float]], path: str) -> None:
    """Bars of a gradient's time over that of the hand-written adjoint, one group for each problem."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.patches import Patch
    from matplotlib.ticker import FuncFormatter

    colours = {"generated": "C3", "JAX": "C0", "PyTorch": "C1", "HIPS autograd": "C7"}
    names = {"generated": "Morula, generated adjoint", "JAX": "JAX, jit"}
    ratios = {
        title: {tool: seconds[tool] / seconds["by hand"] for tool in colours if tool in seconds}
        for title, seconds in found.items()
    }
    ratios = {title: of_tools for title, of_tools in ratios.items() if of_tools}
    left = 0.7 * min((r for of_tools in ratios.values() for r in of_tools.values()), default=1.0)
    bar = 0.2
    figure, axes = plt.subplots(figsize=(8.5, 0.55 * len(ratios) + 1.2), layout="constrained")
    for row, of_tools in enumerate(ratios.values()):
        for k, (tool, ratio) in enumerate(of_tools.items()):
            y = row + (k - (len(of_tools) - 1) / 2) * bar
            axes.barh(y, ratio - left, bar, left=left, color=colours[tool])
            text = f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"
            axes.annotate(text, (ratio, y), (3, 0), textcoords="offset points", va="center", fontsize=6)
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlim(left=left)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
    axes.set_yticks(range(len(ratios)), list(ratios), fontsize=8)
    axes.invert_yaxis()
    axes.tick_params(axis="x", labelsize=8)
    axes.set_xlabel("time of a gradient over that of the adjoint written by hand for Numba", fontsize=9)
    shown = [tool for tool in colours if any(tool in of_tools for of_tools in ratios.values())]
    handles = [Patch(color=colours[tool], label=names.get(tool, tool)) for tool in shown]
    figure.legend(handles=handles, fontsize=8, loc="outside upper center", ncols=len(shown), frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS), metavar="NAME")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", metavar="PATH", help="keep the figures for the site")
    parser.add_argument("--figure", metavar="PATH", help="write bars by tool, of the table's numbers")
    for option in ("compile", "scaling", "overhead", "ratios"):
        parser.add_argument(f"--{option}", action="store_true")
    options = parser.parse_args()
    problems = [PROBLEMS[name] for name in options.problems]
    if options.compile:
        native_costs.compile_table(problems)
    if options.scaling:
        native_costs.scaling_table(problems)
    if options.overhead:
        native_costs.overhead_table(problems, options.rounds)
    if options.ratios:
        ratios_table(problems, options.rounds)
    if not (options.compile or options.scaling or options.overhead or options.ratios):
        found = table(problems, options.rounds)
        keep(options.json, "Functions compiled by Numba", "by hand", found)
        if options.figure:
            draw(found, options.figure)


if __name__ == "__main__":
    main()
