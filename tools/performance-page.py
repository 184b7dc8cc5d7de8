#!/usr/bin/env python3
"""Writes docs/performance.md and its charts from the samples that script/bench --json kept."""

import json
import math
import os
import textwrap
from xml.sax.saxutils import escape

from bench_rows import PEERS, ROWS, figure, results
from tool_process import CommandLine, ToolError, read_text, run_tool

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAMES = {"topos": "topos", **PEERS}
COLOURS = {  # Okabe and Ito's, which colour-blind readers tell apart
    "topos": "#d55e00",
    "numpy": "#999999",
    "torch": "#0072b2",
    "compiled": "#56b4e9",
    "jax": "#009e73",
    "iree": "#cc79a7",
}
SECTIONS = (
    ("Matrix products", ("gemm",), "gemm.svg"),
    ("Elementwise functions", ("map", "chain"), "map.svg"),
    ("Programs", ("makemore", "wide", "cnn", "attention"), None),
    ("The compiler itself, and memory", ("record", "memory"), None),
)


class Drawing:
    """An SVG, element by element."""

    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
            f"<title>{escape(title)}</title>",
            '<rect width="100%" height="100%" fill="white"/>',
        ]
        self.text(16, 24, title, size=15)

    def text(self, x, y, words, anchor="start", size=12, colour="#222"):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
            f' fill="{colour}">{escape(words)}</text>'
        )

    def line(self, x1, y1, x2, y2, colour="#ddd", width=1):
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"'
            f' stroke-width="{width}"/>'
        )

    def box(self, x, y, width, height, colour):
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}"'
            f' height="{max(height, 0.5):.1f}" fill="{colour}"/>'
        )

    def curve(self, points, colour, width):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'
        )
        for x, y in points:
            self.parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width + 1}" fill="{colour}"/>'
            )

    def legend(self, x, y, who):
        for name in who:
            self.box(x, y - 10, 12, 12, COLOURS[name])
            self.text(x + 18, y, NAMES[name])
            x += 34 + 7 * len(NAMES[name])

    def __str__(self):
        return "\n".join([*self.parts, "</svg>", ""])


def ticks(largest):
    """About five round numbers from 0 to `largest`."""
    rough = largest / 5
    power = 10 ** math.floor(math.log10(rough))
    step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough)
    return [step * i for i in range(int(largest / step) + 2)]


def measured(result):
    """Who to median."""
    ours = {} if result.ours is None else {"topos": result.ours}
    return {**ours, **result.peers}


def libraries(found):
    present = set().union(*(measured(result) for result in found))
    return [name for name in NAMES if name in present]


def axis(drawing, left, right, top, bottom, largest):
    """Horizontal rules; returns the height of a value."""
    marks = ticks(largest)

    def height(value):
        return bottom - (bottom - top) * value / marks[-1]

    for mark in marks:
        drawing.line(left, height(mark), right, height(mark))
        drawing.text(left - 6, height(mark) + 4, f"{mark:g}", "end")
    return height


def gemm_chart(found):
    """A panel for each thread count: GFLOP/s by size."""
    counts = sorted({result.case.threads for result in found})
    drawing = Drawing(60 + 400 * len(counts), 370, "Matrix products, GFLOP/s (more is better)")
    largest = max(max(measured(result).values(), default=0) for result in found)
    for panel, count in enumerate(counts):
        left, right, top, bottom = 60 + 400 * panel, 420 + 400 * panel, 70, 300
        height = axis(drawing, left, right, top, bottom, largest)
        drawing.text((left + right) / 2, 58, f"{count} thread{'s' * (count > 1)}", "middle")
        shown = [result for result in found if result.case.threads == count]
        places = [
            left + 25 + i * (right - left - 50) / max(len(shown) - 1, 1) for i in range(len(shown))
        ]
        for x, result in zip(places, shown):
            drawing.text(x, bottom + 18, result.case.row.name.split("/")[1], "middle")
        drawing.text((left + right) / 2, bottom + 36, "N", "middle")
        for name in reversed(libraries(shown)):
            points = [
                (x, height(measured(result)[name]))
                for x, result in zip(places, shown)
                if name in measured(result)
            ]
            drawing.curve(points, COLOURS[name], 3 if name == "topos" else 1.5)
    drawing.legend(60, 358, libraries(found))
    return str(drawing)


def map_chart(found):
    """A group of bars for each function: ns an element."""
    found = [result for result in found if result.case.row.group == "map"]
    width = 60 + 82 * len(found)
    drawing = Drawing(width + 20, 340, "Functions on one thread, ns an element (less is better)")
    top, bottom = 50, 270
    # One slow library must not flatten the others: bars that leave the chart say how far.
    values = sorted(value for result in found for value in measured(result).values())
    limit = values[max(0, math.ceil(0.9 * len(values)) - 1)]
    height = axis(drawing, 60, width, top, bottom, limit)
    for group, result in enumerate(found):
        left = 66 + 82 * group
        bars = [name for name in libraries(found) if name in measured(result)]
        for bar, name in enumerate(bars):
            value = measured(result)[name]
            y = max(height(value), top - 8)
            drawing.box(left + 17 * bar, y, 15, bottom - y, COLOURS[name])
            if height(value) < top - 8:
                drawing.text(left + 17 * bar + 7, top - 11, figure(value), "middle", 10)
        drawing.text(
            left + 8.5 * len(bars), bottom + 18, result.case.row.name.split("/")[1], "middle"
        )
    drawing.legend(60, 326, libraries(found))
    return str(drawing)


def ratio_chart(found):
    """A bar for each row: how many times as good as its best peer, on a logarithmic axis."""
    found = [result for result in found if result.ratio is not None]
    height = 80 + 18 * len(found)
    title = "topos against the best peer of each row (right of 1: topos is better)"
    drawing = Drawing(860, height + 10, title)
    left, right = 230, 740
    spread = max(0.5, *(abs(math.log2(result.ratio)) for result in found))
    spread = min(math.ceil(spread), 6)

    def place(ratio):
        exponent = min(max(math.log2(ratio), -spread), spread)
        return left + (right - left) * (exponent + spread) / (2 * spread)

    for exponent in range(-spread, spread + 1):
        x = place(2.0**exponent)
        drawing.line(x, 46, x, height - 14, "#222" if exponent == 0 else "#ddd")
        drawing.text(
            x, height, f"{2**exponent}" if exponent >= 0 else f"1/{2**-exponent}", "middle"
        )
    for number, result in enumerate(found):
        y = 52 + 18 * number
        x = place(result.ratio)
        better = result.ratio >= 1
        drawing.box(
            min(x, place(1)), y, abs(x - place(1)), 12, COLOURS["topos" if better else "numpy"]
        )
        drawing.text(left - 10, y + 10, result.case.key, "end")
        drawing.text(right + 10, y + 10, f"{result.ratio:.2f} x {NAMES[result.best]}")
    return str(drawing)


def markdown_table(header, rows):
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, rule, *rows))


def result_table(found):
    who = libraries(found)
    several = len({result.case.threads for result in found}) > 1
    compared = any(result.ratio is not None for result in found)
    judged = any(result.case.row.wanted != "-" for result in found)
    header = ["row"] + ["threads"] * several + ["unit"] + [NAMES[name] for name in who]
    header += ["ratio"] * compared + ["target", "verdict"] * judged
    rows = []
    for result in found:
        row = result.case.row
        cells = [f"`{row.name}`"] + [str(result.case.threads)] * several + [row.unit]
        cells += [figure(measured(result).get(name)) for name in who]
        if compared:
            cells.append("-" if result.ratio is None else f"{result.ratio:.2f}")
        if judged:
            cells += [row.wanted, result.verdict]
        rows.append(cells)
    return markdown_table(header, rows)


def filled(paragraph, indent=""):
    return textwrap.fill(
        paragraph,
        120,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def meanings(found):
    """A line for each kind of row: what it is."""
    named = {result.case.row.name for result in found}
    kinds = {}
    for row in ROWS:
        if row.name in named:
            kinds.setdefault(row.what, []).append(f"`{row.name}`")
    return [filled(f"- {', '.join(rows)}: {what}.", "  ") for what, rows in kinds.items()]


def introduction(document, found):
    machine = document["machine"]
    versions = ", ".join(
        f"{NAMES[name]} {document['versions'][name]}"
        for name in NAMES
        if name in document["versions"] and name != "compiled"
    )
    counts = sorted({result.case.threads for result in found})
    judged = [result.verdict for result in found if result.verdict != "-"]
    met = judged.count("met")
    verdict = f" Of {len(judged)} targets, {met} are met." if judged else ""
    peers = f", beside {versions}" if versions else ""
    samples = f"{document['rounds']} samples" if document["rounds"] > 1 else "one sample"
    paragraphs = (
        "# Performance",
        "<!-- generated: tools/performance-page.py, from a run of script/bench -->",
        f"Measured on {document['date']} at commit {machine['commit'] or '?'}:"
        f" {machine['processor']} ({machine['vectors']}), {machine['cores']} cores, load"
        f" {machine['load']} at the start, {machine['system']};"
        f" built by {machine['compiler']}{peers}."
        f"{verdict}",
        f"Each figure is the median of {samples} of at least {document['min_time']:g} s each. In"
        " one run, topos and every peer took their samples in turn, row by row, on the same cores"
        f" with the same number of threads ({' and '.join(map(str, counts))}). **Ratio** says how"
        " many times as good topos is as the best peer of the row: more than 1 is better in every"
        " unit. A **target** is such a ratio, to PyTorch alone where it says so (x torch), or a"
        " value in the row's unit (<= or >=). All rows are f32. topos computes specified bits, the"
        " same ones on any number of threads; the peers do not promise theirs.",
        "The same run again: `script/bench --peers --page`.",
    )
    return "\n\n".join(map(filled, paragraphs)) + "\n"


def page(document, found, charts):
    parts = [introduction(document, found)]
    if "ratio.svg" in charts:
        parts.append("![The ratio of each row](performance/ratio.svg)\n")
    for title, groups, chart in SECTIONS:
        shown = [result for result in found if result.case.row.group in groups]
        if not shown:
            continue
        parts.append(f"## {title}\n")
        if chart in charts:
            parts.append(f"![{title}](performance/{chart})\n")
        parts.append(result_table(shown) + "\n")
    parts.append("## What each row is\n")
    parts.append("\n".join(meanings(found)) + "\n")
    skipped = {}
    for result in found:
        for who, why in result.skipped.items():
            skipped.setdefault((NAMES[who], why), []).append(f"`{result.case.row.name}`")
    if skipped:
        parts.append("## What was not measured\n")
        lines = [
            filled(f"- {who} on {', '.join(rows)}: {why}", "  ")
            for (who, why), rows in skipped.items()
        ]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def write(path, text):
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as fault:
        raise ToolError(f"{path}: cannot be written: {fault.strerror}") from None


def main():
    line = CommandLine(__doc__, "tools/performance-page.py build/bench.json")
    line.add_argument("file", help="what script/bench --json wrote")
    line.add_argument("--into", metavar="FOLDER", default=os.path.join(HOME, "docs"), help="docs")
    options = line.parse_args()
    try:
        document = json.loads(read_text(options.file))
        found = results(document)
        document["machine"], document["versions"]
    except (ValueError, KeyError, TypeError) as fault:
        raise ToolError(f"{options.file}: not of script/bench --json: {fault!r}") from None
    if not found:
        raise ToolError(f"{options.file}: holds no row")
    charts = {}
    products = [r for r in found if r.case.row.group == "gemm" and measured(r)]
    functions = [r for r in found if r.case.row.group == "map" and measured(r)]
    if products:
        charts["gemm.svg"] = gemm_chart(products)
    if functions:
        charts["map.svg"] = map_chart(functions)
    if any(result.ratio is not None for result in found):
        charts["ratio.svg"] = ratio_chart(found)
    for name, text in charts.items():
        write(os.path.join(options.into, "performance", name), text)
    write(os.path.join(options.into, "performance.md"), page(document, found, charts))
    return 0


if __name__ == "__main__":
    run_tool(main)
