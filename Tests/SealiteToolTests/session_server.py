"""A server that hands out sessions to alice, whose password is "right": for the tests of `sealite login`.

Prints its port, and writes each request's method and cookie to the file that it is given.
"""

import http.server
import json
import sys

log = open(sys.argv[1], "a", buffering=1)


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        log.write(f"POST {self.path} {body['name']}\n")
        if body != {"name": "alice", "password": "right"}:
            return self.answer(401)
        self.answer(200, [("Set-Cookie", "SyncGatewaySession=abc123; Path=/db; Max-Age=3600")])

    def do_DELETE(self):
        log.write(f"DELETE {self.path} {self.headers['Cookie']}\n")
        self.answer(200)

    def log_message(self, *arguments):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
