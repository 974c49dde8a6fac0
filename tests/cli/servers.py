# SPDX-License-Identifier: Apache-2.0
"""Servers for the tests of the program: a model over HTTP, and servers that mean harm."""
import http.server
import json
import math
import socket
import ssl
import subprocess
import threading
import time


class Server:
    """Runs an HTTP server in threads while it is open."""

    def __init__(self, handler, certificate=None):
        class Quiet(handler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
        self.server.daemon_threads = True
        self.scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            self.scheme = "https"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()

    def url(self, path="/"):
        return f"{self.scheme}://127.0.0.1:{self.server.server_address[1]}{path}"


class Model(http.server.BaseHTTPRequestHandler):
    """A model of world.people(); rows with an income above `nan_above` have no answer."""

    seen = []  # headers of the requests
    pause = 0
    nan_above = math.inf

    def do_POST(self):
        type(self).seen.append(dict(self.headers))
        data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["dataframe_split"]
        income, debt = (data["columns"].index(name) for name in ("income", "debt"))
        time.sleep(self.pause)
        answers = []
        for row in data["data"]:
            score = 0.3 * (float(row[income]) - float(row[debt]) - 20)
            answers.append(math.nan if float(row[income]) > self.nan_above
                           else 1 / (1 + math.exp(-score)))
        body = json.dumps(answers).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def answering(status, headers, body=b""):
    """A handler that gives every request this answer."""
    class Fixed(http.server.BaseHTTPRequestHandler):
        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if "Content-Length" not in headers:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True

        do_GET = do_POST = answer
    return Fixed


def streaming(start, piece, pause=0):
    """A handler that writes `start`, and then `piece` until somebody hangs up."""
    class Endless(http.server.BaseHTTPRequestHandler):
        def answer(self):
            self.close_connection = True
            try:
                self.connection.sendall(start)
                while piece:
                    self.connection.sendall(piece)
                    time.sleep(pause)
                time.sleep(1000)
            except OSError:
                pass

        do_GET = do_POST = answer
    return Endless


def self_signed(folder):
    """A certificate for 127.0.0.1 that nobody has signed but itself, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=croco test",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    return certificate, key


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
