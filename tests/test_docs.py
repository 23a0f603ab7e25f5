"""Everything that the documents show runs, and prints what they say: README, docs/ and every docstring.

A fenced ``python`` block with ``>>>`` is a doctest; another one is run, and a ``text`` block that follows it
is what it prints. The blocks of a page share their names, in order.
"""

import contextlib
import doctest
import importlib
import inspect
import io
import linecache
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy.polynomial  # noqa: F401
import pytest

import chainrules
import chainrules.testing
import morula

chainrules.covered()  # loads the rules of what is imported, in their order

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
NAV = re.findall(r"[\w/]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
FENCE = re.compile(r"^```([a-z]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
VERBS = [
    "gradient", "withgradient", "pullback", "grad", "value_and_grad", "adjoint", "hook", "showgrad",
    "jvp", "pushforward", "jacobian", "withjacobian", "wirtinger", "linearize", "as_linear_operator", "hessian",
    "hvp", "diaghessian", "errstate", "explain", "explaining", "laplacian", "taylor", "for_scipy", "ravel",
    "jacobian_sparsity", "hessian_sparsity", "sparse_jacobian", "sparse_hessian",
    "checkpoint", "checkpoint_loop", "stop_gradient", "ignore_derivatives", "isderiving", "refresh", "code_adjoint",
    "means", "native_mode", "remote_map", "tier",
]  # fmt: skip


LIBRARY_OF = {
    "morula.errors": "numba",
    "morula.interop.delayed": "dask",
    "morula.interop.distributed": "distributed",
    "morula.interop.mpi": "mpi4py",
    "morula.interop.mpi_calls": "mpi4py",
    "morula.interop.bags": "dask",
    "morula.interop.wrapt_calls": "wrapt",
    "morula.interop.ray_calls": "ray",
}
ADAPTED = ("autograd", "jax", "joblib", "matplotlib", "mygrad", "pandas", "torch")


def blocks(page: Path) -> Iterator[tuple[int, str, str, str | None]]:
    """Every python block: its line, its code, its name, and the text block right after it."""
    text = page.read_text(encoding="utf-8")
    found = list(FENCE.finditer(text))
    for match, after in zip(found, [*found[1:], None], strict=False):
        if match[1] != "python":
            continue
        line = text.count("\n", 0, match.start()) + 1
        printed = None
        if after is not None and after[1] == "text" and not text[match.end() : after.start()].strip():
            printed = after[2]
        yield line, match[2], f"{page.stem}_{line}", printed


def register(name: str, source: str) -> None:
    """Keep a source that stands in no file, as notebooks do."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)


def run_doctest(test: doctest.DocTest) -> None:
    for i, example in enumerate(test.examples):  # also for what a later block calls
        register(f"<doctest {test.name}[{i}]>", example.source)
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    result = runner.run(test, out=report.write, clear_globs=False)
    assert result.failed == 0, report.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.name == "interop.md":
        for library in ADAPTED:
            pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "__main__"}
    for line, code, name, printed in blocks(page):
        if ">>>" in code:
            test = doctest.DocTestParser().get_doctest(code, names, name, str(page), line)
            run_doctest(test)
            names = test.globs
            continue
        register(f"<{name}>", code)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, f"<{name}>", "exec"), names)
        if printed is not None:
            assert out.getvalue() == printed, f"{page.name}, line {line} prints\n{out.getvalue()}"


def modules() -> list[str]:
    found = []
    for package in (chainrules, morula):
        found.append(package.__name__)
        found += [m.name for m in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
    return found


@pytest.mark.parametrize("name", modules())
def test_docstrings(name: str) -> None:
    if name.startswith("morula.static."):
        pytest.importorskip("numba")
    for library in ADAPTED:
        if re.search(rf"\.{library}(_\w+)?$", name):
            pytest.importorskip(library)
    if name == "morula.autograd_compat.numpy":
        pytest.skip("NumPy itself")
    if name in LIBRARY_OF:
        pytest.importorskip(LIBRARY_OF[name])
    module = importlib.import_module(name)
    user = {"__name__": "user"}  # the examples are a user's code, not the module's
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name, module, extraglobs=user):
        if test.examples:
            run_doctest(test)


@pytest.mark.parametrize("package", [chainrules, morula], ids=lambda p: p.__name__)
def test_every_public_name_is_documented(package) -> None:
    missing = []
    for name in package.__all__:
        thing = getattr(package, name)
        doc = inspect.getdoc(thing) or ""
        is_function = inspect.isroutine(thing)
        if not doc or (is_function and ">>>" not in doc):
            missing.append(name)
    assert not missing, f"without a docstring, or without an example in it: {missing}"


def test_every_verb_has_its_place_in_the_docs() -> None:
    page = (ROOT / "docs" / "verbs.md").read_text(encoding="utf-8")
    assert sorted(VERBS) == sorted(n for n in morula.__all__ if n[0].islower())
    assert not [v for v in VERBS if not re.search(rf"^#+ .*`{v}\b", page, re.MULTILINE)]


def test_every_error_is_explained() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    errors = [
        n for n in morula.__all__ if isinstance(getattr(morula, n), type) and n.endswith(("Error", "Found", "able"))
    ]
    assert len(errors) > 5
    assert not [n for n in errors if f"`{n}`" not in page]


def test_the_readme_is_short() -> None:
    words = (ROOT / "README.md").read_text(encoding="utf-8").split()
    assert len(words) <= 400


def test_links_of_the_readme_hold_on_a_package_index() -> None:
    site = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Documentation"]
    for target in re.findall(r"\]\(([^)\s]+)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert target.startswith(site)
        page = target.removeprefix(site).rstrip("/")
        assert {f"{page}.md", f"{page}/index.md"} & set(NAV), target


def test_the_citation_has_the_version() -> None:
    assert f"\nversion: {morula.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_links_between_pages_lead_somewhere() -> None:
    generated = {DOCS / page for page in NAV}  # by scripts/site_hooks.py, where they are no files
    examples = [DOCS / "gallery" / f.stem for f in (ROOT / "examples").glob("*.py")]
    generated |= {f.with_suffix(end) for f in examples for end in (".md", ".png")}
    broken = []
    for page in PAGES:
        prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        prose = re.sub(r"`[^`\n]*`", "", prose)
        for target in re.findall(r"\]\(([^)#\s]+)", prose):
            there = (page.parent / target).resolve()
            if "://" not in target and not there.exists() and there not in generated:
                broken.append(f"{page.name}: {target}")
    assert not broken


def test_the_site_has_every_page() -> None:
    written = {str(page.relative_to(DOCS)) for page in DOCS.glob("**/*.md")}
    assert written <= set(NAV)


def test_the_reference_has_every_public_name() -> None:
    named = {p.stem: re.findall(r"^::: (\S+)$", p.read_text("utf-8"), re.M) for p in DOCS.glob("reference/*.md")}
    assert sorted(named["morula"]) == sorted(f"morula.{name}" for name in morula.__all__)
    testing = [f"chainrules.testing.{name}" for name in chainrules.testing.__all__]
    wanted = {f"chainrules.{name}" for name in chainrules.__all__}.union(testing)
    assert sorted(x for x in named["chainrules"] if not x.startswith("chainrules.coverage.")) == sorted(wanted)


def test_every_example_is_in_the_gallery() -> None:
    hooks = (ROOT / "scripts" / "site_hooks.py").read_text(encoding="utf-8")
    listed = re.findall(r'^    "(\w+)": "', hooks[hooks.index("GALLERY = ") :], re.MULTILINE)
    assert sorted(listed) == sorted(path.stem for path in ROOT.glob("examples/*.py"))
