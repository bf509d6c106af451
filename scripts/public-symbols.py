#!/usr/bin/env python3
"""Compares the public symbols of the modules with the committed lists, Fixtures/PublicSymbols/MODULE.txt.

public-symbols.py              refuses a difference, and says what to do about it
public-symbols.py --write      writes the lists; name what changed in CHANGELOG.md
public-symbols.py --of FOLDER  prints the difference between the sources of another checkout and those of this one

A line has the path of a type and a declaration in it, without what doesn't concern a caller: body, comments, access level, attributes
for the optimiser. Each conformance, and each module that is exported again, has a line of its own. The lists are read from the sources,
so that every version of the compiler gives the same. What the compiler adds by itself, such as `!=`, isn't in them.
"""

import collections
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTS = "Fixtures/PublicSymbols"
ACCESS = {"open", "public", "package", "internal", "fileprivate", "private"}
MODIFIERS = ACCESS | {
    "static", "class", "final", "mutating", "nonmutating", "consuming", "borrowing", "override", "required", "convenience", "lazy", "weak",
    "unowned", "indirect", "nonisolated", "isolated", "optional", "dynamic", "prefix", "postfix", "infix", "unsafe"}
TYPES = {"struct", "class", "enum", "protocol", "actor", "extension"}
KEYWORDS = TYPES | {
    "func", "init", "subscript", "var", "let", "case", "typealias", "associatedtype", "deinit", "import", "operator", "precedencegroup"}
# Attributes that change nothing for a caller.
SILENT = {"inlinable", "inline", "usableFromInline", "exclusivity", "safe", "frozen", "section"}
# A declaration goes on in the next line after the first, and before the second.
OPEN_ENDS = {",", "->", "=", ":", "&", "where", "==", "some", "any"}
OPEN_BEGINNINGS = {"->", "throws", "rethrows", "async", "where", "=", "{", "&", ":", ",", "==", ".", "?"}
TOKEN = re.compile(
    r"""(?P<space>[ \t]+)|(?P<line>\n)|(?P<comment>//[^\n]*|/\*)|(?P<text>\#*\"{3}|\#*")|(?P<name>`?[\w$]+`?)"""
    r"""|(?P<sign>[-+*/=<>!&|^~%]+|\?+)|(?P<other>.)""")
CLOSED = {"(": ")", "[": "]", "{": "}"}
# A file without public declarations is read only if it may say what a public type conforms to; of the others the types count.
MAY_CONCERN_CALLERS = re.compile(r"\b(?:public|open)\b|^extension\b[^{]*:", re.M)
HIDDEN_TYPE = re.compile(r"^(?:(?:@\w+|[a-z]+)\s+)*(struct|class|enum|actor|protocol)\s+(\w+)", re.M)


def text_end(source, start):
    """Returns where the text literal that starts with a quote, or with number signs before it, ends."""
    hashes = source[start:source.index('"', start)]
    at = start + len(hashes)
    quote = '"""' if source.startswith('"""', at) else '"'
    at += len(quote)
    while at < len(source) and not source.startswith(quote + hashes, at):
        if not source.startswith("\\" + hashes, at):
            at += 1
            continue
        at += 1 + len(hashes)
        if not source.startswith("(", at):
            at += 1
            continue
        depth = 0
        while True:
            if source[at] == '"':
                at = text_end(source, at)
                continue
            depth += {"(": 1, ")": -1}.get(source[at], 0)
            at += 1
            if depth == 0:
                break
    return at + len(quote + hashes)


def comment_end(source, start):
    depth, at = 0, start
    while True:
        if source.startswith("/*", at):
            depth, at = depth + 1, at + 2
        elif source.startswith("*/", at):
            depth, at = depth - 1, at + 2
            if depth == 0:
                return at
        else:
            at += 1


class Token:
    __slots__ = ("text", "kind", "is_spaced")

    def __init__(self, text, kind, is_spaced):
        self.text, self.kind, self.is_spaced = text, kind, is_spaced


def tokens_of(source):
    """Returns the tokens with the ends of lines, without comments."""
    found, position, is_spaced = [], 0, False
    while match := TOKEN.match(source, position):
        kind, text, position = match.lastgroup, match.group(), match.end()
        if kind == "comment" and text == "/*":
            position = comment_end(source, match.start())
        elif kind == "text":
            position = text_end(source, match.start())
            text = source[match.start():position]
        if kind in ("space", "comment"):
            is_spaced = True
            continue
        found.append(Token(text, kind, is_spaced))
        is_spaced = kind == "line"
    return found


def words_of(tokens):
    """Returns the text of tokens in one line, however the source is broken into lines."""
    text = "".join((" " if token.is_spaced else "") + token.text for token in tokens if token.kind != "line").strip()
    return re.sub(r"([(\[]) ", r"\1", re.sub(r" ([)\]])", r"\1", text))


def parts_of(tokens):
    """Returns the parts between the commas that aren't in brackets."""
    parts, depth = [[]], 0
    for token in tokens:
        if token.text in ("(", "[", "{"):
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
        elif token.kind == "sign" and token.text != "->":
            depth += token.text.count("<") - token.text.count(">")
        if token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if any(token.kind != "line" for token in part)]


class Module:
    """What a module declares: each type with its access, and what may be public once all types are known."""

    def __init__(self):
        self.types, self.symbols, self.exports = {}, [], set()


class Reader:
    """Reads the declarations of one file."""

    def __init__(self, module, source):
        self.module, self.tokens, self.at = module, tokens_of(source), 0
        self.scan([], "file", None)

    def text(self, ahead=0):
        index = self.at + ahead
        return self.tokens[index].text if index < len(self.tokens) else ""

    def skip_brackets(self):
        """Goes behind the bracket that closes the one here."""
        depth = 0
        while self.at < len(self.tokens):
            text = self.text()
            depth += (text in CLOSED) - (text in (")", "]", "}"))
            self.at += 1
            if depth == 0:
                return

    def scan(self, path, kind, default):
        """Reads the members of a type, or of a file, up to the brace that ends it. `default` is the access of a member that states none."""
        while self.at < len(self.tokens) and self.text() != "}":
            start = self.at
            if self.text() == "#":
                while self.text() not in ("\n", ""):
                    self.at += 1
                continue
            attributes, modifiers = self.prefix()
            keyword = self.text()
            if keyword == "class" and self.text(1) in ("func", "var", "let", "subscript"):
                modifiers.append(("class", None))
                self.at += 1
                keyword = self.text()
            if keyword not in KEYWORDS or self.tokens[self.at].kind != "name":
                self.skip_brackets() if self.text() in CLOSED else None
                self.at += self.at == start
                continue
            access = next((word for word, of in modifiers if word in ACCESS and of is None), default or "internal")
            shown = attributes + [word for word, of in modifiers if word not in ACCESS and word not in ("lazy", "override", "required")]
            if keyword in TYPES:
                self.read_type(path, keyword, access, shown, any(word in ACCESS for word, _ in modifiers))
            elif keyword == "import":
                self.at += 1
                if "@_exported" in attributes:
                    self.module.exports.add(self.text())
                self.end()
            elif keyword in ("deinit", "operator", "precedencegroup"):
                self.end()
            else:
                is_closed = any(of == "set" for _, of in modifiers)
                self.read_member(path, kind, keyword, access, shown, is_closed)

    def prefix(self):
        """Returns the attributes and modifiers before a declaration, the latter with what stands in their parentheses."""
        attributes, modifiers = [], []
        while True:
            while self.text() in ("\n", ";"):
                self.at += 1
            if self.text() == "@":
                first = self.at
                self.at += 2
                name = self.text(-1)
                if self.text() == "(" and not self.tokens[self.at].is_spaced:
                    self.skip_brackets()
                if name not in SILENT:
                    attributes.append(words_of(self.tokens[first:self.at]))
            elif self.text() in MODIFIERS and not (self.text() == "class" and self.text(1) not in MODIFIERS):
                word, of = self.text(), None
                self.at += 1
                if self.text() == "(" and self.text(2) == ")":
                    of = self.text(1)
                    self.at += 3
                modifiers.append((word if of in (None, "set") else f"{word}({of})", of))
            else:
                return attributes, modifiers

    def end(self, stops=()):
        """Goes to the end of a declaration, or to one of the signs outside of brackets, and returns the tokens before it."""
        first, depth = self.at, 0
        while self.at < len(self.tokens):
            text = self.text()
            if depth == 0 and (text in stops or text in ("}", ";")):
                break
            if depth == 0 and text == "\n":
                before = self.text(-1)
                ahead = self.at
                while ahead < len(self.tokens) and self.tokens[ahead].text == "\n":
                    ahead += 1
                after = self.tokens[ahead].text if ahead < len(self.tokens) else ""
                if before not in OPEN_ENDS and after not in OPEN_BEGINNINGS:
                    break
            depth += (text in CLOSED) - (text in (")", "]", "}"))
            self.at += 1
        return self.tokens[first:self.at]

    def read_type(self, path, keyword, access, shown, states_access):
        self.at += 1
        header = self.end(stops=("{",))
        rule = next((index for index, token in enumerate(header) if token.text == "where"), len(header))
        colon, depth = rule, 0
        for index, token in enumerate(header[:rule]):
            depth += token.text.count("<") - token.text.count(">") if token.kind == "sign" else 0
            if token.text == ":" and depth == 0:
                colon = index
                break
        name = words_of(header[:colon])
        bare = re.sub(r"<.*", "", name)
        own = bare.split(".") if keyword == "extension" else path + [bare]
        condition = (" " + words_of(header[rule:])) if rule < len(header) else ""
        if keyword != "extension":
            self.module.types[".".join(own)] = (access, keyword, path)
            self.symbol(own, keyword, access, " ".join(shown + [keyword, name + condition]))
        for part in parts_of(header[colon + 1:rule]):
            # Whoever can use the type sees what it conforms to.
            protocol = words_of(part)
            self.symbol(own, "conformance", "public", protocol + (condition if keyword == "extension" else ""))
        if self.text() == "{":
            self.at += 1
            default = None
            if keyword == "protocol":
                default = access
            elif keyword == "extension" and states_access:
                default = access
            self.scan(own, keyword, default)
            self.at += 1

    def read_member(self, path, kind, keyword, access, shown, is_closed):
        first = self.at
        self.at += 1
        if keyword == "case":
            for part in parts_of(self.end()):
                equals = next((index for index, token in enumerate(part) if token.text == "="), len(part))
                self.symbol(path, "case", "public", "case " + words_of(part[:equals]))
            return
        if keyword in ("typealias", "associatedtype"):
            self.symbol(path, keyword, access, " ".join(shown + [words_of(self.tokens[first:first + 1] + self.end())]))
            return
        if keyword in ("var", "let"):
            declared = words_of(self.end(stops=("=", "{")))
            is_stored, accessors = True, ""
            if self.text() == "=":
                self.at += 1
                value = self.end()
                if ":" not in declared:
                    declared += " = " + re.split(r"[({]", words_of(value))[0].strip()
            elif self.text() == "{":
                start = self.at
                self.skip_brackets()
                is_stored, accessors = self.accessors(self.tokens[start + 1:self.at - 1])
            if keyword == "var":
                if is_stored:
                    accessors = "{ get set }"
                if is_closed:
                    accessors = accessors.replace(" set }", " }")
                declared += " " + accessors
            self.symbol(path, keyword, access, " ".join(shown + [keyword, declared]))
            return
        header = self.tokens[first:first + 1] + self.end(stops=("{",))
        accessors = ""
        if self.text() == "{":
            start = self.at
            self.skip_brackets()
            if keyword == "subscript":
                accessors = " " + self.accessors(self.tokens[start + 1:self.at - 1])[1]
                if is_closed:
                    accessors = accessors.replace(" set }", " }")
        self.symbol(path, keyword, access, " ".join(shown + [words_of(header) + accessors]))

    @staticmethod
    def accessors(body):
        """Returns whether the block of a variable belongs to a stored one, and which accessors it has."""
        depth, found, start = 0, [], True
        for index, token in enumerate(body):
            if depth == 0 and token.text in ("get", "set", "_read", "_modify", "willSet", "didSet", "unsafeAddress", "unsafeMutableAddress"):
                effects = []
                for follower in body[index + 1:]:
                    if follower.text in ("{", "\n", "set", "get"):
                        break
                    effects.append(follower)
                if start or found:
                    found.append((token.text, words_of(effects)))
            if depth == 0 and token.kind != "line" and not found and token.text not in (
                    "@", "inline", "inlinable", "_always", "__always", "mutating", "nonmutating", "unsafe", "(", ")", "safe"):
                start = False
            depth += (token.text in CLOSED) - (token.text in (")", "]", "}"))
        names = {name for name, _ in found}
        if names & {"willSet", "didSet"}:
            return True, ""
        effects = next((effect for name, effect in found if name in ("get", "_read") and effect), "")
        can_set = bool(names & {"set", "_modify", "unsafeMutableAddress"})
        return False, "{ get" + (f" {effects}" if effects and not effects.startswith("(") else "") + (" set }" if can_set else " }")

    def symbol(self, path, kind, access, words):
        self.module.symbols.append((path, kind, access, words))


def library_targets(root):
    """Returns the folders of Sources whose module is a library in Swift."""
    manifest = (root / "Package.swift").read_text()
    programs = set(re.findall(r'\.executableTarget\(\s*name:\s*"(\w+)"', manifest))
    return sorted(
        folder for folder in (root / "Sources").iterdir()
        if folder.is_dir() and folder.name not in programs and any(folder.rglob("*.swift")))


def symbols_of(root):
    """Returns the lines of each module that has a public symbol."""
    modules = {}
    for folder in library_targets(root):
        module = modules[folder.name] = Module()
        for path in sorted(folder.rglob("*.swift")):
            source = path.read_text(encoding="utf-8")
            if MAY_CONCERN_CALLERS.search(source):
                Reader(module, source)
            else:
                module.types.update({name: ("internal", kind, []) for kind, name in HIDDEN_TYPE.findall(source)})
    declared = collections.defaultdict(dict)
    for name, module in modules.items():
        for path, what in module.types.items():
            declared[path][name] = what

    def is_public(module, path):
        """Returns whether a type can be used outside; those of others can."""
        if not path:
            return True
        places = declared.get(".".join(path))
        if not places:
            return len(path) == 1 or is_public(module, path[:-1])
        # An extension may be of a type of another module that has the same name: the module's own comes first.
        found = [places[module]] if module in places else list(places.values())
        return any(
            access in ("open", "public") and is_public(module, outer) for access, _, outer in found)

    hidden = {
        path for path, places in declared.items()
        if all(kind == "protocol" and access not in ("open", "public") for access, kind, _ in places.values())}
    lists = {}
    for name, module in modules.items():
        lines = {f"export {other}" for other in module.exports}
        for path, kind, access, words in module.symbols:
            if access not in ("open", "public") or not is_public(name, path):
                continue
            if kind != "conformance":
                lines.add(f"{'.'.join(path)} {words}".strip())
            elif re.sub(r"^@\w+ | where .*|<.*", "", words) not in hidden:
                lines.add(f"{'.'.join(path)} : {words}")
        if lines:
            lists[name] = sorted(lines)
    return lists


def committed(root):
    return {
        path.stem: path.read_text(encoding="utf-8").splitlines() for path in sorted((root / LISTS).glob("*.txt"))}


def difference(old, new):
    """Returns the lines that went and came, for each module."""
    for name in sorted(old.keys() | new.keys()):
        for line in difflib.unified_diff(old.get(name, []), new.get(name, []), lineterm="", n=0):
            if line[0] in "-+" and line[:3] not in ("---", "+++"):
                yield f"{line[0]} {name}: {line[1:]}"


def main(arguments):
    if arguments[:1] == ["--of"] and len(arguments) == 2:
        print("\n".join(difference(symbols_of(pathlib.Path(arguments[1]).resolve()), symbols_of(ROOT))))
        return 0
    lists = symbols_of(ROOT)
    if arguments == ["--write"]:
        folder = ROOT / LISTS
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.glob("*.txt"):
            if path.stem not in lists:
                path.unlink()
        for name, lines in lists.items():
            (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif arguments:
        sys.exit(__doc__.strip())
    changed = list(difference(committed(ROOT), lists))
    print(f"public-symbols: {sum(map(len, lists.values()))} in {len(lists)} modules")
    for line in changed:
        print(line, file=sys.stderr)
    if changed:
        print(
            "public-symbols: these lines differ from Fixtures/PublicSymbols. If they should, name them in CHANGELOG.md and run "
            "scripts/public-symbols.py --write", file=sys.stderr)
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
