"""The Markdown documents of the repository as pages of the site: where each goes, and its HTML with the links rewritten."""

import html
import posixpath
import re
import runpy
import subprocess
import sys

try:
    from markdown_it import MarkdownIt
except ImportError:
    sys.exit("the site needs Debian's python3-markdown-it for /usr/bin/python3: run scripts/setup.sh --docs")

# Beside the documents of Documentation/. Others become pages if one of these links to them.
FIRST = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "RELEASING.md"]
LIST = "Documentation/README.md"
KEYWORDS = {
    "swift": "as async await break case catch class default defer do else enum extension false for func guard if import in init inout "
             "internal is let nil package private protocol public return self Self some any static struct switch throw throws true try "
             "typealias var where while actor mutating",
    "python": "and as assert class def del elif else except False finally for from if import in is lambda None not or pass raise return "
              "True try while with yield",
    "c": "break case char const else for if int include define return sizeof static struct switch void while",
    "sql": "SELECT FROM WHERE AND OR NOT AS ON JOIN LEFT INNER GROUP ORDER BY LIMIT OFFSET HAVING UNNEST INSERT INTO VALUES UPDATE SET "
           "DELETE CREATE TABLE INDEX VIEW TRIGGER UNIQUE PRIMARY KEY NULL MISSING IN LIKE BETWEEN ANY EVERY SATISFIES END WITH UNION ALL "
           "DISTINCT PRAGMA CASE WHEN THEN ELSE IS RETURNING UNSET USE KEYS",
}
COMMENTS = {"swift": r"//[^\n]*", "c": r"//[^\n]*|/\*.*?\*/", "sql": r"--[^\n]*", "python": r"#[^\n]*", "sh": r"(?:(?<=\s)|^)#[^\n]*",
            "console": r"(?:(?<=\s)|^)# [^\n]*", "yaml": r"#[^\n]*"}


def highlighted(code, language):
    """HTML of code with its comments, strings and keywords marked; of other languages as it stands."""
    language = language.split(" ")[0]
    if language not in COMMENTS:
        return html.escape(code)
    quoted = r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"' + (r"|'[^'\n]*'" if language != "swift" else "")
    pattern = re.compile(
        rf"(?P<c>{COMMENTS[language]})|(?P<s>{quoted})" + (r"|(?P<p>^\$ )" if language == "console" else "") + r"|(?P<w>\b[A-Za-z_]+\b)",
        re.MULTILINE | (re.DOTALL if language == "c" else 0))
    words = set(KEYWORDS.get(language, "").split())
    made, end = [], 0
    for found in pattern.finditer(code):
        made.append(html.escape(code[end:found.start()]))
        kind = found.lastgroup
        text = html.escape(found[0])
        made.append(f'<span class="{kind}">{text}</span>' if kind != "w" or found[0] in words else text)
        end = found.end()
    return "".join(made) + html.escape(code[end:])


def plain(tokens):
    """The text of inline tokens without marks."""
    return "".join(token.content if token.type in ("text", "code_inline") else " " if "break" in token.type else
                   plain(token.children) if token.children else "" for token in tokens)


def joined(tokens):
    """Inline tokens in which texts over several lines are one."""
    made = []
    for token in tokens:
        if token.type in ("text", "softbreak") and made and made[-1].type == "text":
            made[-1].content += token.content or "\n"
        else:
            made.append(token)
    return made


class Page:
    """A document: its file, its address in the site's folder `pages`, title, headings, HTML and text by section."""

    def __init__(self, path, address):
        self.path, self.address = path, address
        self.title, self.headings, self.sections, self.tokens, self.body = path, [], [], [], ""


class Site:
    """All documents of a repository as pages. `faults` has the links that lead nowhere."""

    def __init__(self, root):
        self.root, self.faults, self.pages = root, [], {}
        self.slug = runpy.run_path(str(root / "scripts/check-links.py"))["slug"]
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=root, capture_output=True, text=True)
        names = listed.stdout.split() or [str(path.relative_to(root)) for path in root.rglob("*.md") if ".build" not in path.parts]
        self.known = {name for name in names if (root / name).exists()}
        self.parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
        self.parser.add_render_rule("fence", self._fence)
        self.parser.add_render_rule("table_open", lambda *_: '<div class="table" tabindex="0" role="group" aria-label="table"><table>\n')
        self.parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
        for kind in ("html_block", "html_inline"):
            self.parser.add_render_rule(kind, self._html)
        waiting = [name for name in FIRST if name in self.known]
        waiting += sorted(name for name in self.known if re.fullmatch(r"Documentation/[^/]+", name))
        while waiting:
            name = waiting.pop(0)
            if name not in self.pages:
                waiting += self._read(name)
        for page in self.pages.values():
            page.body = self.render(page.tokens)

    # Pages

    def _address(self, name):
        if name == LIST:
            return "../index.html"
        return name.removeprefix("Documentation/").removesuffix(".md").replace("/", "-") + ".html"

    def _read(self, name):
        """Reads a document, rewrites its links, and returns the documents that it links to."""
        page = self.pages[name] = Page(name, self._address(name))
        page.tokens = self.parser.parse((self.root / name).read_text(encoding="utf-8"))
        counts, linked, section = {}, [], [page.title, "", []]
        for index, token in enumerate(page.tokens):
            if token.type == "heading_open":
                content = page.tokens[index + 1]
                anchor = self.slug(content.content)
                counts[anchor] = counts.get(anchor, -1) + 1
                anchor += f"-{counts[anchor]}" if counts[anchor] else ""
                token.attrSet("id", anchor)
                level, text = int(token.tag[1]), plain(content.children)
                if level == 1 and page.title == name:
                    # Its heading is the product's name.
                    page.title = text if name != "README.md" else "README"
                page.headings.append((level, anchor, text))
                section = [text, anchor if level > 1 else "", []]
                page.sections.append(section)
            elif token.type == "inline":
                linked += self._links(page, token.children)
                if page.tokens[index - 1].type != "heading_open":
                    section[2].append(plain(token.children))
            elif token.type == "fence":
                section[2].append(token.content)
        return linked

    def _links(self, page, tokens):
        linked, ended = [], []
        for token in tokens:
            if token.type == "link_open":
                target, name = self._target(page, token.attrGet("href"))
                if name:
                    linked.append(name)
                ended.append(target is None)
                if target is None:
                    token.tag, token.attrs = "span", {"class": "source", "title": "in the sources: " + token.attrGet("href")}
                else:
                    token.attrSet("href", target)
            elif token.type == "link_close" and ended.pop():
                token.tag = "span"
            elif token.type == "image":
                token.attrSet("src", self._target(page, token.attrGet("src"))[0] or "")
                token.attrSet("loading", "lazy")
                for name, value in zip(("width", "height"), self.size(posixpath.basename(token.attrGet("src")))):
                    token.attrSet(name, value)
        return linked

    def _target(self, page, link):
        """The address of a link as seen from `pages`, None for a file that isn't part of the site; and the document that it names."""
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            return link, None
        path, mark, fragment = link.partition("#")
        if not path:
            return link, None
        name = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path))
        if name in self.known:
            return self._address(name) + mark + fragment, name
        if not (self.root / name).exists():
            self.faults.append(f"{page.path}: {link} doesn't exist")
        return (f"Pictures/{posixpath.basename(name)}" if name.startswith("Documentation/Pictures/") else None), None

    def size(self, picture):
        """The width and height of a picture of the documents, for the space that it takes before it is read."""
        path = self.root / "Documentation/Pictures" / picture
        found = path.exists() and re.search(r'viewBox="0 0 (\d+) (\d+)"', path.read_text(encoding="utf-8"))
        return found.groups() if found else ()

    # Rendering

    def render(self, tokens):
        return self.parser.renderer.render(tokens, self.parser.options, {})

    def _fence(self, tokens, index, *_):
        token = tokens[index]
        language = token.info.strip() or "text"
        return f'<pre class="{language.split(" ")[0]}" tabindex="0"><code>{highlighted(token.content, language)}</code></pre>\n'

    def _html(self, tokens, index, *_):
        content = tokens[index].content.strip()
        if not re.fullmatch(r"(<!--.*?-->\s*)+", content, re.DOTALL):
            self.faults.append(f"HTML in a document: {content[:60]}")
        return ""

    # Parts for the start page

    def below(self, name, heading):
        """The tokens of a document below a heading and above the next of its level."""
        tokens = self.pages[name].tokens
        for index, token in enumerate(tokens):
            if token.type == "heading_open" and plain(tokens[index + 1].children) == heading:
                end = next((later for later in range(index + 1, len(tokens))
                            if tokens[later].type == "heading_open" and tokens[later].tag <= token.tag), len(tokens))
                return tokens[index + 3:end]
        sys.exit(f"make-site: {name} has no heading \"{heading}\", of which the start page is made")

    def sorted_pages(self):
        """The pages by kind, in the order in which the list of documents names them: [(kind, [page])]."""
        kinds, seen = [], {LIST}
        for kind in self.kinds():
            found = []
            for token in self.below(LIST, kind):
                for child in token.children or []:
                    if child.type != "link_open":
                        continue
                    name = self._name(child.attrGet("href"))
                    if name and name not in seen:
                        seen.add(name)
                        found.append(self.pages[name])
            kinds.append((kind, found))
        kinds.append(("Other", [page for name, page in self.pages.items() if name not in seen]))
        return kinds

    def kinds(self):
        return [text for level, _, text in self.pages[LIST].headings if level == 2]

    def _name(self, address):
        return next((name for name, page in self.pages.items() if page.address == address), None)

    def titled(self, tokens):
        """Names linked documents by their titles, where a link's text is the name of the file, and leaves out what repeats the title."""
        for token in tokens:
            children = token.children = joined(token.children or [])
            for link, text, _, rest in zip(children, children[1:], children[2:], [*children[3:], None]):
                if link.type != "link_open" or text.type != "text" or not text.content.endswith(".md"):
                    continue
                text.content = title = self.pages[self._name(link.attrGet("href"))].title
                repeated = r"[\s,]+".join(re.findall(r"[^\s,]+", re.escape(title).replace("\\ ", " ")))
                if rest and rest.type == "text":
                    rest.content = re.sub(rf"^[,:] {repeated}(?=;|$)", "", rest.content, flags=re.IGNORECASE)
        return tokens
