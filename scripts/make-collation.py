#!/usr/bin/env python3
"""Makes the tables of the Unicode collations, Sources/SealiteFunctions/Collation/CollationData.swift, from two packages of
Debian 12: unicode-cldr-core 41-0.1 (the root order and the tailorings of CLDR 41, Unicode 14) and unicode-data 15.0.0-1
(canonical decompositions, combining classes, scripts). Python's standard library alone.

Usage: make-collation.py CLDR UNICODE
  CLDR     the folder that has uca/ and collation/: /usr/share/unicode/cldr/common where the package is installed
  UNICODE  the folder that has UnicodeData.txt: /usr/share/unicode

The tables are words of 32 bits, the lowest byte first, in base64: the version, the number of sections (8), the number of words of each
section, and the sections.

  1  the index of section 2, in half-words, two in each word, the lower one first: for each range of 128 scalars below 30000
     (hexadecimal), the number of its block.
  2  blocks of 128 words, one word for each scalar. Its low two bits determine the rest: 0, one element (the word is an entry of
     section 3); 1, several elements, at index (bits 8 and up) of section 3, as many as bits 2 to 7 say; 2, contractions, at the
     index in bits 2 and up of section 4; 3, implicit weights (UTS #10 §10.1.3). The word 0 means no element.
  3  elements: primary << 16 | secondary << 7 | tertiary << 2. The case of an element with a primary weight is upper if the
     tertiary weight is 8 to 12, 14, 17, 18 or 29, and otherwise lower.
  4  contractions: the word of the scalar alone, the number of strings that may follow it, and for each string, the longest first,
     the number of its scalars, the word, the scalars.
  5, 6  an index and blocks like sections 1 and 2, but with a half-word for each scalar: below 256 its combining class, otherwise
     256 + the index of its decomposition in section 7.
  7  decompositions: the number of scalars, and the scalars.
  8  the number of locales, and for each locale: the number of its following words; the name in lower case, in eight bytes filled
     with zeros; 1 if upper case comes first, otherwise 0; the number of ranges of primary weights that [reorder] moves, and for
     each range its first weight, the weight after its last one, and the number to add to its weights (modulo 65536); the number
     of mappings, and for each mapping the number of its scalars, the number of its elements, the scalars, and two words for each
     element: primary << 16 | k, and secondary << 22 | k << 16 | case << 14 | tertiary << 6 | k. Each k is 0, or the number of the
     inserted weight of its level. The case is 0 for lower case and characters without case, 1 for mixed case, 2 for upper case.

The keys that are made with them are in Documentation/Collation.md. Tables of another release of CLDR order strings otherwise, and keys
made with these are in indexes: they need collations of another name.
"""

import base64
import pathlib
import re
import struct
import sys
import unicodedata
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
ORDER = ROOT / "Fixtures" / "Collation" / "order.txt"
TARGET = ROOT / "Sources" / "SealiteFunctions" / "Collation" / "CollationData.swift"
VERSION = 1

BLOCK = 128
TABLE_END = 0x30000
SECONDARY, TERTIARY = 0x20, 2
IMPLICIT = 3
UPPER_TERTIARIES = {*range(0x08, 0x0D), 0x0E, 0x11, 0x12, 0x1D}
# Too large for what they are worth here, or written with rules that Tailoring doesn't read.
LEFT_OUT = {"zh", "zh_Hant", "ja", "ko"}


# --- The root order -----------------------------------------------------------------------------------------------


def read_root(path):
    """The mappings of allkeys_CLDR.txt: a tuple of scalars -> a list of (primary, secondary, tertiary)."""
    mappings = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if not line or line.startswith("@"):
            continue
        scalars, elements = line.split(";")
        key = tuple(int(scalar, 16) for scalar in scalars.split())
        found = re.findall(r"\[[.*]([0-9A-F]+)\.([0-9A-F]+)\.([0-9A-F]+)\]", elements)
        mappings[key] = [c for c in (tuple(int(w, 16) for w in element) for element in found) if any(c)]
    for key, elements in mappings.items():
        for primary, secondary, tertiary in elements:
            assert secondary < 512 and tertiary < 32, key
            # Keys leave common weights at the end out; only elements with a primary weight may have these.
            assert primary or secondary != SECONDARY, key
            assert primary or secondary or tertiary > TERTIARY, key
    return mappings


def pack(element):
    primary, secondary, tertiary = element
    return primary << 16 | secondary << 7 | tertiary << 2


def trie(values, default):
    """Two stages: an index of blocks, half-words, and the blocks."""
    blocks, index = {}, []
    for start in range(0, TABLE_END, BLOCK):
        block = tuple(values.get(scalar, default) for scalar in range(start, start + BLOCK))
        index.append(blocks.setdefault(block, len(blocks)))
    return index, [value for block in blocks for value in block]


def root_tables(mappings):
    elements, contractions, values, places = [], [], {}, {}

    def value(found):
        if len(found) == 0:
            return 0
        if len(found) == 1:
            return pack(found[0])
        packed = tuple(pack(element) for element in found)
        if packed not in places:
            places[packed] = len(elements)
            elements.extend(packed)
        assert len(found) < 64
        return places[packed] << 8 | len(found) << 2 | 1

    starters = {}
    for key, found in mappings.items():
        if len(key) == 1:
            if key[0] < TABLE_END:
                values[key[0]] = value(found)
            else:
                assert key[0] in SPECIAL and not found, key
        else:
            starters.setdefault(key[0], []).append((key[1:], found))
    for starter, suffixes in sorted(starters.items()):
        place = len(contractions)
        contractions += [values.get(starter, IMPLICIT), len(suffixes)]
        for suffix, found in sorted(suffixes, key=lambda entry: (-len(entry[0]), entry[0])):
            contractions += [len(suffix), value(found), *suffix]
        values[starter] = place << 2 | 2
    return values, elements, contractions


SPECIAL = {0xE0001, *range(0xE0020, 0xE0080), *range(0xE0100, 0xE01F0)}


# --- Normalization ------------------------------------------------------------------------------------------------


def read_unicode(path):
    """Canonical decompositions in full, and combining classes other than 0."""
    single, classes = {}, {}
    for line in (path / "UnicodeData.txt").read_text(encoding="utf-8").splitlines():
        fields = line.split(";")
        scalar = int(fields[0], 16)
        if fields[3] != "0":
            classes[scalar] = int(fields[3])
        if fields[5] and not fields[5].startswith("<"):
            single[scalar] = [int(part, 16) for part in fields[5].split()]

    def expand(scalar):
        return [end for part in single[scalar] for end in expand(part)] if scalar in single else [scalar]

    return {scalar: expand(scalar) for scalar in single}, classes


def normalization_tables(decompositions, classes):
    """A half-word for each scalar: below 256 its combining class, else 256 and the place of its decomposition."""
    words, values, places = [], dict(classes), {}
    for scalar, parts in decompositions.items():
        packed = (len(parts), *parts)
        if packed not in places:
            places[packed] = len(words)
            words += packed
        values[scalar] = 256 + places[packed]
    assert len(words) + 256 < 65536
    return values, words


class Normalizer:
    def __init__(self, decompositions, classes):
        self.decompositions, self.classes = decompositions, classes

    def __call__(self, text):
        scalars = []
        for character in text:
            scalar = ord(character)
            assert not 0xAC00 <= scalar <= 0xD7A3
            scalars += self.decompositions.get(scalar, [scalar])
        for _ in scalars:
            for i in range(len(scalars) - 1):
                first, second = (self.classes.get(scalar, 0) for scalar in scalars[i : i + 2])
                if first > second > 0:
                    scalars[i], scalars[i + 1] = scalars[i + 1], scalars[i]
        return tuple(scalars)


# --- Tailorings ---------------------------------------------------------------------------------------------------


class Unsupported(Exception):
    pass


class Weight:
    """A weight of the root order, or one that is inserted after one. Its place among those after the same is known at the end."""

    def __init__(self, base, siblings=None):
        self.base, self.siblings = base, siblings

    @property
    def offset(self):
        return 0 if self.siblings is None else self.siblings.index(self) + 1

    @property
    def key(self):
        return self.base if self.siblings is None else id(self)


class Tailoring:
    """The rules of one locale over the root order. https://unicode.org/reports/tr35/tr35-collation.html#Rules"""

    RELATION = re.compile(r"(<<<<|<<<|<<|<|=)(\*?)")

    def __init__(self, root, normalize, rules_of):
        self.root, self.normalize, self.rules_of = root, normalize, rules_of
        self.mappings, self.lists, self.upper_first, self.reorder = {}, {}, False, []
        self.primaries = sorted({element[0] for found in root.values() for element in found if element[0]})

    def apply(self, rules):
        rules = "\n".join(self.strip_comment(line) for line in rules.splitlines())
        self.text, self.at = rules, 0
        while self.skip_space():
            if self.text[self.at] == "[":
                self.setting()
            elif self.text[self.at] == "&":
                self.at += 1
                self.reset()
            else:
                self.relation()

    @staticmethod
    def strip_comment(line):
        quoted = False
        for index, character in enumerate(line):
            if character == "'":
                quoted = not quoted
            elif character == "#" and not quoted:
                return line[:index]
        return line

    def skip_space(self):
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at < len(self.text)

    def bracket(self):
        """The words in brackets; what is in further brackets is one word."""
        end = self.text.index("]", self.at)
        inner = self.text.find("[", self.at + 1, end)
        if inner < 0:
            found = self.text[self.at + 1 : end].split()
        else:
            found = [*self.text[self.at + 1 : inner].split(), self.text[inner + 1 : end]]
            end = self.text.index("]", end + 1)
        self.at = end + 1
        return found

    def setting(self):
        words = self.bracket()
        if words[0] == "import":
            saved = self.text, self.at
            self.apply(self.rules_of(words[1]))
            self.text, self.at = saved
        elif words == ["caseFirst", "upper"]:
            self.upper_first = True
        elif words[0] == "reorder":
            self.reorder = words[1:]
        elif words[0] == "suppressContractions":
            self.suppress({ord(character) for character in self.ranges("".join(words[1].split()))})
        elif words[0] == "normalization":
            pass  # Strings are always normalized.
        else:
            raise Unsupported(" ".join(words))

    def suppress(self, starters):
        """Gives the contractions of some scalars what their parts have."""
        for key in [key for key in self.root if len(key) > 1 and key[0] in starters]:
            parts = [self.elements((scalar,), {}) for scalar in key]
            self.mappings[key] = [element for part in parts for element in part]

    def string(self):
        self.skip_space()
        found = ""
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == "'":
                end = self.text.index("'", self.at + 1)
                found += self.text[self.at + 1 : end] or "'"
                self.at = end + 1
            elif character == "\\":
                following = self.text[self.at + 1]
                digits = {"u": 4, "U": 8}.get(following, 0)
                found += chr(int(self.text[self.at + 2 : self.at + 2 + digits], 16)) if digits else following
                self.at += 2 + digits
            elif character.isspace() or ord(character) < 0x80 and not character.isalnum():
                break
            else:
                found += character
                self.at += 1
        if not found:
            raise Unsupported(f"no string at {self.text[self.at:self.at + 20]!r}")
        return found

    def reset(self):
        before = 0
        self.skip_space()
        if self.text[self.at] == "[":
            words = self.bracket()
            if words[0] != "before":
                raise Unsupported(" ".join(words))
            before = int(words[1])
        self.position = self.elements(self.normalize(self.string()))
        if before == 0:
            return
        if before != 1:
            raise Unsupported(f"before {before}")
        self.truncate(0)
        primary = self.position[-1][0]
        siblings = self.siblings_of(("primary",), primary)
        index = siblings.index(primary) if primary in siblings else 0
        if index > 0:
            primary = siblings[index - 1]
        else:
            base = primary.base if primary in siblings else self.primaries[self.primaries.index(primary.base) - 1]
            after = self.lists.get(("primary", base), [])
            primary = after[-1] if after and primary not in siblings else Weight(base)
        self.position[-1] = (primary, Weight(SECONDARY), Weight(TERTIARY), 0)

    def relation(self):
        match = self.RELATION.match(self.text, self.at)
        if not match or match[1] == "<<<<":
            raise Unsupported(f"rule at {self.text[self.at:self.at + 20]!r}")
        self.at = match.end()
        strings = self.ranges(self.string_with_ranges()) if match[2] else [self.string()]
        for text in strings:
            extension = []
            if self.skip_space() and self.text[self.at] in "/|":
                if self.text[self.at] == "|":
                    raise Unsupported("a context before")
                self.at += 1
                extension = self.elements(self.normalize(self.string()))
            self.add(match[1], self.normalize(text), extension)

    def string_with_ranges(self):
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in "&<=[":
            self.at += 1
        return "".join(self.text[start : self.at].split())

    @staticmethod
    def ranges(text):
        found, index = [], 0
        if "\\" in text or "'" in text:
            raise Unsupported("a quoted range")
        while index < len(text):
            if index + 2 < len(text) and text[index + 1] == "-":
                found += [chr(c) for c in range(ord(text[index]), ord(text[index + 2]) + 1)]
                index += 3
            else:
                found.append(text[index])
                index += 1
        return found

    def elements(self, scalars, mappings=None):
        """The elements of a string under the rules so far, or under other mappings, for contiguous contractions."""
        mappings = self.mappings if mappings is None else mappings
        found, index = [], 0
        while index < len(scalars):
            for end in range(len(scalars), index, -1):
                key = scalars[index:end]
                if key in mappings:
                    found += mappings[key]
                    break
                if key in self.root:
                    found += [
                        (*(Weight(weight) for weight in element), case_of(element)) for element in self.root[key]
                    ]
                    break
            else:
                raise Unsupported(f"no weights for {scalars[index]:04X}")
            index = end
        return found

    @staticmethod
    def strength(element):
        return next((level for level in range(3) if element[level].base), 3)

    def truncate(self, strength):
        while self.position and self.strength(self.position[-1]) > strength:
            self.position = self.position[:-1]
        if not self.position:
            raise Unsupported("a position without weights")

    def siblings_of(self, context, weight):
        return self.lists.setdefault((*context, weight.base), [])

    def insert_after(self, context, weight):
        siblings = self.siblings_of(context, weight)
        new = Weight(weight.base, siblings)
        siblings.insert(siblings.index(weight) + 1 if weight in siblings else 0, new)
        return new

    def add(self, relation, scalars, extension):
        if relation != "=":
            strength = len(relation) - 1
            self.truncate(strength)
            primary, secondary, tertiary, _ = self.position[-1]
            if strength == 0:
                primary = self.insert_after(("primary",), primary)
                secondary, tertiary = Weight(SECONDARY), Weight(TERTIARY)
            elif strength == 1:
                secondary = self.insert_after(("secondary", primary.key), secondary)
                tertiary = Weight(TERTIARY)
            else:
                tertiary = self.insert_after(("tertiary", primary.key, secondary.key), tertiary)
            self.position = [*self.position[:-1], (primary, secondary, tertiary, 0)]
        self.position = self.with_cases(scalars)
        self.mappings[scalars] = [*self.position, *extension]

    def with_cases(self, scalars):
        """The position's elements with the cases of the tailored string's letters in the root order."""
        plain = self.elements(scalars, {})
        cases = [element[3] for element in plain if element[0].base]
        count = sum(1 for element in self.position if element[0].base)
        found = []
        for element in self.position:
            case = 0
            if element[0].base:
                mine = cases if count == 1 else cases[:1]
                cases, count = cases[len(mine) :], count - 1
                case = 0 if not any(mine) else 2 if all(one == 2 for one in mine) else 1
            found.append((*element[:3], case))
        return found

    # Results.

    def packed(self):
        """The mappings, sorted: scalars -> pairs of words."""
        found = []
        for scalars, elements in sorted(self.mappings.items(), key=lambda entry: (entry[0][0], -len(entry[0]), entry[0])):
            words = []
            for primary, secondary, tertiary, case in elements:
                if primary.offset > 255 or secondary.offset > 63 or tertiary.offset > 63:
                    raise Unsupported("too many weights between two of the root order")
                words.append(primary.base << 16 | primary.offset)
                high = secondary.base << 6 | secondary.offset
                words.append(high << 16 | case << 14 | tertiary.base << 6 | tertiary.offset)
            found.append((scalars, words))
        return found


def case_of(element):
    return 2 if element[0] and element[2] in UPPER_TERTIARIES else 0


class Scripts:
    """The ranges of primary weights that scripts have, for [reorder]."""

    def __init__(self, path, root):
        scripts = {}
        for line in (path / "Scripts.txt").read_text(encoding="utf-8").splitlines():
            line = line.split("#")[0].strip()
            if line:
                places, script = (part.strip() for part in line.split(";"))
                first, *last = places.split("..")
                for scalar in range(int(first, 16), int(last[0] if last else first, 16) + 1):
                    scripts[scalar] = script
        letters = {}
        for key, found in root.items():
            if len(key) == 1 and len(found) == 1 and unicodedata.category(chr(key[0]))[0] == "L":
                script = scripts.get(key[0], "Common")
                if script not in ("Common", "Inherited"):
                    letters.setdefault(found[0][0], script)
        runs = []
        first_letter = root[(ord("a"),)][0][0]
        for primary in sorted(primary for primary in letters if primary >= first_letter):
            if not runs or runs[-1][1] != letters[primary]:
                runs.append((primary, letters[primary]))
        self.runs = runs
        self.codes = {"Cyrl": "Cyrillic", "Grek": "Greek", "Hebr": "Hebrew", "Arab": "Arabic", "Armn": "Armenian"}
        self.codes |= {"Geor": "Georgian", "Deva": "Devanagari", "Thai": "Thai", "Ethi": "Ethiopic", "Latn": "Latin"}
        self.codes |= {"Beng": "Bengali", "Gujr": "Gujarati", "Guru": "Gurmukhi", "Knda": "Kannada", "Khmr": "Khmer"}
        self.codes |= {"Laoo": "Lao", "Mlym": "Malayalam", "Mymr": "Myanmar", "Orya": "Oriya", "Sinh": "Sinhala"}
        self.codes |= {"Taml": "Tamil", "Telu": "Telugu", "Tibt": "Tibetan", "Adlm": "Adlam", "Mong": "Mongolian"}
        self.codes |= {"Cher": "Cherokee"}

    def moves(self, reorder):
        """Ranges of primary weights, each with what is added to its weights so that the named scripts come first."""
        if not reorder:
            return []
        ranges = []
        for code in reorder:
            if code not in self.codes:
                raise Unsupported(f"reorder {code}")
            found = [i for i, run in enumerate(self.runs) if run[1] == self.codes[code]]
            if len(found) != 1:
                raise Unsupported(f"reorder {code}: {len(found)} ranges")
            ranges.append((self.runs[found[0]][0], self.runs[found[0] + 1][0]))
        start, end = self.runs[0][0], max(last for _, last in ranges)
        order, rest = list(ranges), start
        for first, last in sorted(ranges):
            if rest < first:
                order.append((rest, first))
            rest = last
        moves, place = [], start
        for first, last in order:
            if place != first:
                moves.append((first, last, place - first))
            place += last - first
        assert place == end
        return sorted(moves)


def read_tailorings(path, root, normalize, scripts):
    def collations(name):
        file = path / f"{name}.xml"
        if not file.exists():
            return None, {}
        tree = xml.etree.ElementTree.parse(file)
        found = {}
        for collation in tree.iter("collation"):
            rules = collation.find("cr")
            if rules is not None and collation.get("alt") is None:
                found.setdefault(collation.get("type"), rules.text or "")
        default = tree.find(".//defaultCollation")
        return (default.text if default is not None else None), found

    def rules_of(name):
        language, _, kind = name.partition("-u-co-")
        _, found = collations("root" if language == "und" else language.replace("-", "_"))
        kind = kind or "standard"
        if kind not in found:
            raise Unsupported(f"import {name}")
        return found[kind]

    tailorings, skipped = {}, {}
    for file in sorted(path.glob("*.xml")):
        name = file.stem
        default, found = collations(name)
        kind = default or "standard"
        if name == "root" or kind not in found:
            continue
        try:
            if name in LEFT_OUT:
                raise Unsupported("left out: too large")
            tailoring = Tailoring(root, normalize, rules_of)
            tailoring.apply(found[kind])
            moves = scripts.moves(tailoring.reorder)
            packed = tailoring.packed()
            if packed or moves or tailoring.upper_first:
                tailorings[name.lower()] = (tailoring.upper_first, moves, packed)
        except Unsupported as reason:
            skipped[name] = str(reason)
    for name in ("nb", "nn"):
        tailorings.setdefault(name, tailorings["no"])
    return tailorings, skipped


def tailoring_words(tailorings):
    """For each locale: the number of words after this one; its name in two words; 1 where capitals come first; the number
    of moves and these; the number of mappings and these: counts of scalars and elements, and both."""
    words = [len(tailorings)]
    for name, (upper_first, moves, mappings) in sorted(tailorings.items()):
        packed_name = name.encode().ljust(8, b"\0")
        assert len(packed_name) == 8, name
        part = [*struct.unpack("<2I", packed_name), int(upper_first), len(moves)]
        for first, last, delta in moves:
            part += [first, last, delta & 0xFFFFFFFF]
        part.append(len(mappings))
        for scalars, elements in mappings:
            part += [len(scalars), len(elements) // 2, *scalars, *elements]
        words += [len(part), *part]
    return words


# --- The file -----------------------------------------------------------------------------------------------------


def halves(values):
    values = values + [0] * (len(values) % 2)
    return [values[i] | values[i + 1] << 16 for i in range(0, len(values), 2)]


def write_order(path):
    """Each 16th string of the conformance test that has no half of a surrogate pair."""
    lines = path.read_text(encoding="utf-8").splitlines()
    strings = [line for line in lines if line and line[0] != "#" and not re.search(r"\bD[89A-F]..\b", line)]
    ORDER.parent.mkdir(exist_ok=True)
    ORDER.write_text(
        f"# Each 16th string of {path.name} of CLDR 41, in the order of the collation algorithm's root order, as scalars.\n"
        "# Copyright 2021 Unicode, Inc. https://www.unicode.org/license.txt. Made by scripts/make-collation.py.\n"
        + "".join(line + "\n" for line in strings[::16])
    )


def main(cldr, unicode):
    cldr, unicode = pathlib.Path(cldr), pathlib.Path(unicode)
    root = read_root(cldr / "uca" / "allkeys_CLDR.txt")
    decompositions, classes = read_unicode(unicode)
    normalize = Normalizer(decompositions, classes)
    values, elements, contractions = root_tables(root)
    index, blocks = trie(values, IMPLICIT)
    normal_values, decomposition_words = normalization_tables(decompositions, classes)
    normal_index, normal_blocks = trie(normal_values, 0)
    tailorings, skipped = read_tailorings(cldr / "collation", root, normalize, Scripts(unicode, root))
    sections = [
        halves(index), blocks, elements, contractions, halves(normal_index), halves(normal_blocks),
        decomposition_words, tailoring_words(tailorings),
    ]
    words = [VERSION, len(sections), *(len(section) for section in sections)]
    for section in sections:
        words += section
    data = base64.b64encode(struct.pack(f"<{len(words)}I", *words)).decode()
    lines = "\n".join(f"        {data[i:i + 110]}\\" for i in range(0, len(data), 110))
    TARGET.write_text(
        "// swift-format-ignore-file: made by scripts/make-collation.py, which see for the format and the sources\n"
        "// From data files that are copyright 1991-2022 Unicode, Inc. https://www.unicode.org/license.txt\n\n"
        "/// The tables of the Unicode collations.\n"
        "enum CollationData {\n"
        "    /// Words of 32 bits in base64.\n"
        f'    static let base64: StaticString = """\n{lines}\n\n        """\n}}\n'
    )
    write_order(cldr / "uca" / "CollationTest_CLDR_NON_IGNORABLE_SHORT.txt")
    print("sections", [len(section) for section in sections], "characters", len(data))
    print("locales", " ".join(sorted(tailorings)))
    for name, reason in sorted(skipped.items()):
        print("skipped", name, reason)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
