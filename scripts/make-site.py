#!/usr/bin/python3
"""Makes the site's own pages: scripts/make-site.py SITE [--figures FILE] [--check]

SITE is the folder of the site. The pages are the Markdown documents, a start page, a search and the figures of the benchmarks; with the API
that scripts/make-docs.py put there before, or without it. FILE is what `make bench` printed; without one, the committed tables are drawn.
Nothing is fetched when the pages are shown, and they may be opened as files. A link that leads nowhere is an error; --check only looks for
such. Runs with Debian's Python, which has python3-markdown-it.
"""

import argparse
import html
import pathlib
import re
import runpy
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ROOT / "scripts/site"
sys.dont_write_bytecode = True
sys.path.insert(0, str(PARTS))
import check  # noqa: E402
import index  # noqa: E402
import pages  # noqa: E402

text = html.escape
SUMMARY = {"Tutorials": "Learn by doing", "How-to": "Reach a goal", "Reference": "Look something up", "Explanation": "Understand why"}
FIRST_WAYS = [("FirstApp", "A first app"), ("Installing", "Install"), ("README", "README"), ("SECURITY", "Guarantees")]
FIGURES = """<h1>Figures</h1>
<p>What <code>make bench</code> measured. A bar is the time of Sealite, which encrypts, divided by that of what it is compared with: a shorter
bar is faster, and the dashed line is equal speed. The stripe at the end of a bar is the range of several
measurements. The red mark is the bound above which <code>make bench</code> fails.</p>
"""
SEARCH = """<h1>Search</h1>
<noscript><p class="hint">The search needs JavaScript. Without it, the <a href="../index.html#tutorials">list of documents</a>, the
<a href="Glossary.html">glossary</a> and the browser's own search in a page lead on.</p></noscript>
<p id="found" role="status" aria-live="polite"></p><ol id="results" class="results"></ol>
"""


def version():
    source = (ROOT / "Sources/SealiteFile/SealiteFile.swift").read_text(encoding="utf-8")
    return re.search(r'static let number = "(.*)"', source)[1]


def link(address, label):
    return f'<a href="{address}">{text(label)}</a>'


def section(anchor, title, note, body):
    return f'<section class="kind"><h2 id="{anchor}">{text(title)}</h2><p class="note">{note}</p>{body}</section>\n'


def scrolling_table(label, columns, rows):
    head = "".join(f"<th>{column}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{text(cell)}</td>" for cell in row) + "</tr>\n" for row in rows)
    return (f'<div class="table" tabindex="0" role="group" aria-label="{text(label)}"><table><thead><tr>{head}</tr></thead>\n'
            f"<tbody>{body}</tbody></table></div>")


class Maker:
    def __init__(self, folder, output):
        self.folder, self.site = folder, pages.Site(ROOT)
        self.template = (PARTS / "page.html").read_text(encoding="utf-8")
        self.kinds = self.site.sorted_pages()
        figures = runpy.run_path(str(ROOT / "scripts/make-figures.py"))
        self.figures, self.svg = figures["figures"](output), figures["svg"]
        data = folder / "data"
        self.entries, products = index.of_symbols(data) if data.exists() else ([], [])
        # The umbrella first, which exports the others.
        self.products = sorted(products, key=lambda product: (product[0] != "Sealite", product[0]))

    def write(self, name, title, body, description, aside=""):
        above = "" if name == "index.html" else "../"
        values = {
            "title": text(title), "description": text(re.sub(r"\s+", " ", description)[:160]), "version": version(), "body": body,
            "aside": aside, "above": above, "api": above + ("documentation/" if self.products else "index.html"),
            "class": "start" if name == "index.html" else "page"}
        (self.folder / name).write_text(re.sub(r"{{(\w+)}}", lambda found: values[found[1]], self.template), encoding="utf-8")

    # Documents

    def document(self, page, kind, before, after):
        contents = [heading for heading in page.headings if heading[0] in (2, 3)]
        listed = "".join(f'<li class="h{level}">{link("#" + anchor, title)}</li>' for level, anchor, title in contents)
        # One beside the text and one that folds, of which the style shows one.
        wide = f'<nav class="contents" aria-label="On this page"><p>On this page</p><ol>{listed}</ol></nav>'
        narrow = f'<details class="contents"><summary>On this page</summary><ol>{listed}</ol></details>'
        start = "../index.html#"
        where = f'<p class="where">{link(start + "tutorials", "Documents")} › {link(start + self.site.slug(kind), kind)}</p>'
        around = "".join(
            f'<a rel="{rel}" href="{other.address}"><span>{word}</span>{text(other.title)}</a>'
            for rel, word, other in (("prev", "Before", before), ("next", "Next", after)) if other)
        body = page.body.replace("</h1>", "</h1>" + narrow, 1) if len(contents) > 1 else page.body
        first = next((part for _, _, parts in page.sections for part in parts), page.title)
        self.write(f"pages/{page.address}", f"{page.title} – Sealite",
                   f'{where}<article>{body}</article><nav class="around" aria-label="Other pages">{around}</nav>', first,
                   wide if len(contents) > 1 else "")

    # The start page

    def start(self):
        site = self.site
        first, second = [token for token in site.pages["README.md"].tokens if token.level == 1 and token.type == "inline"][1:3]
        example = next(token for token in site.below("README.md", "A first session") if token.type == "fence")
        swift = next(token for token in site.below("README.md", "From Swift")
                     if token.type == "fence" and "import Sealite\n" in token.content)
        ways = "".join(f'<a class="button" href="pages/{page}.html">{label}</a>' for page, label in FIRST_WAYS)
        made = [f'<h1>Sealite</h1>\n<p class="lead">{self.moved([first])}</p><p>{self.moved([second])}</p><p class="ways">{ways}</p>\n',
                f'<section class="examples"><h2 id="in-a-shell">In a shell</h2>{site.render([example])}'
                f'<h2 id="in-swift">In Swift</h2>{site.render([swift])}</section>\n']
        for kind in site.kinds():
            tokens = site.titled(site.below(pages.LIST, kind))
            end = next((number + 1 for number, token in enumerate(tokens) if token.type == "bullet_list_close"), 0)
            made.append(section(site.slug(kind), kind, SUMMARY.get(kind, ""), self.moved(tokens[:end])))
        made.append(f'<section><h2 id="pictures">Pictures</h2><div class="pictures">{"".join(self.pictures())}</div></section>\n')
        if self.products:
            rows = "".join(f'<li><a href="{address}"><code>{text(title)}</code></a> {text(abstract)}</li>\n'
                           for title, abstract, address in self.products)
            note = "Products of the package. These pages need JavaScript and a server: <code>make docs-serve</code>"
            made.append(section("api", "The API", note, f"<ul>{rows}</ul>"))
        rows = ""
        for page in dict(self.kinds)["Other"]:
            rows += f'<li>{link("pages/" + page.address, page.title)}{f" ({text(page.path)})" if "/" in page.path else ""}</li>\n'
        made.append(section("other", "Other", "The repository", f"<ul>{rows}</ul>"))
        self.write("index.html", "Sealite", "".join(made), pages.plain(first.children))

    def moved(self, tokens):
        """The HTML of tokens whose links are those of a page in `pages`, for the start page, which is above."""
        return re.sub(r'(href|src)="(?![a-z][a-z0-9+.-]*:|#)(\.\./index\.html)?([^"]*)"',
                      lambda found: f'{found[1]}="{"index.html" if found[2] else "pages/"}{found[3]}"', self.site.render(tokens))

    def pictures(self):
        for path in sorted((ROOT / "Documentation/Pictures").glob("*.svg")):
            place, title = f"pages/Pictures/{path.name}", re.search("<title>(.*?)</title>", path.read_text(encoding="utf-8"))[1]
            shutil.copy(path, self.folder / place)
            user = next((page for page in self.site.pages.values()
                         if page.path != pages.LIST and f'src="Pictures/{path.name}"' in page.body), None)
            used = f" ({link('pages/' + user.address, user.title)})" if user else ""
            width, height = self.site.size(path.name)
            yield (f'<figure><a href="{place}"><img src="{place}" width="{width}" height="{height}" alt="{title}" loading="lazy"></a>'
                   f'<figcaption>{title}{used}</figcaption></figure>\n')

    # Figures and the search

    def figures_page(self):
        made = []
        for figure in self.figures:
            document, heading = figure.source
            source = ""
            if document:
                anchor = f"#{self.site.slug(heading)}" if heading else ""
                source = link(self.site.pages[document].address + anchor, "The table and its conditions")
            rows = [(bar.label, figure.series[bar.series], bar.value(), f"{bar.bound:g}" if bar.bound else "") for bar in figure.bars]
            numbers = scrolling_table(f"{figure.title}, numbers", ("operation", "of", "ratio", "bound"), rows)
            made.append(f'<section><h2 id="{figure.name()}">{text(figure.title)}</h2>'
                        f'<p class="note">Ratios to {text(figure.compared)}. {source}</p>\n'
                        f"{self.svg(figure)}<details><summary>The numbers</summary>{numbers}</details></section>\n")
        self.write("pages/figures.html", "Figures – Sealite", f'{FIGURES}<div class="figures">{"".join(made)}</div>',
                   "The figures of the benchmarks, as bar charts.")

    def search(self):
        self.write("pages/search.html", "Search – Sealite", SEARCH, "A search over all documents and the API.")
        figures = [[figure.title, "Figures", f"pages/figures.html#{figure.name()}", "figure",
                    " ".join(bar.label for bar in figure.bars if not bar.series)] for figure in self.figures]
        entries = index.of_pages(self.kinds) + figures + self.entries
        (self.folder / "pages/search-index.js").write_text(index.script(entries), encoding="utf-8")
        return len(entries)

    def make(self):
        # What an earlier run made, and no document is any more.
        shutil.rmtree(self.folder / "pages", ignore_errors=True)
        (self.folder / "pages/Pictures").mkdir(parents=True)
        for name in ("style.css", "search.js", "icon.svg"):
            shutil.copy(PARTS / name, self.folder / "pages" / name)
        listed = [(kind, page) for kind, found in self.kinds for page in found]
        around = [None, *(page for _, page in listed), None]
        for number, (kind, page) in enumerate(listed):
            self.document(page, kind, around[number], around[number + 2])
        self.start()
        self.figures_page()
        count = self.search()
        faults = self.site.faults + check.faults_of(self.folder)
        if faults:
            sys.exit("\n".join(["make-site: these must be repaired:", *faults]))
        print(f"{len(listed) + 3} pages, {len(self.figures)} figures, {count} entries of the search; every link leads somewhere")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", type=pathlib.Path, help="the folder")
    parser.add_argument("--figures", type=pathlib.Path, metavar="FILE", help="what `make bench` printed")
    parser.add_argument("--check", action="store_true", help="only check the pages that are there")
    given = parser.parse_args()
    if given.check:
        sys.exit("\n".join(check.faults_of(given.site.resolve())) or 0)
    Maker(given.site.resolve(), given.figures.read_text(encoding="utf-8") if given.figures else None).make()


if __name__ == "__main__":
    main()
