"""The generated pages of the documentation: gallery, coverage, benchmarks and the change log. MkDocs calls this file.

    pip install -e ".[docs]" && mkdocs build        writes site/; `mkdocs serve` shows it while one writes

The pictures of the gallery and what its scripts print come from running them; results are kept in `.cache/gallery`
until the script, or the version of the package, changes.
"""

from __future__ import annotations

import ast
import hashlib
import html
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
CACHE = ROOT / ".cache" / "gallery"
GALLERY = {  # script -> field
    "influenza": "Epidemics",
    "shooting": "Orbits",
    "robot_arm": "Robotics",
    "gaussian_process": "Machine learning",
    "garch": "Econometrics",
    "deblurring": "Imaging",
    "ladder_filter": "Circuits",
    "phylogenetics": "Phylogenetics",
    "lens": "Optics",
    "wave_focus": "Control of a PDE",
    "eight_schools": "Bayesian statistics",
    "neural_network": "Neural networks",
    "censored_weibull": "Survival analysis",
    "influenza_intervals": "Confidence intervals",
    "newton_cg": "Optimisation",
    "sparse_solvers": "Sparse solvers",
    "gradient_penalty": "Regularisation",
    "ridge_strength": "Hyperparameters",
    "learned_aim": "With PyTorch",
    "learned_conductivity": "With JAX",
    "dask_fit": "With Dask",
}
NEEDS = {"learned_aim": "torch", "learned_conductivity": "jax", "dask_fit": "distributed"}  # beside the usual packages


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that no file holds."""
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "scripts")]
    pages: dict[str, str | bytes] = {"changes.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")}
    pages |= gallery()
    pages |= coverage()
    pages |= benchmarks()
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Doctests are sessions: `pycon` colours prompts and results apart."""
    markdown = re.sub(r"^```python\n(?=>>>)", "```pycon\n", markdown, flags=re.MULTILINE)
    return re.sub(r"\n+^```$", "\n```", markdown, flags=re.MULTILINE)


# Gallery ----------------------------------------------------------------------------------

GALLERY_HEAD = """---
hide: [navigation, toc]
---
# Gallery

Each entry is one script of `examples/`. It runs in seconds, is checked by something that Morula has no part in, and is
part of the tests. The models know nothing of derivatives.

"""
EXAMPLE = """# {title}

{text}

![{title}]({name}.png)

It prints

```text
{printed}
```

The whole script, `examples/{name}.py`:

```python
{code}
```
"""


def gallery() -> dict[str, str | bytes]:
    """A page for each script, its picture, and the page of thumbnails."""
    pages: dict[str, str | bytes] = {}
    cards = []
    for name, field in GALLERY.items():
        if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
            print(f"the gallery lacks {name}: {NEEDS[name]} is not installed")
            continue
        source = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
        title, text = (ast.get_docstring(ast.parse(source)) or "").split("\n", 1)
        title = html.escape(title.rstrip("."))
        text = re.sub(r"\n    python .*\n", "\n", text).strip()
        code = source.split('"""', 2)[2].strip()
        printed, picture = run(name, source)
        pages[f"gallery/{name}.png"] = picture
        pages[f"gallery/{name}.md"] = EXAMPLE.format(
            title=title, text=text, name=name, printed=printed.strip("\n"), code=code
        )
        cards.append(
            f'<a class="card" href="{name}/"><img src="{name}.png" alt="" loading="lazy">'
            f"<b>{field}</b><span>{title}</span></a>"
        )
    pages["gallery/index.md"] = GALLERY_HEAD + '<div class="cards">\n' + "\n".join(cards) + "\n</div>\n"
    return pages


def run(name: str, source: str) -> tuple[str, bytes]:
    """What a script prints and draws."""
    version = re.search(r'__version__ = "(.*)"', (ROOT / "src/morula/__init__.py").read_text(encoding="utf-8"))
    style = (EXAMPLES / "gallery.mplstyle").read_text(encoding="utf-8")
    key = hashlib.sha256("".join([source, style, version[1] if version else ""]).encode()).hexdigest()[:16]
    printed, picture = CACHE / f"{name}-{key}.txt", CACHE / f"{name}-{key}.png"
    if not (printed.exists() and picture.exists()):
        CACHE.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT / "src")}
        command = [sys.executable, str(EXAMPLES / f"{name}.py"), str(picture)]
        done = subprocess.run(command, cwd=CACHE, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"examples/{name}.py failed:\n{done.stderr}")
        printed.write_text(done.stdout.replace(str(picture), f"{name}.png"), encoding="utf-8")
    return printed.read_text(encoding="utf-8"), picture.read_bytes()


# Coverage ---------------------------------------------------------------------------------


def coverage() -> dict[str, str | bytes]:
    """What becomes of the derivative of every public function of Python's modules of numbers, and of NumPy."""
    import coverage_pages

    return {f"coverage/{name}.md": text for name, text in coverage_pages.pages().items()}


# Benchmarks -------------------------------------------------------------------------------


def benchmarks() -> dict[str, str | bytes]:
    """The page of figures, from the JSON that the benchmark scripts wrote."""
    folder = ROOT / "docs" / "benchmarks"
    parts = [(folder / "head.txt").read_text(encoding="utf-8").rstrip()]
    parts += [bars(json.loads(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.json"))]
    return {"benchmarks/index.md": "\n\n".join(parts) + "\n"}


def bars(record: dict[str, Any]) -> str:
    """One benchmark: a bar for each figure, of its ratio to the base, on a logarithmic axis."""
    base, limit = record["base"], record["limit"]
    rows = {
        name: {column: seconds / columns[base] for column, seconds in columns.items() if column != base}
        for name, columns in record["rows"].items()
    }
    every = [ratio for ratios in rows.values() for ratio in ratios.values()]
    low, high = math.floor(math.log10(min(every, default=1))), math.log10(max(every, default=10)) + 0.25
    low = min(low, 0)

    def place(ratio: float) -> str:
        return f"{100 * (math.log10(ratio) - low) / (high - low):.1f}%"

    colours = {column: i for i, column in enumerate(dict.fromkeys(c for ratios in rows.values() for c in ratios))}
    ticks = [10**e for e in range(low, math.ceil(high)) if e < high]
    axis = "".join(f'<i style="left:{place(t)}"><em>{t:g}</em></i>' for t in ticks)
    if limit:
        axis += f'<i class="limit" style="left:{place(limit)}"><em>aim {limit:g}</em></i>'
    lines = [
        f"## {record['title']}",
        "",
        f"Times over that of *{base}*, on a logarithmic axis.",
        "",
        '<div class="bars">',
    ]
    legend = "".join(f'<span class="c{i % 6}">{html.escape(column)}</span>' for column, i in colours.items())
    lines.append(f'<div class="legend">{legend}</div><div class="plot"><div class="axis">{axis}</div>')
    for name, ratios in rows.items():
        drawn = "".join(
            f'<div class="bar c{colours[column] % 6}" style="width:{place(ratio)}"><b>{figure(ratio)}</b></div>'
            for column, ratio in ratios.items()
        )
        own = f"{figure(record['rows'][name][base] * 1e6)} µs"
        lines.append(f'<div class="row"><span>{html.escape(name)} <small>{own}</small></span><div>{drawn}</div></div>')
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    lines += ["</div></div>", "", f"`{record['command']}`, {record['date']}. {record['machine']}; {versions}."]
    return "\n".join(lines)


def figure(number: float) -> str:
    """Three digits at most, but all of those before the point."""
    return f"{number:.2f}" if number < 10 else f"{number:.1f}" if number < 100 else f"{number:,.0f}"
