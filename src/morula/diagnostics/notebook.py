"""``%load_ext morula``: the cell magic ``%%morula`` explains the derivatives that a cell takes."""

from typing import Any

from morula.diagnostics.verbs import explaining

__all__ = ["load"]


def load(shell: Any) -> None:
    """Register ``%%morula``; ``%%morula --memory`` also measures the peak of memory, ``--page FILE`` writes a page."""

    def morula(line: str, cell: str) -> Any:
        words = line.split()
        with explaining(memory="--memory" in words) as report:
            shell.run_cell(cell)
        if "--page" in words:
            report.save(words[words.index("--page") + 1])
        return report

    shell.register_magic_function(morula, magic_kind="cell", magic_name="morula")
