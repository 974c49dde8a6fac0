# SPDX-License-Identifier: Apache-2.0
"""What the tests of `croco serve` share: a running server, and asking it."""
import http.client
import json
import re
import socket
import subprocess
import threading
import time

from world import ProgramTest


class Answer:
    """Status, headers and body of an answer."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()
        self.media = self.headers.get("content-type", "").split(";")[0]

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """`croco serve` on a free port of the loopback; the log is read while it runs."""

    def __init__(self, command, folder):
        self.process = subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
        self.lines = []
        self.port = None
        self.found = threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        if not self.found.wait(60) or self.port is None:
            self.process.kill()
            raise AssertionError("the server did not start:\n" + "".join(self.lines))

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            match = re.search(r"https?://[^ ]*:(\d+)/", line)
            if match and self.port is None:
                self.port = int(match[1])
                self.found.set()
        self.found.set()

    @property
    def log(self):
        return "".join(self.lines)

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def socket(self, timeout=10):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def ask(self, method, path, body=None, **headers):
        connection = self.connect()
        try:
            text = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
            head = {name.replace("_", "-"): value for name, value in headers.items()}
            if text is not None and "Content-Type" not in head:
                head["Content-Type"] = "application/json"
            connection.request(method, path, text, head)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.ask("GET", path, None, **headers)

    def post(self, name, body, **headers):
        return self.ask("POST", "/api/v1/" + name, body, **headers)

    def metric(self, name):
        match = re.search(rf"^{name} (\S+)$", self.get("/metrics").body.decode(), re.MULTILINE)
        return float(match[1])

    def resident(self):
        """Bytes of memory."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096

    def end(self):
        self.process.terminate()
        code = self.process.wait(30)
        self.reader.join(10)
        self.process.stderr.close()
        return code


class ServerTest(ProgramTest):
    """Has a server for all tests of the class."""

    OPTIONS = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.serve(*cls.OPTIONS)
        cls.addClassCleanup(cls.server.process.kill)

    @classmethod
    def serve(cls, *options):
        return Server(cls.command("serve", "--model", "model.json", "--data", "people.csv", "--port", 0,
                                  *options), cls.folder)

    def eventually(self, holds, seconds=5.0):
        deadline = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), deadline, "it did not happen in time")
            time.sleep(0.01)
