#!/usr/bin/env python3
"""Makes an object file with the part of ICU's tables that the tool needs, 3 MB instead of 34, and prints the flags that link it.

cut-icu-data.py SWIFT FOLDER

Foundation links ICU, whose tables are one object of the toolchain's static library. The linker's `--wrap` replaces their symbol by that of
the object made here, which has the root's tables and those of English: nothing that the tool prints depends on another language. The object
is made anew only if the library or this script changed. Nothing is printed, and all tables are linked, if the toolchain has no such library.

The tables are a package of named items (common/ucmndata.h of ICU): a header, the number of items, for each item the offsets of its name
and of its data, the names in order, and the data, each item at a multiple of 16 bytes.
"""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

MEMBER = "icu_packaged_data.cpp.o"
# Of the tables of locales.
LOCALES = {"root", "en", "en_001", "en_US", "en_US_POSIX", "pool", "res_index"}
# Transliteration, spelled-out numbers, names of languages, regions, units and characters.
LEFT_OUT = {"translit", "rbnf", "lang", "region", "unit", "unames.icu", "confusables.cfu"}
# Dictionaries and rules for breaking lines; encodings, which Foundation converts itself; profiles of the names of protocols.
LEFT_OUT_FILES = re.compile(r"brkitr/.*dict\.dict|brkitr/line.*\.brk|.*\.(cnv|spp)")
LOCALE_NAME = re.compile(r"[a-z]{2,3}(_[A-Za-z0-9]+)*$")


def is_kept(name):
    """Whether an item, by its name without the package's, is needed."""
    folder, _, file = name.rpartition("/")
    stem, _, kind = file.rpartition(".")
    if name in LEFT_OUT or folder in LEFT_OUT or LEFT_OUT_FILES.fullmatch(name):
        return False
    return kind != "res" or not LOCALE_NAME.match(stem) or stem in LOCALES


def cut(package):
    """The package with the needed items alone."""
    header_size, = struct.unpack_from("<H", package, 0)
    count, = struct.unpack_from("<I", package, header_size)
    offsets = [struct.unpack_from("<II", package, header_size + 4 + 8 * item) for item in range(count)]
    ends = [data for _, data in offsets[1:]] + [len(package) - header_size]
    items = []
    for (name_offset, data_offset), end in zip(offsets, ends):
        start = header_size + name_offset
        name = package[start:package.index(b"\0", start)]
        if is_kept(name.decode().partition("/")[2]):
            items.append((name, package[header_size + data_offset:header_size + end]))
    names, contents, entries = b"", b"", []
    names_start = 4 + 8 * len(items)
    data_start = -(-(names_start + sum(len(name) + 1 for name, _ in items) + header_size) // 16) * 16 - header_size
    for name, content in items:
        entries.append((names_start + len(names), data_start + len(contents)))
        names += name + b"\0"
        contents += content + bytes(-len(content) % 16)
    table = struct.pack("<I", len(items)) + b"".join(struct.pack("<II", *entry) for entry in entries) + names
    return package[:header_size] + table.ljust(data_start, b"\0") + contents


def flags(swift, folder):
    """The linker's flags, after making the object if it is missing or older than what it is made of; None without the library."""
    info = subprocess.run([swift, "-print-target-info", "-static-stdlib"], check=True, capture_output=True, text=True).stdout
    library = pathlib.Path(json.loads(info)["paths"]["runtimeResourcePath"]) / "linux/lib_FoundationICU.a"
    made, symbol_file = folder / "icu-data.o", folder / "symbol"
    if not library.exists():
        return None
    newest = max(path.stat().st_mtime for path in (library, pathlib.Path(__file__)))
    if not (made.exists() and symbol_file.exists() and made.stat().st_mtime > newest):
        folder.mkdir(parents=True, exist_ok=True)
        symbol_file.write_text(make(library, made))
    return f"-Xlinker --wrap={symbol_file.read_text()} -Xlinker {made}"


def make(library, output):
    """Writes the object, and returns the symbol of the tables that it replaces."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run(["ar", "x", library, MEMBER], check=True, cwd=folder)
        symbols = subprocess.run(["nm", "--defined-only", MEMBER], check=True, capture_output=True, text=True, cwd=folder).stdout
        symbol = re.search(r"\b(icudt\d+_dat)$", symbols, re.MULTILINE).group(1)
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata", MEMBER, "whole.dat"], check=True, cwd=folder)
        package = (folder / "whole.dat").read_bytes()
        if package[12:16] != b"CmnD":
            sys.exit(f"cut-icu-data: the tables of {library} have another form")
        (folder / "cut.dat").write_bytes(cut(package))
        (folder / "data.s").write_text(f"""
            .section .rodata,"a",@progbits
            .balign 16
            .globl __wrap_{symbol}
            .type __wrap_{symbol}, @object
        __wrap_{symbol}:
            .incbin "cut.dat"
            .size __wrap_{symbol}, . - __wrap_{symbol}
            .section .note.GNU-stack,"",@progbits
        """)
        subprocess.run(["as", "data.s", "-o", output], check=True, cwd=folder)
        return symbol


if __name__ == "__main__":
    print(flags(sys.argv[1], pathlib.Path(sys.argv[2]).absolute()) or "")
