#!/usr/bin/env python3
"""Makes the manual pages from the tool's own help: sealite.1, and a page for each command, which `man sealite key list` shows.

    scripts/make-man.py TOOL FOLDER
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys

TITLES = {None: "OPTIONS", "Keys": "KEYS", "Credential store": "CREDENTIAL STORE"}


def escaped(text):
    """Text that roff shows as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(sign if ord(sign) < 128 else f"\\[u{ord(sign):04X}]" for sign in text)
    return "\\&" + text if text[:1] in (".", "'") else text


def paragraphs(text):
    lines = []
    for index, paragraph in enumerate(text.strip().split("\n\n")):
        if index:
            lines.append(".PP")
        if all(line.startswith(" ") for line in paragraph.split("\n")) or "\n  " in paragraph:
            lines += [".nf", *map(escaped, paragraph.split("\n")), ".fi"]
        else:
            lines += map(escaped, paragraph.split("\n"))
    return lines


def spelled(argument):
    """An argument as it is typed: -k, --key-file <key-file>."""
    if argument["kind"] == "positional":
        return "<" + argument["valueName"] + ">"
    names = [("--" if name["kind"] == "long" else "-") + name["name"]
             for name in argument.get("names", [])]
    value = f" <{argument['valueName']}>" if argument["kind"] == "option" else ""
    return ", ".join(names) + value


def usage(argument):
    if argument["kind"] == "positional":
        text = spelled(argument)
    else:
        text = ("--" if argument["preferredName"]["kind"] == "long" else "-") + argument["preferredName"]["name"]
        text += f" <{argument['valueName']}>" if argument["kind"] == "option" else ""
    text += " ..." if argument["isRepeating"] else ""
    return "[" + text + "]" if argument["isOptional"] else text


def described(argument):
    parts = [argument.get("abstract", ""), argument.get("discussion", "")]
    if argument.get("defaultValue"):
        parts.append(f"Default: {argument['defaultValue']}.")
    if argument.get("allValues"):
        parts.append(f"Values: {', '.join(argument['allValues'])}.")
    return [escaped(" ".join(part.strip() for part in parts if part))]


def page(words, command, others):
    name = "-".join(words)
    shown = [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]
    own = [argument for argument in shown if argument.get("sectionTitle") not in ("Keys", "Credential store")]
    day = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp())))
    lines = [
        f'.TH "{name.upper()}" 1 "{day:%Y-%m-%d}" "Sealite" "Sealite"', ".SH NAME",
        escaped(f"{name} - {command.get('abstract', '').rstrip('.')}"),
        ".SH SYNOPSIS", ".B " + escaped(" ".join(words)),
        escaped(" ".join([usage(argument) for argument in own] + (["..."] if len(own) < len(shown) else []))),
    ]
    commands = [one for one in command.get("subcommands", []) if one.get("shouldDisplay", True)]
    if commands:
        lines[-1] = "<command> ..."
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *paragraphs(command["discussion"])]
    sections = {}
    for argument in shown:
        title = "ARGUMENTS" if argument["kind"] == "positional" else argument.get("sectionTitle")
        sections.setdefault(TITLES.get(title, title.upper() if title else "OPTIONS"), []).append(argument)
    for title in sorted(sections, key=lambda title: (title != "ARGUMENTS", title != "OPTIONS", title in TITLES.values())):
        lines.append(f'.SH "{title}"')
        for argument in sections[title]:
            lines += [".TP", ".B " + escaped(spelled(argument)), *described(argument)]
    if commands:
        lines.append(".SH COMMANDS")
        for one in commands:
            lines += [".TP", ".B " + escaped(one["commandName"]), escaped(one.get("abstract", ""))]
    if others:
        lines += [".SH SEE ALSO", ", ".join(f"\\fB{escaped(other)}\\fR(1)" for other in others)]
    return name, "\n".join(line for line in lines if line) + "\n"


def pages(words, command):
    commands = [one for one in command.get("subcommands", []) if one.get("shouldDisplay", True)]
    above = ["-".join(words[:-1])] if len(words) > 1 else []
    yield page(words, command, above + ["-".join(words + [one["commandName"]]) for one in commands])
    for one in commands:
        yield from pages(words + [one["commandName"]], one)


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    help_text = subprocess.run([tool, "--experimental-dump-help"], check=True, capture_output=True).stdout
    folder.mkdir(parents=True, exist_ok=True)
    command = json.loads(help_text)["command"]
    for name, text in pages([command["commandName"]], command):
        (folder / f"{name}.1").write_text(text)


main()
