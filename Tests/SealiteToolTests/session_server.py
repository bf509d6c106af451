"""A server that hands out sessions to alice: for the tests of `sealite login`, and of what a core of it and of `sync` holds.

Prints its port, and writes each request's method and cookie to the file that it is given. Where a file `go` is named, no
request is answered before it is there.
"""

import argparse
import http.server
import json
import os
import time

parser = argparse.ArgumentParser()
parser.add_argument("log")
parser.add_argument("--password", default="right")
parser.add_argument("--session", default="abc123")
parser.add_argument("--go")
parser.add_argument("--upgrade", type=int, default=503)
options = parser.parse_args()
log = open(options.log, "a", buffering=1)


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, headers=()):
        while options.go and not os.path.exists(options.go):
            time.sleep(0.02)
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        log.write(f"POST {self.path} {body['name']}\n")
        if body["password"] != options.password or body["name"] != "alice":
            return self.answer(401)
        self.answer(200, [("Set-Cookie", f"SyncGatewaySession={options.session}; Path=/db; Max-Age=3600")])

    def do_DELETE(self):
        log.write(f"DELETE {self.path} {self.headers['Cookie']}\n")
        self.answer(200)

    def do_GET(self):
        log.write(f"GET {self.path} {self.headers['Authorization']}\n")
        self.answer(options.upgrade)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
