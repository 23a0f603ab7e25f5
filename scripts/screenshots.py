"""Photograph the built site and a report of `explain`, wide and narrow, light and dark.

    pip install -e ".[docs,screenshots]" && mkdocs build
    python scripts/screenshots.py [FOLDER]         pictures in FOLDER, `.cache/screenshots` by default

The browser is the machine's Chromium where it has one, else Playwright's (`playwright install chromium`). A page fails
that is wider than its window, asks another host for something, lacks a file, or logs an error.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import math
import shutil
import sys
import tempfile
import threading
import warnings
from pathlib import Path

import numpy as np
from scipy import optimize

ROOT = Path(__file__).parent.parent
PAGES = ("", "gallery/", "gallery/lens/", "start/", "reference/morula/", "coverage/numpy/", "chainrules/scipy/",
         "benchmarks/", "howto/explain/", "changes/")  # fmt: skip
WINDOWS = {"desktop": (1280, 1500), "phone": (390, 1500)}


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, and logs nothing."""

    def log_message(self, *_: object) -> None:
        pass


def served(folder: Path) -> str:
    """The address of a server of the files in `folder`, which ends with this process."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def planted(x: np.ndarray, scale: float) -> float:
    """A program with a NaN, a zero and lines of a library."""
    total = optimize.rosen(x)
    for i in range(len(x)):
        for j in range(len(x)):
            total = total + math.sqrt((x[i] - x[j]) ** 2 + abs(x[i] - x[j]) ** 0.5)
    return total * int(scale) + np.log(x - x[0])[1:].sum()


def explain_page(folder: Path) -> str:
    """The HTML page of a report."""
    import morula

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        morula.explain(planted, np.array([1.0, 2.0, 2.0]), 2.5).save(folder / "explain.html")
    return (folder / "explain.html").as_uri()


def main() -> int:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".cache" / "screenshots")
    parser.add_argument("--site", type=Path, default=ROOT / "site", help="what mkdocs has built")
    options = parser.parse_args()
    if not (options.site / "index.html").exists():
        raise SystemExit(f"there is no site in {options.site}: mkdocs build")
    options.folder.mkdir(parents=True, exist_ok=True)
    base = served(options.site)
    faults: list[str] = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as work:
        pages = {path.strip("/").replace("/", "_") or "home": base + path for path in PAGES}
        pages["explain"] = explain_page(Path(work))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium") or shutil.which("google-chrome"))
        for scheme in ("light", "dark"):
            for window, (width, height) in WINDOWS.items():
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
                for name, address in pages.items():
                    where = f"{name}-{window}-{scheme}"
                    found: list[str] = []
                    page = context.new_page()
                    page.on("requestfailed", lambda r, f=found: f.append(f"failed: {r.url}"))
                    page.on(
                        "response", lambda r, f=found: f.append(f"{r.status}: {r.url}") if r.status >= 400 else None
                    )
                    page.on("console", lambda m, f=found: f.append(m.text) if m.type == "error" else None)
                    page.on(
                        "request",
                        lambda r, f=found: (
                            None if r.url.startswith((base, "data:", "file:")) else f.append(f"elsewhere: {r.url}")
                        ),
                    )
                    page.goto(address, wait_until="load")
                    page.wait_for_timeout(300)
                    if (beyond := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
                        found.append(f"{beyond} pixels wider than its window")
                    page.screenshot(path=options.folder / f"{where}.png")
                    page.close()
                    faults += [f"{where}: {fault}" for fault in found]
                context.close()
        browser.close()
    print(f"{len(pages) * len(WINDOWS) * 2} pictures in {options.folder}", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
