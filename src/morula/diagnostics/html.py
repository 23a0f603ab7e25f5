"""The report as HTML: a page that needs nothing else, dark or light as the reader's system is, or a part of one."""

import re
from html import escape
from typing import Any

from morula.diagnostics.places import Line, line_text, short_name
from morula.diagnostics.text import TOP, bytes_text, findings, marks, seconds_text, shown_lines, size_text

__all__ = ["fragment_of", "page_of"]

STYLE = """
.morula{--paper:#fff;--ink:#1f2430;--soft:#667085;--rule:#e4e7ec;--bar:#cfe0f7;--code:#f7f8fa;--bad:#b42318;
 --bad-soft:#fdeceA;--name:#175cd3;color:var(--ink);background:var(--paper);font:14px/1.5 system-ui,sans-serif;
 max-width:72rem;margin:0 auto}
@media (prefers-color-scheme:dark){.morula{--paper:#14161b;--ink:#e4e7ec;--soft:#98a2b3;--rule:#2c313c;--bar:#20406b;
 --code:#1b1e25;--bad:#ff9c8f;--bad-soft:#3a1f1c;--name:#84b6ff}}
.morula *{box-sizing:border-box}
.morula h1{font-size:1.35rem;margin:0 0 .25rem}.morula h2{font-size:1rem;margin:1.5rem 0 .5rem}
.morula p{margin:.25rem 0}.morula .soft{color:var(--soft)}
.morula code,.morula td.code{font:12.5px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.morula .facts{display:flex;flex-wrap:wrap;gap:.5rem;margin:.75rem 0}
.morula .fact{border:1px solid var(--rule);border-radius:.5rem;padding:.4rem .75rem;min-width:7rem}
.morula .fact b{display:block;font-size:1.1rem;font-weight:600}
.morula .finding{border:1px solid var(--rule);border-left:4px solid var(--bad);border-radius:.4rem;
 padding:.5rem .75rem;margin:.5rem 0;overflow-x:auto}
.morula .finding b{color:var(--bad)}.morula .finding div{white-space:pre-wrap}
.morula .scroll{overflow-x:auto;border:1px solid var(--rule);border-radius:.5rem}
.morula table{border-collapse:collapse;width:100%;font-size:12.5px;background:var(--code);color:var(--ink)}
.morula th{font-weight:500;color:var(--soft);text-align:right;padding:.35rem .6rem;border-bottom:1px solid var(--rule);
 white-space:nowrap}
.morula td{padding:0 .6rem;text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;border:0}
.morula th.code,.morula td.code{text-align:left;white-space:pre;width:100%}
.morula td.n{color:var(--soft)}
.morula tr.bad td.n{color:var(--bad);font-weight:700}.morula tr.bad td.code{background:var(--bad-soft)}
.morula tr.gap td{height:.5rem;border-top:1px dotted var(--rule)}
.morula tr.off td{color:var(--soft)}.morula tr.inner td{color:var(--soft);font-size:11.5px}
.morula td.time{background:linear-gradient(to left,var(--bar) var(--share),transparent var(--share))}
.morula a{color:var(--name);text-decoration:none}
@media (max-width:40rem){.morula .fact{min-width:0;flex:1 1 40%}.morula .few{display:none}
 .morula td,.morula th{padding:0 .35rem}}
"""


def page_of(report: Any) -> str:
    """A page of its own."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        "<title>morula.explain</title><style>body{margin:0;padding:1.25rem;background:#fff}"
        "@media (prefers-color-scheme:dark){body{background:#14161b}}</style></head>"
        f"<body>{fragment_of(report)}</body></html>\n"
    )


def fragment_of(report: Any) -> str:
    """The report as a part of a page."""
    totals = report.folded()
    parts = [f'<div class="morula"><style>{STYLE}</style><h1>{escape(title_of(report))}</h1>']
    if report.tier:
        parts.append(f'<p class="soft">{escape(report.tier_note)}</p>')
    if totals:
        parts.append(facts(report, totals))
    for title, lines in findings(report):
        body = "\n".join(map(escape, lines))
        parts.append(f'<div class="finding"><b>{escape(title)}</b><div><code>{body}</code></div></div>')
    if totals:
        parts += [dearest(report, totals), source(report, totals)]
    return "".join([*parts, "</div>"])


def title_of(report: Any) -> str:
    """What stands on top."""
    name = report.tier.split(":")[0]
    return f"The gradient of {name}" if name else "What was differentiated"


def facts(report: Any, totals: dict[Line, Line]) -> str:
    """The sums."""
    found = [
        ("forward", seconds_text(sum(t.forward for t in totals.values()))),
        ("backward", seconds_text(sum(t.backward for t in totals.values()))),
        ("tape", bytes_text(report.kept)),
        ("entries", f"{report.entries:,}"),
    ]
    if report.runs > 1:
        found.append(("runs", str(report.runs)))
    if report.peak is not None:
        found.append((f"peak, at {report.peak_at.place}" if report.peak_at else "peak", bytes_text(report.peak)))
    cells = "".join(
        f'<div class="fact"><b>{escape(v)}</b><span class="soft">{escape(k)}</span></div>' for k, v in found
    )
    return f'<div class="facts">{cells}</div>'


def dearest(report: Any, totals: dict[Line, Line]) -> str:
    """The lines that cost most."""
    whole = sum(t.seconds for t in totals.values()) or 1.0
    rows = []
    for line in sorted(totals, key=lambda line: -totals[line].seconds)[:TOP]:
        share = totals[line].seconds / whole
        if share >= 0.01:
            rows.append(
                f'<tr><td class="time" style="--share:{share:.0%}">{share:.0%}</td>'
                f'<td class="n"><a href="#{anchor(line)}">{escape(line.place)}</a></td>'
                f'<td class="code">{escape(line.text)}</td></tr>'
            )
    return f'<h2>Where the time goes</h2><div class="scroll"><table>{"".join(rows)}</table></div>' if rows else ""


def source(report: Any, totals: dict[Line, Line]) -> str:
    """The user's source, with numbers beside it."""
    marked = marks(report)
    most = max((t.seconds for t in totals.values()), default=0.0) or 1.0
    by_file: dict[str, dict[int, Line]] = {}
    for line in totals:
        by_file.setdefault(line.file, {})[line.number] = line
    parts = []
    for file, by_number in by_file.items():
        rows = [
            '<tr><th>line</th><th class="few">runs</th><th>forward</th><th>backward</th><th class="few">tape</th>'
            '<th class="few">cotangent</th><th class="code"></th></tr>'
        ]
        last = None
        for number in shown_lines(by_number):
            if last is not None and number > last + 1:
                rows.append('<tr class="gap"><td colspan="7"></td></tr>')
            last = number
            text = escape(line_text(file, number)) or " "
            line = by_number.get(number)  # type: ignore[assignment]
            if line is None:
                rows.append(
                    f'<tr class="off"><td class="n">{number}</td><td class="few"></td><td></td><td></td>'
                    f'<td class="few"></td><td class="few"></td><td class="code">{text}</td></tr>'
                )
                continue
            t = totals[line]
            rows.append(
                f'<tr id="{anchor(line)}"{" class=bad" if line in marked else ""}><td class="n">{number}</td>'
                f'<td class="few">{t.runs or ""}</td>'
                f'<td class="time" style="--share:{t.forward / most:.0%}">{seconds_text(t.forward)}</td>'
                f'<td class="time" style="--share:{t.backward / most:.0%}">{seconds_text(t.backward)}</td>'
                f'<td class="few">{bytes_text(t.kept) if t.kept else ""}</td>'
                f'<td class="few">{size_text(t.largest)}</td><td class="code">{text}'
                f"{''.join(f'  <i>{name}</i>' for name in sorted(t.tiers))}</td></tr>"
            )
            inner = sorted((i for i in report.inner if i.under is line), key=lambda i: -i.seconds)
            for i in inner[:5]:
                rows.append(
                    f'<tr class="inner"><td></td><td class="few">{i.runs or ""}</td><td>{seconds_text(i.forward)}</td>'
                    f'<td>{seconds_text(i.backward)}</td><td class="few"></td><td class="few"></td>'
                    f'<td class="code">    in {escape(i.place)}  {escape(i.text)}</td></tr>'
                )
        parts.append(f'<h2>{escape(short_name(file))}</h2><div class="scroll"><table>{"".join(rows)}</table></div>')
    return "".join(parts)


def anchor(line: Line) -> str:
    """A name for links on the page."""
    return re.sub(r"\W+", "-", f"{line.file}-{line.number}").strip("-")
