"""Holds as many connections to a listener as it takes, without a credential and in silence, and opens each that is closed anew,
while an honest peer syncs.

hold_connections.py WAY TOOL runs `TOOL serve server.db` in the current folder, where `key` holds the key of server.db and client.db,
and prints a line of JSON: how many connections were open at once, the exit codes of honest syncs meanwhile, what those that failed
said last, and the exit code of the listener.

silent     connections that send nothing, all from one address
scattered  the same from 200 addresses of this machine (127.0.1.1 and so on), as a net of machines would
begun      connections that send the beginning of a request, and stop
"""

import json
import os
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time

way, tool = sys.argv[1:]
COUNT, SECONDS, SYNCS = 400, 20, 4
resource.setrlimit(resource.RLIMIT_NOFILE, (min(4_096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
most, isOver = 0, threading.Event()


def hold(port):
    """Keeps `COUNT` connections open until it is told to stop."""
    global most
    held, opened, poll, deadline = {}, 0, select.poll(), time.monotonic() + SECONDS
    while not isOver.is_set() and time.monotonic() < deadline:
        while len(held) < COUNT:
            connection = socket.socket()
            try:
                if way == "scattered":
                    connection.bind((f"127.0.1.{1 + opened % 200}", 0))
                connection.settimeout(1)
                connection.connect(("127.0.0.1", port))
                connection.settimeout(None)
                if way == "begun":
                    connection.send(b"GET /server/_blipsync HTTP/1.1\r\nHost: ")
            except OSError:
                connection.close()
                break
            opened += 1
            held[connection.fileno()] = connection
            poll.register(connection, select.POLLIN)
        most = max(most, len(held))
        for number, _ in poll.poll(20):
            poll.unregister(number)
            held.pop(number).close()
        # As often as it pays: a listener that closes what is idle is asked again, but not in a busy loop.
        time.sleep(0.02)
    for connection in held.values():
        connection.close()


server = subprocess.Popen(
    [tool, "serve", "server.db", "--key-file", "key", "--anyone", "--plain", "--json"],
    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
try:
    url = json.loads(server.stdout.readline())["urls"][0]
    port = int(re.match(r"ws://[^:/]+:(\d+)/", url).group(1))
    attacker = threading.Thread(target=hold, args=(port,))
    attacker.start()
    time.sleep(1.5)
    honest, errors = [], []
    for _ in range(SYNCS):
        # On a machine with other work an attempt may meet a moment in which all places are taken: a client tries again.
        outcome = subprocess.run(
            [tool, "sync", "client.db", url, "--key-file", "key", "--anonymous", "--attempts", "5"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=600)
        honest.append(outcome.returncode)
        errors += outcome.stderr.splitlines()[-1:] if outcome.returncode else []
    isOver.set()
    attacker.join()
    server.send_signal(signal.SIGTERM)
    status = server.wait(300)
finally:
    isOver.set()
    if server.poll() is None:
        server.kill()
        server.wait()
print(json.dumps({"held": most, "honest": honest, "errors": errors, "status": status}))
