"""Which names of Python and NumPy have rules, beside those that HIPS autograd covers where it is installed.

    python benchmarks/rule_coverage.py               the table, and what is missing by name
    python benchmarks/rule_coverage.py --reasons     also the names that are unsupported, with the reasons

Every public callable of a namespace counts once: it is covered by a rule, or its derivative is zero by
definition, or it has no rule on purpose, or it is missing. autograd re-exports the names of NumPy; one of them
counts as covered where autograd has a vector-Jacobian product for it, or composes it of functions that have one.
"""

from __future__ import annotations

import argparse
from collections import Counter
from importlib import import_module

from chainrules.coverage import KINDS, NAMESPACES, named, public_callables, status_of

AUTOGRAD = {"numpy": "autograd.numpy", "numpy.linalg": "autograd.numpy.linalg", "numpy.fft": "autograd.numpy.fft"}


def autograd_statuses(namespace: str) -> dict[str, str] | None:
    """What autograd makes of the names of a namespace; ``None`` where it has nothing like it, or is not there."""
    try:
        core, tracer = import_module("autograd.core"), import_module("autograd.tracer")
        import_module("autograd.numpy")
    except ImportError:
        return None
    if namespace not in AUTOGRAD:
        return None
    space = import_module(AUTOGRAD[namespace])
    traced_nowhere = {f for fs in tracer.notrace_primitives.values() for f in fs}
    found = {}
    for name, _ in public_callables(named(namespace)):
        f = getattr(space, name, None)
        if f in core.primitive_vjps:
            found[name] = "covered"
        elif f in traced_nowhere or getattr(f, "__name__", "") == "nograd_primitive":
            found[name] = "non-differentiable"
        elif getattr(f, "__module__", "").startswith("autograd") and not hasattr(f, "fun"):
            found[name] = "covered"  # a composition
        else:
            found[name] = "missing"
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reasons", action="store_true", help="print why names are unsupported")
    reasons = parser.parse_args().reasons
    short = dict(zip(KINDS, ("covered", "followed", "non-diff.", "refused", "missing"), strict=True))
    print(f"{'':30}{'names':>7}" + "".join(f"{short[k]:>11}" for k in KINDS) + f"{'autograd':>28}")
    missing, refused = [], {}
    for namespace in NAMESPACES:
        statuses = {name: status_of(f) for name, f in public_callables(named(namespace))}
        counts = Counter(s.kind for s in statuses.values())
        theirs = autograd_statuses(namespace)
        beside = "-"
        if theirs is not None:
            c = Counter(theirs.values())
            beside = f"{c['covered']} covered, {c['non-differentiable']} non-diff."
        print(f"{namespace:30}{len(statuses):>7}" + "".join(f"{counts[k]:>11}" for k in KINDS) + f"{beside:>28}")
        missing += [f"{namespace}.{name}" for name, s in statuses.items() if s.kind == "missing"]
        refused |= {f"{namespace}.{name}": s.reason for name, s in statuses.items() if s.kind == "unsupported"}
    print("\nmissing:", ", ".join(missing) or "nothing")
    if reasons:
        print("\nrefused:")
        for name, reason in refused.items():
            print(f"  {name:44}{reason}")


if __name__ == "__main__":
    main()
