#!/usr/bin/env python3
"""Runs the console sessions of a Markdown page as they stand, in one shell and one empty folder, and compares what they print.

Usage: readme-sessions.py PAGE TOOL FOLDER. A line that begins with "$ " is a command, which goes on in the next lines after a backslash
at its end and to the end of a here-document; the lines below it are its output, in which … stands for any text. A command that fails
is an error, and so are a job and a setting that are left in the shell. Another free port takes the place of 4984.
"""

import os
import re
import socket
import subprocess
import sys

page, tool, folder = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    blocks = re.findall(r"^```console\n(.*?)^```", file.read(), re.DOTALL | re.MULTILINE)
with socket.create_server(("127.0.0.1", 0)) as free:
    port = str(free.getsockname()[1])


def goes_on(lines):
    """Whether the lines of a command are not all of it."""
    document = re.search(r"<<-?'?(\w+)'?", lines[0])
    return lines[-1] != document[1] if document else lines[-1].endswith("\\")


sessions = []
for line in "".join(blocks).replace("4984", port).splitlines():
    if sessions and goes_on(sessions[-1][0]):
        sessions[-1][0].append(line)
    elif line.startswith("$ "):
        sessions.append(([line[2:]], []))
    else:
        sessions[-1][1].append(line)
if len(sessions) < 10:
    sys.exit("readme: only %d commands in %s" % (len(sessions), page))
if goes_on(sessions[-1][0]):
    sys.exit("readme: the last command of %s doesn't end" % page)
sessions.append((["jobs; env | sed -n '/^SEALITE\\|^XDG/p'"], []))

environment = {name: value for name, value in os.environ.items() if not name.startswith(("SEALITE", "XDG", "DBUS"))}
environment["PATH"] = os.path.dirname(os.path.abspath(tool)) + ":" + environment["PATH"]
environment["HOME"] = folder
mark = "--- end of a command ---"
script = "set -m\n" + "".join("%s\nprintf '\\n%s %%s\\n' $?\n" % ("\n".join(command), mark) for command, _ in sessions)
script += "kill $(jobs -p) 2>/dev/null; wait 2>/dev/null\n"
shell = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE, timeout=120)
printed = re.split(r"\n" + mark + r" (\d+)\n", shell.stdout.decode())
if len(printed) != 2 * len(sessions) + 1:
    sys.exit("readme: the shell ended after %d commands" % (len(printed) // 2))
for (command, expected), output, status in zip(sessions, printed[::2], printed[1::2]):
    pattern = ".*?".join(re.escape(part) for part in "\n".join(expected).split("…"))
    if status != "0" or not re.fullmatch(pattern, output.rstrip("\n"), re.DOTALL):
        sys.exit(
            "readme: %s\nends with %s and prints\n%s\ninstead of\n%s" % ("\n".join(command), status, output, "\n".join(expected)))
print("readme: %d commands print what it says" % (len(sessions) - 1))
