"""Importing is cheap, and loads nothing that the user did not ask for."""

import os
import subprocess
import sys

import pytest

# Of these packages, beyond what NumPy loads; the rules of SciPy and the compiled tier come when they are needed.
MODULES = 320
LINES = 51_100
FOREIGN = 80


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("package", ["morula", "chainrules", "chainrules.testing"])
def test_no_big_library_is_loaded(package: str) -> None:
    loaded = run(f"import sys, {package}; print(*{{m.split('.')[0] for m in sys.modules}})").split()
    assert package.split(".")[0] in loaded
    assert not {"scipy", "numba", "jax", "torch", "autograd", "matplotlib", "pandas", "pytest"} & set(loaded)


def test_rules_can_be_used_without_the_engine() -> None:
    loaded = run("import sys, chainrules; print(*{m.split('.')[0] for m in sys.modules})").split()
    assert "morula" not in loaded


def test_a_first_gradient_loads_no_big_library_either() -> None:
    code = (
        "import sys, operator, morula; print(morula.pullback(operator.mul, 2.0, 3.0)[1](1.0));"
        "print('scipy' in sys.modules or 'numba' in sys.modules)"
    )
    assert run(code).splitlines() == ["(3.0, 2.0)", "False"]


def test_importing_loads_little() -> None:
    """What importing costs is what it loads: counted, because times differ from machine to machine.

    ``benchmarks/importing.py`` has the seconds.
    """
    code = (
        "import sys, numpy; before = set(sys.modules); import morula; new = set(sys.modules) - before;"
        "own = [m for m in new if m.split('.')[0] in ('morula', 'chainrules')];"
        "print(len(own), sum(open(sys.modules[m].__file__).read().count(chr(10)) for m in own), len(new) - len(own))"
    )
    modules, lines, foreign = map(int, run(code, PYTHONUTF8="1").split())
    assert 100 < modules <= MODULES
    assert lines <= LINES
    assert foreign <= FOREIGN


@pytest.mark.parametrize(
    ("package", "extra", "code"),
    [
        ("jax", "jax", "import morula.jax"),
        ("torch", "torch", "import morula.torch"),
        ("autograd", "autograd", "import morula.autograd"),
        ("mygrad", "mygrad", "import morula.mygrad"),
        ("scipy", "sparse", "import morula; morula.sparse_jacobian(abs, 1.0)"),
        ("scipy", "sparse", "import morula; morula.as_linear_operator(abs, 1.0)"),
    ],
)
def test_where_a_package_is_missing_the_error_names_the_extra(package: str, extra: str, code: str) -> None:
    setup = f"import sys; sys.modules[{package!r}] = None\ntry: "
    said = run(f"{setup}{code.split('; ')[0]}; {code.split('; ')[-1]}\nexcept ImportError as error: print(error)")
    assert said.strip().endswith(f'needs {package}, which is not installed: pip install "morula[{extra}]"')


def test_a_module_in_the_place_of_pyplot_is_no_library() -> None:
    setup = "import sys, types; sys.modules['matplotlib.pyplot'] = types.ModuleType('matplotlib.pyplot')"
    assert run(f"{setup}; import morula; print(morula.gradient(lambda x: x * x, 3.0))").strip() == "(6.0,)"
