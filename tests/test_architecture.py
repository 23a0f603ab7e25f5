"""Which part may know which: the arrows of docs/design.md, read off the import statements."""

import ast
import inspect
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src"
MODULES = sorted(SRC.rglob("*.py"))
STANDARD = 300  # lines of a module; conventions of the project
LARGEST = 400
# Modules above that: their present bound, which may only shrink. New modules are never added here.
GROWN = {
    "morula/transform/expressions.py": 500,
}


def name_of(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(path: Path, at_import_only: bool = False) -> tuple[str, ...]:
    """The absolute names of the modules that a file imports (also inside functions, unless told not to)."""
    return tuple(_imports(path, at_import_only))


def _imports(path: Path, at_import_only: bool) -> Iterator[str]:
    package = name_of(path).split(".")
    if path.name != "__init__.py":
        package.pop()
    stack: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue  # never runs
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        if not (at_import_only and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))


def forbidden(package: str, *targets: str) -> list[str]:
    found = []
    for path in MODULES:
        if (name_of(path) + ".").startswith(package + "."):
            for module in imports(path):
                if any((module + ".").startswith(t + ".") for t in targets):
                    found.append(f"{name_of(path)} imports {module}")
    return found


def test_relative_imports_are_understood() -> None:
    found = set(imports(SRC / "chainrules" / "__init__.py"))
    assert {"chainrules.rules", "chainrules.rules.rrule", "chainrules.library"} <= found


def test_rules_know_no_engine() -> None:
    assert not forbidden("chainrules", "morula")


def test_no_engine_is_named_in_chainrules() -> None:
    rules = [path for path in MODULES if path.is_relative_to(SRC / "chainrules")]
    assert rules and not [name_of(path) for path in rules if "morula" in path.read_text(encoding="utf-8").lower()]


def test_the_engine_uses_the_public_protocol_and_nothing_else_of_the_rules() -> None:
    """What any other engine could use too."""
    import chainrules

    found = [
        f"{name_of(path)} imports {module}"
        for path in MODULES
        if path.is_relative_to(SRC / "morula")
        for module in imports(path)
        if module.startswith("chainrules.")
        and module.split(".", 1)[1] not in chainrules.__all__
        and not (module.startswith("chainrules.testing") and name_of(path) == "morula.diagnostics.command")  # as a user
    ]
    assert not found


def test_the_transform_knows_neither_rules_nor_run_time_nor_numpy() -> None:
    outside = (
        "chainrules",
        "numpy",
        "morula.eager",
        "morula.verbs.gradients",
        "morula.verbs.tools",
        "morula.static",
        "morula.errors",
    )
    assert not forbidden("morula.transform", *outside)


def test_the_run_time_knows_no_verbs() -> None:
    assert not forbidden("morula.eager", "morula.verbs.gradients", "morula.verbs.tools")


def test_errors_know_nothing_of_the_engine() -> None:
    assert not forbidden(
        "morula.errors", "chainrules", "numpy", "morula.eager", "morula.transform", "morula.verbs.gradients"
    )


def test_no_library_but_numpy_is_imported_on_import() -> None:
    known = {"numpy", "chainrules", "morula"}
    import sys

    foreign = {
        f"{name_of(path)} imports {module}"
        for path in MODULES
        for module in imports(path, at_import_only=True)
        if module.split(".")[0]
        not in known
        | set(sys.stdlib_module_names)
        | ({"numba", "llvmlite"} if is_native(path) else set())
        | ({"scipy"} if name_of(path).startswith("chainrules.library.scipy.") else set())
        | FOREIGN.get(name_of(path), set())
    }
    assert not foreign


# the modules that a program imports to use another engine, and theirs
FOREIGN = {f"morula.{name}": {name} for name in ("autograd", "jax", "mygrad", "torch")} | {
    "morula.interop.jax_primitives": {"jax"},
    "morula.interop.jax_callbacks": {"jax"},
    "morula.interop.torch_operations": {"torch"},
    "morula.interop.joblib": {"joblib"},
    "morula.interop.bags": {"dask"},
    "morula.interop.delayed": {"dask"},
    "morula.interop.distributed": {"dask", "distributed"},
    "morula.interop.mpi": {"mpi4py", "mpi4py.MPI"},
    "morula.interop.mpi_calls": {"mpi4py", "mpi4py.MPI"},
    "morula.interop.matplotlib_calls": {"matplotlib"},
    "morula.interop.mygrad_calls": {"mygrad"},
    "morula.interop.pandas_calls": {"pandas"},
    "morula.interop.pandas_sums": {"pandas"},
    "morula.interop.ray_calls": {"ray"},
    "morula.interop.wrapt_calls": {"wrapt"},
}


def is_native(path: Path) -> bool:
    return name_of(path).startswith("morula.static.")


def test_numba_is_loaded_on_demand() -> None:
    """Modules of the native tier that import it are imported inside functions only, by all but each other."""
    names = {name_of(path): path for path in MODULES}
    early = {name: set(imports(path, at_import_only=True)) for name, path in names.items()}
    reached = {name for name in names if not is_native(names[name])}
    waiting = list(reached)
    while waiting:
        for module in early[waiting.pop()] & names.keys() - reached:
            reached.add(module)
            waiting.append(module)
    assert not [n for n in reached if any(m.split(".")[0] in ("numba", "llvmlite") for m in early[n])]
    assert any("numba" in early[n] for n in names.keys() - reached)


def test_private_modules_do_not_import_the_package_itself() -> None:
    """`import morula` inside morula would make the order of imports matter."""
    found = [
        f"{name_of(path)} imports {module}"
        for path in MODULES
        for module in imports(path, at_import_only=True)
        if module == "morula" and not path.name.startswith("__init__")
    ]
    assert not found


def test_imports_have_no_cycles() -> None:
    """Counting those inside functions, which could hide one."""
    names = {name_of(path): path for path in MODULES}
    later = {name: set(imports(path)) & names.keys() - {name} for name, path in names.items()}
    for name, path in names.items():
        if path.name == "__init__.py":  # a package knows its parts; that a part names its package is no cycle
            later[name] = set()
    while True:
        leaves = {name for name, found in later.items() if not found & later.keys()}
        if not leaves:
            break
        for name in leaves:
            del later[name]
    assert not later


def test_a_container_is_registered_in_one_file() -> None:
    """What the eager tier knows of deques, say, stands beside their registration."""
    eager = [p for p in MODULES if p.is_relative_to(SRC / "morula") and not is_native(p)]
    naming = [
        name_of(path)
        for path in eager
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name | ast.Attribute | ast.alias)
        and "deque" in (getattr(node, "id", None), getattr(node, "attr", None), getattr(node, "name", None))
    ]
    assert set(naming) == {"morula.eager.containers.deques"}


def test_the_map_names_every_room() -> None:
    text = (ROOT / "docs" / "internals.md").read_text(encoding="utf-8")
    by_topic = SRC / "chainrules" / "library" / "scipy"  # of which the map names the whole
    paths = [p for p in MODULES if p.stem != "__init__" and by_topic not in p.parents]
    rooms = {p.parent.relative_to(SRC).as_posix() for p in paths} - {".", "morula"}
    assert not [room for room in rooms if not re.search(rf"`({room}|{room.rpartition('/')[2]})`", text)]


def test_parts_of_one_object_define_no_method_twice() -> None:
    """But for those of the builder of static adjoints that pass on what they do not take."""
    from morula.eager.context.reverse import Reverse
    from morula.static.python.front import Builder

    passed_on = {"_Expr", "_Try", "_Raise", "_value_ListComp", "of_outside", "as_array"}
    for whole in (Reverse, Builder):
        names = [name for part in whole.__mro__[:-1] for name, x in vars(part).items() if callable(x)]
        twice = {name for name in names if names.count(name) > 1 and not name.startswith("__")}
        assert twice <= passed_on


def test_parts_of_programs_with_boxes_pass_on_what_they_do_not_take() -> None:
    """Two methods that have one name by chance would stand in each other's way."""
    from morula.static.python.boxed import Boxer

    found: dict[str, list[Any]] = {}
    for part in Boxer.__mro__[:-1]:
        for name, x in vars(part).items():
            if inspect.isfunction(x):
                found.setdefault(name, []).append(x)
    alone = {name for name, xs in found.items() if xs[1:] and "super()" not in inspect.getsource(xs[0])}
    assert alone == {"is_apart", "_value_ListComp"}  # the one by what is in boxes, the other in two steps


def test_modules_are_of_readable_size() -> None:
    """One module, one concept."""
    bounds = {path: GROWN.get(path.relative_to(SRC).as_posix(), LARGEST) for path in MODULES}
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    too_long = [
        f"{name_of(path)}: {lines[path]} lines of {bounds[path]}" for path in MODULES if lines[path] > bounds[path]
    ]
    assert not too_long, f"{too_long}; the aim is {STANDARD}"


def test_every_module_says_what_it_is() -> None:
    assert not [name_of(p) for p in MODULES if not ast.get_docstring(ast.parse(p.read_text(encoding="utf-8")))]


def repository_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:  # an unpacked archive
        return [p for p in ROOT.rglob("*") if p.is_file() and not any(part.startswith(".") for part in p.parts)]
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    places = re.compile("|".join(re.escape("/" + p + "/") for p in ("work", "root", "tmp", "home", "Users")))
    found = []
    for path in repository_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {line.strip()}" for line in text.splitlines() if places.search(line)]
    assert not found
