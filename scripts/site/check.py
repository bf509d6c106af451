"""Checks the built pages: every link leads somewhere, nothing comes from another host, ids are unique, pictures have a text."""

import html.parser
import re
import urllib.parse


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.faults, self.language = set(), [], [], None

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "html":
            self.language = values.get("lang")
        if name := values.get("id"):
            if name in self.ids:
                self.faults.append(f"the id {name} twice")
            self.ids.add(name)
        if tag == "img" and not values.get("alt"):
            self.faults.append(f"a picture without a text: {values.get('src')}")
        for attribute in ("href", "src", "action"):
            if attribute in values:
                self.links.append((tag, values[attribute] or ""))


def faults_of(site):
    """What is wrong with the pages in a folder; links to the API are followed if it is there."""
    faults, read, has_api = [], {}, (site / "documentation").exists()
    for path in [site / "index.html", *sorted((site / "pages").glob("*.html"))]:
        reader = read[path] = Reader()
        reader.feed(path.read_text(encoding="utf-8"))
    for path, reader in read.items():
        name = path.relative_to(site)
        faults += [f"{name}: {fault}" for fault in reader.faults]
        if not reader.language:
            faults.append(f"{name}: no language")
        for tag, link in reader.links:
            if re.match(r"[a-z][a-z0-9+.-]*:", link):
                if tag != "a":
                    faults.append(f"{name}: <{tag}> would fetch {link}")
                continue
            target, _, fragment = link.partition("#")
            target = urllib.parse.unquote(target.partition("?")[0])
            found = (path.parent / target).resolve() if target else path
            # A server gives the file for the folder.
            found = found / "index.html" if target.endswith("/") else found
            if not found.is_relative_to(site):
                faults.append(f"{name}: {link} leads out of the site")
            elif not found.is_file():
                if has_api or not found.is_relative_to(site / "documentation"):
                    faults.append(f"{name}: {link} doesn't exist")
            elif fragment and found in read and urllib.parse.unquote(fragment) not in read[found].ids:
                faults.append(f"{name}: {link} has no such heading")
    return faults
