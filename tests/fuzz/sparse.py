"""Patterns of random programs: every number that the gradient or the Hessian has lies within the pattern found."""

from collections.abc import Callable
from typing import Any

import numpy as np

import morula

from .check import Verdict, limited, quiet
from .program import Module, TimedOut, Wrong

POINTS = 20  # at which gradients are taken
LARGEST = 40  # numbers of the arguments, up to which the Hessian is taken


def check_patterns(source: str, seconds: float = 30.0) -> Verdict:
    """Run one program for its patterns and its derivatives, and compare."""
    try:
        module = Module(source)
    except SyntaxError as error:
        return Verdict("skipped", f"no program: {error.msg}")
    try:
        with quiet(), limited(seconds):
            return compare(module)
    except Wrong as wrong:
        return Verdict("wrong", str(wrong))
    except morula.MorulaError as error:
        return Verdict("refused", f"{type(error).__name__}: {error}")
    except TimedOut:
        return Verdict("skipped", "takes too long")
    except Exception as error:
        return Verdict("skipped", f"raised {error!r}")
    finally:
        module.forget()


def loaded(module: Module) -> tuple[Callable, tuple]:
    namespace = module.load()
    return lambda p: namespace["program"](*p), namespace["arguments"]()


def vector(args: tuple, gradient: Any) -> np.ndarray:
    structure = morula.verbs.structure.Structure(args)
    return structure.vector(gradient)


def moved(args: tuple, rng: np.random.Generator) -> tuple:
    """The arguments with other real numbers; integers, which may be indices, stay."""
    structure = morula.verbs.structure.Structure(args)
    parts = []
    for leaf, part in zip(structure.leaves, structure.values(args), strict=True):
        scale = 1 + 0.5 * rng.normal(size=leaf.shape)
        is_real = leaf.number is float or (isinstance(part, np.ndarray) and part.dtype.kind == "f")
        parts.append(
            part if not is_real else (part * scale).item() if leaf.number else (part * scale).astype(part.dtype)
        )
    return structure.value(parts)


def elsewhere(module: Module, seed: int, pattern: np.ndarray) -> None:
    """The gradient at another point lies within the pattern too, or within that of another branch."""
    f, args = loaded(module)
    try:
        point = moved(args, np.random.default_rng(seed))
        slope = vector(point, morula.gradient(f, point)[0])
    except (TimedOut, Wrong):
        raise
    except Exception:
        return  # no program there
    if np.any((slope != 0) & ~pattern):
        f, args = loaded(module)
        found = morula.jacobian_sparsity(f, moved(args, np.random.default_rng(seed)))
        lacking = np.flatnonzero((slope != 0) & ~found.toarray()[0])
        if len(lacking):
            raise Wrong(f"jacobian_sparsity lacks {lacking.tolist()} of the gradient {slope.tolist()} at another point")


def compare(module: Module) -> Verdict:
    f, args = loaded(module)
    if not isinstance(f(args), float):
        return Verdict("skipped", "no number")
    f, args = loaded(module)
    pattern = morula.jacobian_sparsity(f, args).toarray()[0]
    f, args = loaded(module)
    slope = vector(args, morula.gradient(f, args)[0])
    lacking = np.flatnonzero((slope != 0) & ~pattern)
    if len(lacking):
        raise Wrong(f"jacobian_sparsity lacks {lacking.tolist()} of the gradient {slope.tolist()}")
    for k in range(POINTS):
        elsewhere(module, k, pattern)
    f, args = loaded(module)
    pairs = morula.hessian_sparsity(f, args).toarray()
    if len(slope) > LARGEST:
        return Verdict("right", "first order")
    f, args = loaded(module)
    product = morula.hvp(f, args)
    structure = morula.verbs.structure.Structure(args)
    matrix = np.array([
        structure.vector(product(structure.tangent(structure.split(v)))) for v in np.eye(len(slope))
    ]).reshape(pairs.shape)  # fmt: skip
    lacking = np.argwhere((abs(matrix) > 1e-12 * (1 + abs(matrix).max(initial=0.0))) & ~pairs)
    if len(lacking):
        raise Wrong(f"hessian_sparsity lacks {lacking.tolist()}")
    return Verdict("right", "")
