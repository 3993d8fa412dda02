"""Receives App Store Server Notifications: verifies each, records it, then answers."""

import contextlib
import json
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from receiptverify import Verifier

POLICY, DATABASE, PORT, SECONDS = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
LIMIT = 1 << 20
verifier = Verifier.from_file(POLICY)
workers = ThreadPoolExecutor(8)


def receive(body):
    """Returns the HTTP status for a body: 200 only after the database has the notification."""
    result = verifier.verify(body, "notification")
    if not result.is_verified:
        print(result.code, result.explanation, file=sys.stderr)
        return 503 if result.members["retryable"] else 400
    with contextlib.closing(sqlite3.connect(DATABASE, timeout=SECONDS)) as database, database:
        database.execute("INSERT INTO delivery VALUES (?, ?)", (body.decode(), json.dumps(result.members)))
    return 200


class Endpoint(BaseHTTPRequestHandler):
    timeout = SECONDS  # for a peer that sends nothing

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > 9 or int(length) > LIMIT:
            self.close_connection = True
            return self.answer(413)
        try:
            status = workers.submit(receive, self.rfile.read(int(length))).result(SECONDS)
        except Exception as error:  # the deadline, or the database: the store has to send it again
            print(repr(error), file=sys.stderr)
            status = 503
        self.answer(status)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


server = ThreadingHTTPServer(("127.0.0.1", PORT), Endpoint)
print(server.server_port, flush=True)
server.serve_forever()
