#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The model of predict.py behind HTTP, for `--model-url http://127.0.0.1:8000/invocations`.

Usage: serve.py [PORT]    (0: any free port, which is printed)
"""
import http.server
import json
import sys

from predict import probability


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps the connection
    disable_nagle_algorithm = True  # sends an answer at once, though it is written in two parts

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        frame = request["dataframe_split"]
        answers = [probability(dict(zip(frame["columns"], row))) for row in frame["data"]]
        body = json.dumps({"predictions": answers}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/invocations", flush=True)
        server.serve_forever()
