#!/usr/bin/env python3
"""Draws the figures of the benchmarks as bar charts: scripts/make-figures.py [--output FOLDER] [FILE]

FILE is what `make bench` printed; without one, the tables of Documentation/Performance.md and DocumentPerformance.md are drawn. A chart shows
ratios: the time of Sealite divided by that of what it is compared with, and the bound. FOLDER gets an SVG for each; `make docs` puts them
on a page of the site. The same input gives the same bytes.
"""

import argparse
import dataclasses
import html
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = ["Documentation/Performance.md", "Documentation/DocumentPerformance.md"]
FILES = "SQLite files"
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
# Colours that remain apart for colour-blind readers (Okabe and Ito), lighter ones on dark ground.
LIGHT, DARK = ["#0072b2", "#c47a00", "#7a7a7a"], ["#56b4e9", "#e69f00", "#a6a6a6"]
WIDTH, LEFT, RIGHT = 480, 8, 64


def filled(colours):
    return "".join(f".figure .s{index}{{fill:{colour}}}" for index, colour in enumerate(colours))


# Text has a seam of the ground's colour, which on the site is `--ground`, over the lines behind it.
STYLE = (
    ".figure{font:14px system-ui,sans-serif;fill:#1b1b1b}.figure text{stroke:var(--ground,Canvas);stroke-width:4px;paint-order:stroke}"
    ".figure .value{font-size:13px;fill:#444}.figure .above{font-size:13px;font-weight:bold}"
    ".figure .grid{stroke:#8884;fill:none}.figure .one{stroke:#888;stroke-width:1.5;stroke-dasharray:4 3;fill:none}"
    f".figure .bound{{stroke:#b00020;stroke-width:3;fill:none}}.figure .range{{fill:#fff9}}{filled(LIGHT)}"
    "@media(prefers-color-scheme:dark){.figure{fill:#eee;color-scheme:dark}.figure .value{fill:#bbb}.figure .bound{stroke:#ff8a80}"
    f".figure .range{{fill:#0008}}{filled(DARK)}}}")


@dataclasses.dataclass
class Bar:
    """A ratio, or a range of ratios, of an operation. The series are numbered, 0 is Sealite."""
    label: str
    low: float
    high: float
    bound: float | None = None
    series: int = 0

    def value(self):
        return f"{self.low:g} to {self.high:g}" if self.high > self.low else f"{self.low:g}"


@dataclasses.dataclass
class Figure:
    title: str
    compared: str
    bars: list
    series: list
    # The document and the heading of the table.
    source: tuple = ("", "")

    def name(self):
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")


# What is drawn

def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def plain(text):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[`*]|\(\\\*\)", "", text).replace("()", "").strip()


def tables(text):
    """The tables of a document: (headings above it, columns, rows)."""
    title, heading, lines = "", "", text.split("\n")
    for index, line in enumerate(lines):
        if found := re.match(r"(#+) (.*)", line):
            title, heading = (plain(found[2]), "") if len(found[1]) == 1 else (title, plain(found[2]))
        if re.match(r"\|[ :|-]+\|\s*$", line) and index and lines[index - 1].startswith("|"):
            rows = []
            for row in lines[index + 1:]:
                if not row.startswith("|"):
                    break
                rows.append([plain(cell) for cell in cells(row)])
            yield title, heading, [plain(cell) for cell in cells(lines[index - 1])], rows


def numbers(cell):
    """The ratios of a cell, as ranges: of "1.4", "1.4; 2" or "0.9 to 1.2"; a bound that follows is not one."""
    parts = []
    for part in cell.split(", bound")[0].split(";"):
        found = re.fullmatch(rf"({NUMBER})(?: to ({NUMBER}))?", part.strip())
        if not found:
            return []
        low = float(found[1].replace(",", ""))
        parts.append((low, float((found[2] or found[1]).replace(",", ""))))
    return parts


def times(cell):
    """The times of a cell in microseconds: of "12 µs", "2.4, 0.19, 3.9 ms" or "1.78 s; 2.65 s"."""
    found, unit = [], None
    for part in reversed(re.split(r"[;,] ", cell)):
        match = re.fullmatch(rf"({NUMBER})(?: (s|ms|µs))?(?: for each document)?", part.strip())
        unit = match and match[2] or unit
        if not match or not unit:
            return []
        found.append(float(match[1].replace(",", "")) * {"s": 1e6, "ms": 1e3, "µs": 1}[unit])
    return found[::-1]


def bound_of(row, columns):
    """The bound of a row that is a ratio, of its column or of the ratio's. Of SQLite files it is at least 10 % above the limit."""
    bound = None
    for column, cell in zip(columns, row):
        pattern = rf"({NUMBER})(?: times.*)?" if column.startswith(("bound", "required ratio")) else rf".*, bound ({NUMBER})"
        if found := re.fullmatch(pattern, cell):
            bound = float(found[1])
    if bound and "limit" in columns:
        bound = max(bound, round(float(row[columns.index("limit")]) * 1.1, 2))
    return bound


def labels(label, count):
    """A label for each of several values: what follows a semicolon or comma stands for the last part of the first."""
    if count == 1:
        return [label]
    parts = [part.strip() for part in label.split(";")]
    if len(parts) != count:
        parts = [part.strip() for part in label.split(",")]
    if len(parts) != count:
        return [f"{label} ({number})" for number in range(1, count + 1)]
    return [parts[0]] + [f"… {part}" for part in parts[1:]]


def ratios_of(row, ratio):
    """The ratios of a row: of its column, or of the times of both sides, which stand in the second and third."""
    if ratio is not None:
        return numbers(row[ratio])
    if len(row) < 3:
        return []
    if found := re.search(rf"({NUMBER}) to ({NUMBER}) times", row[1]):
        return [(float(found[1]), float(found[2]))]
    return [(round(one / other, 2),) * 2 for one, other in zip(times(row[1]), times(row[2]))]


def compared_with(columns, ratio):
    """What a table compares Sealite with."""
    if ratio is not None and " / " in columns[ratio]:
        name = columns[ratio].partition(" / ")[2]
    else:
        # The column before the ratio; of a table without one, the third.
        name = "no index" if "no index" in columns else columns[ratio - 1 if ratio and ratio > 2 else 2]
    name = re.sub(r"\s*\(.*", "", name)
    return {"shell": "the shell sqlite3"}.get(name, re.sub("^comparison", "the comparison that the table names", name))


def of_tables(name, text):
    """A figure for each table that has ratios, or times of two sides with bounds."""
    for title, heading, columns, rows in tables(text):
        ratio = next((index for index, column in enumerate(columns) if column == "ratio" or " / " in column), None)
        peers = [index for index, column in enumerate(columns) if column.startswith(("SQLCipher", "SQLite3M"))]
        bars, work = [], ""
        for row in rows:
            work = row[0] or work
            label = f"{work}, {row[columns.index('mode')]}" if "mode" in columns else work
            found = ratios_of(row, ratio)
            bars += [Bar(part, low, high, bound_of(row, columns)) for part, (low, high) in zip(labels(label, len(found)), found)]
            for series, peer in enumerate(peers, 1):
                bars += [Bar(label, low, high, None, series) for low, high in numbers(row[peer])]
        # A single row is no chart, and tables of limits, sizes or elapsed times have no ratios.
        if sum(bar.series == 0 for bar in bars) < 2 or (ratio is None and not any(bar.bound for bar in bars)):
            continue
        series = ["Sealite", *(columns[peer] for peer in peers)]
        if peers:
            yield Figure(FILES, "plain SQLite", bars, series, (name, heading))
        else:
            yield Figure(heading or title, compared_with(columns, ratio), bars, series, (name, heading))


def of_output(text):
    """The figures of what `make bench` printed."""
    parts = {"files": [], "documents": [], "shell": []}
    for line in text.split("\n"):
        if found := re.match(r"(.{20,}?)\s+(WAL|DELETE)\s+((?:[-\d.]+\s+)*[-\d.]+)(?:  ABOVE)?\s*$", line):
            values = [None if value == "-" else float(value) for value in found[3].split()]
            if len(values) == 13:
                label = f"{found[1].strip()}, {found[2]}"
                ratios = [values[2], *values[11:]]
                parts["files"] += [Bar(label, one, one, None if series else values[6], series)
                                   for series, one in enumerate(ratios) if one is not None]
        elif found := re.match(rf"(.+ / .+): ({NUMBER})(?:  at most ({NUMBER}))?(?:  EXCEEDED)?$", line):
            value = float(found[2])
            parts["documents"].append(Bar(found[1], value, value, float(found[3]) if found[3] else None))
        elif found := re.match(rf"(.+): {NUMBER} ms / {NUMBER} ms = ({NUMBER}), at most ({NUMBER})", line):
            parts["shell"].append(Bar(found[1], float(found[2]), float(found[2]), float(found[3])))
    if not any(parts.values()):
        sys.exit("make-figures: no ratios in this file; give the whole output of `make bench`")
    known = [("files", FILES, "plain SQLite", ["Sealite", "SQLCipher", "SQLite3MultipleCiphers"]),
             ("documents", "Documents", "what is named after the stroke", ["Sealite"]),
             ("shell", "A process for each query", "the shell sqlite3", ["Sealite"])]
    for part, title, compared, series in known:
        if parts[part]:
            used = max(bar.series for bar in parts[part]) + 1
            yield Figure(title, compared, parts[part], series[:used])


def figures(output=None):
    """All figures, of the text of a benchmark or of the committed tables."""
    if output is not None:
        return list(of_output(output))
    found = [figure for name in TABLES for figure in of_tables(name, (ROOT / name).read_text(encoding="utf-8"))]
    if not found:
        sys.exit(f"make-figures: {' and '.join(TABLES)} have no table of ratios")
    return found


# How it is drawn

def step_of(most):
    """The distance of the scale's lines: 1, 2 or 5 times a power of ten, at most eight of them."""
    power = 10 ** math.floor(math.log10(most / 8))
    return next(factor * power for factor in (1, 2, 5, 10) if most / (factor * power) <= 8)


def wrapped(label, width=62):
    lines = [""]
    for word in label.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def description(figure):
    """What the picture says, for readers who don't see it."""
    said = []
    for bar in figure.bars:
        series = "" if len(figure.series) == 1 else f"{figure.series[bar.series]}, "
        said.append(f"{series}{bar.label}: {bar.value()}" + (f", bound {bar.bound:g}" if bar.bound else ""))
    return f"Ratios to {figure.compared}; smaller is faster. " + "; ".join(said) + "."


def svg(figure):
    """The figure as SVG whose text is of the colour of the page around it, or of the system's scheme in a file of its own."""
    most = max(max(bar.high, bar.bound or 0) for bar in figure.bars) * 1.02
    step = step_of(most)
    most = math.ceil(most / step) * step
    scale = (WIDTH - LEFT - RIGHT) / most
    name, parts, y = figure.name(), [], 30

    def x(value):
        return round(LEFT + value * scale, 1)

    def text(at, y, content, kind="label", anchor="start"):
        parts.append(f'<text class="{kind}" x="{at}" y="{y}" text-anchor="{anchor}">{html.escape(content)}</text>')

    # The legend.
    at = LEFT
    for series, label in enumerate(figure.series):
        parts.append(f'<rect class="s{series}" x="{at}" y="4" width="12" height="12"/>')
        text(at + 17, 14.5, label)
        at += 32 + 7.4 * len(label)
    parts.append(f'<path class="bound" d="M{at + 5} 3v14"/>')
    text(at + 14, 14.5, "bound")
    previous = None
    for bar in figure.bars:
        if bar.label != previous:
            y += 6
            for line in wrapped(bar.label):
                text(LEFT, y + 12, line)
                y += 17
            previous = bar.label
        width = max(1.5, x(bar.high) - LEFT)
        parts.append(f'<rect class="s{bar.series}" x="{LEFT}" y="{y}" width="{round(width, 1)}" height="13"/>')
        if bar.high > bar.low:
            parts.append(f'<rect class="range" x="{x(bar.low)}" y="{y + 4}" width="{round(x(bar.high) - x(bar.low), 1)}" height="5"/>')
        end = bar.high
        if bar.bound:
            parts.append(f'<path class="bound" d="M{x(bar.bound)} {y - 2}v17"/>')
            # The number stands beyond the mark where it would cross it.
            if x(bar.high) - 2 <= x(bar.bound) <= x(bar.high) + 14 + 7 * len(bar.value()):
                end = bar.bound
        above = bool(bar.bound and bar.low > bar.bound)
        text(x(end) + 6, y + 11.5, bar.value() + (" above" if above else ""), "above" if above else "value")
        y += 17
    height = y + 26
    lines = []
    for index in range(round(most / step) + 1):
        value = index * step
        lines.append(f'<path class="{"one" if abs(value - 1) < 1e-9 else "grid"}" d="M{x(value)} 26V{y + 4}"/>')
        text(x(value), y + 18, f"{value:g}", "value", "start" if index == 0 else "middle")
    if not any(abs(index * step - 1) < 1e-9 for index in range(round(most / step) + 1)) and most > 1:
        lines.append(f'<path class="one" d="M{x(1)} 26V{y + 4}"/>')
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc">',
        f'<title id="{name}-title">{html.escape(figure.title)}: ratios to {html.escape(figure.compared)}</title>',
        f'<desc id="{name}-desc">{html.escape(description(figure))}</desc>', f"<style>{STYLE}</style>", *lines, *parts, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / ".build/figures", help="the folder of the SVGs")
    parser.add_argument("file", nargs="?", type=pathlib.Path, help="what `make bench` printed")
    given = parser.parse_args()
    made = figures(given.file.read_text(encoding="utf-8") if given.file else None)
    given.output.mkdir(parents=True, exist_ok=True)
    for figure in made:
        (given.output / f"{figure.name()}.svg").write_text(svg(figure), encoding="utf-8")
    print(f"{len(made)} figures in {given.output}")


if __name__ == "__main__":
    main()
