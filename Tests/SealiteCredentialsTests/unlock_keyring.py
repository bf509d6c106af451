#!/usr/bin/python3
"""Unlocks gnome-keyring's login collection through its control socket, as its PAM module does.

unlock_keyring.py SOCKET, the password on standard input; exit status 0 when it was unlocked.
"""

import socket
import struct
import sys

UNLOCK = 1
password = sys.stdin.buffer.read()
message = struct.pack(">III", 12 + len(password), UNLOCK, len(password)) + password
with socket.socket(socket.AF_UNIX) as control:
    control.connect(sys.argv[1])
    # The byte that carries the sender's credentials goes first.
    control.sendall(b"\0")
    control.sendall(message)
    answer = b""
    while len(answer) < 8:
        part = control.recv(8 - len(answer))
        if not part:
            sys.exit("gnome-keyring closed the control socket")
        answer += part
sys.exit(struct.unpack(">II", answer)[1])
