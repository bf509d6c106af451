"""The index of the search: the documents by section, and the symbols of the API from DocC's data."""

import json
import re
import urllib.parse

# What a browser reads before the first search. More is refused: then something is in the index that nobody looks for.
MOST = 3_000_000


def of_pages(pages):
    """Entries [title, context, address, kind, text] of documents, one for each section."""
    entries = []
    for kind, listed in pages:
        for page in listed:
            for heading, anchor, texts in page.sections:
                text = re.sub(r"\s+", " ", " ".join(texts)).strip()
                address = "pages/" + page.address + (f"#{anchor}" if anchor else "")
                entries.append([heading, page.title if anchor else kind, address, "document", text])
    return entries


def text_of(parts):
    """The text of DocC's inline content."""
    return "".join(part.get("text") or part.get("code") or text_of(part.get("inlineContent", [])) or
                   (part.get("identifier", "").rsplit("/", 1)[-1] if part.get("type") == "reference" else "") for part in parts)


def of_symbols(data):
    """Entries of the API, from the folder `data` that DocC made, and [(product, abstract, address)]."""
    entries, products = [], []
    for path in sorted((data / "documentation").rglob("*.json")):
        page = json.loads(path.read_text(encoding="utf-8"))
        metadata = page["metadata"]
        # Lists that DocC makes of conformances aren't looked for.
        if metadata.get("role") == "collectionGroup" and not page.get("primaryContentSections") and not page.get("abstract"):
            continue
        # Not the file index.html in it, for which DocC's script has no page.
        address = urllib.parse.quote(str(path.relative_to(data).with_suffix(""))) + "/"
        abstract = text_of(page.get("abstract", []))
        # What a type has from the standard library is on its page.
        if abstract.startswith("Inherited from "):
            continue
        title, module = metadata["title"], (metadata.get("modules") or [{}])[0].get("name", "")
        kind = metadata.get("symbolKind") or metadata.get("role", "")
        if kind == "module" or len(path.relative_to(data).parts) == 2:
            products.append((title, abstract, address))
        paths = page.get("hierarchy", {}).get("paths") or [[]]
        parents = [page["references"][name]["title"] for name in paths[0] if name in page["references"]]
        # The module and pages of its catalogue aren't part of a symbol's name.
        parents = [name for name in parents[1:] if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", name)]
        if kind in ("property", "method", "case", "init", "subscript", "op", "associatedtype") and parents:
            title = f"{parents[-1].split('.')[-1]}.{title.removeprefix(parents[-1] + '.')}"
        entries.append([title, module, address, {"init": "initializer", "op": "operator"}.get(kind, kind), abstract])
    return entries, products


def script(entries):
    """The index as a script, which a page that was opened as a file may load too."""
    made = "siteIndex(" + json.dumps(entries, ensure_ascii=False, separators=(",", ":")) + ");\n"
    # A closing tag or a line separator can't end the script.
    made = made.replace("</", "<\\/").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    if len(made.encode()) > MOST:
        raise SystemExit(f"make-site: the index of the search has {len(made.encode())} bytes, where {MOST} may be")
    return made
