"""The report as text for a terminal."""

import math
from typing import Any

from morula.diagnostics.places import Line, line_text, short_name

__all__ = ["bytes_text", "seconds_text", "size_text", "text_of"]

TOP = 5  # lines of the sorted totals


def text_of(report: Any) -> str:
    """All of it."""
    blocks = [report.tier_note] if report.tier else []
    totals = report.folded()
    if totals:
        blocks.append(summary(report, totals))
    blocks += [f"{title}\n" + "\n".join("  " + line for line in lines) for title, lines in findings(report)]
    if totals:
        blocks.append(table(report, totals))
    return "\n\n".join(blocks)


def summary(report: Any, totals: dict[Line, Line]) -> str:
    """What it was in all, and the dearest lines."""
    forward = sum(t.forward for t in totals.values())
    backward = sum(t.backward for t in totals.values())
    runs = "" if report.runs == 1 else f"{report.runs} runs, "
    head = (
        f"{runs}forward {seconds_text(forward)}, backward {seconds_text(backward)}, "
        f"{report.entries} tape entries keep {bytes_text(report.kept)}"
    )
    if report.peak is not None:
        where = f" at {report.peak_at.place}" if report.peak_at is not None else ""
        way = " in the backward pass" if report.peak_is_back else ""
        head += f"; memory peaks at {bytes_text(report.peak)}{where}{way}"
    out = [head]
    whole = forward + backward
    dearest = sorted(totals, key=lambda line: -totals[line].seconds)[:TOP]
    for line in dearest:
        share = totals[line].seconds / whole if whole else 0.0
        if share >= 0.01:
            out.append(f"  {share:4.0%}  {line.place}  {line.text}")
    return "\n".join(out)


def findings(report: Any) -> list[tuple[str, list[str]]]:
    """Titles, and lines below each: what is not finite, and what is zero."""
    found = []
    for birth in report.births:
        title = f"The first {'NaN' if birth.is_nan else 'infinite cotangent'} in the backward pass: {birth.line.place}"
        out = [birth.line.text]
        if birth.text and birth.text != birth.line.text:
            out.append(f"operation: {birth.text}" + (f" ({birth.operation})" if birth.operation else ""))
        elif birth.operation:
            out.append(f"operation: {birth.operation}")
        out += [f"{name} = {value}" for name, value in birth.operands.items()]
        if birth.partials:
            out.append(f"partial derivative: {', '.join(birth.partials)}")
        out.append(f"cotangent: received {birth.came}, passed on {birth.went}")
        if birth.met:
            out.append(f"where it met {birth.met} from another use")
        found.append((title, out))
    if report.strange:
        lines = [f"{s.line.place}  {s.line.text}: {s.what} gave {s.value}" for s in report.strange[:5]]
        found.append(("Already not finite in the forward pass", lines))
    for reason in report.reasons:
        lines = [f"{line.place}  {line.text}: {note}" if line else note for line, note in reason.notes]
        found.append((f"Why the gradient with respect to {reason.name} is {reason.kind}", lines))
    return found


def table(report: Any, totals: dict[Line, Line]) -> str:
    """The user's source with numbers beside it."""
    marked = marks(report)
    out = []
    by_file: dict[str, list[Line]] = {}
    for line in totals:
        by_file.setdefault(line.file, []).append(line)
    for file, lines in by_file.items():
        out.append(short_name(file))
        out.append("   line     runs   forward  backward      tape  cotangent")
        by_number = {line.number: line for line in lines}
        last = None
        for number in shown_lines(by_number):
            if last is not None and number > last + 1:
                out.append("      .")
            last = number
            source = line_text(file, number)
            line = by_number.get(number)  # type: ignore[assignment]
            if line is None:
                out.append(f"  {number:5}{'':51}{source}")
                continue
            t = totals[line]
            mark = "!" if line in marked else " "
            out.append(
                f"{mark} {number:5} {t.runs or '':>8} {seconds_text(t.forward):>9} {seconds_text(t.backward):>9} "
                f"{bytes_text(t.kept) if t.kept else '':>9} {size_text(t.largest):>10}  {source}"
                + "".join(f"  [{name}]" for name in sorted(t.tiers))
            )
            inner = sorted((i for i in report.inner if i.under is line), key=lambda i: -i.seconds)
            for i in inner[:3]:
                out.append(
                    f"         {'':>7} {seconds_text(i.forward):>9} {seconds_text(i.backward):>9} {'':20} "
                    f"    in {i.place}  {i.text:.60}"
                )
    return "\n".join(out)


def shown_lines(by_number: dict[int, Line]) -> list[int]:
    """The lines that are shown: those that ran, and short gaps between them."""
    numbers = sorted(by_number)
    out: list[int] = []
    for a in numbers:
        if out and a - out[-1] <= 3:
            out += range(out[-1] + 1, a)
        out.append(a)
    return out


def marks(report: Any) -> set[Line]:
    """The lines that a finding names."""
    found = {birth.line.user for birth in report.births}
    for reason in report.reasons:
        found |= {line.user for line, _ in reason.notes if line is not None}
    return found | {s.line.user for s in report.strange}


def seconds_text(seconds: float) -> str:
    """Three digits and a unit.

    >>> seconds_text(0.01234), seconds_text(3.4e-6), seconds_text(0.0)
    ('12.3 ms', '3.4 us', '')
    """
    if seconds < 5e-8:
        return ""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.1f} us"


def bytes_text(n: float) -> str:
    """A size of memory.

    >>> bytes_text(800), bytes_text(2_500_000)
    ('800 B', '2.5 MB')
    """
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n >= factor:
            return f"{n / factor:.3g} {unit}"
    return f"{int(n)} B"


def size_text(x: float) -> str:
    """A magnitude; nothing where nothing came back."""
    return "" if x == 0 else f"{x:.3g}" if math.isfinite(x) else str(float(x))
