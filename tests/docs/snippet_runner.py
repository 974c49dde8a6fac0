# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of one page in a folder of its own, as tests/docs/snippet_reader.py reads them."""
import atexit
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

from snippet_reader import blocks_of, parse_json

TIME_LIMIT = 300

DRIVER = r"""
import contextlib, io, json, sys, traceback
names = {"__name__": "__main__"}
for line in sys.stdin:
    said = io.StringIO()
    failed = None
    with contextlib.redirect_stdout(said):
        try:
            exec(compile(json.loads(line), "snippet", "exec"), names)
        except BaseException:
            failed = traceback.format_exc()
    sys.__stdout__.write(json.dumps({"said": said.getvalue(), "failed": failed}) + "\n")
    sys.__stdout__.flush()
"""


def expected_matches(wanted, printed):
    """Whether `wanted`, with `...` for what is left out, is what was printed."""
    parts = []
    for line in wanted.rstrip().splitlines():
        parts.append(r"(?:.*\n)*?" if line.strip() == "..." else
                     ".*?".join(re.escape(part) for part in line.rstrip().split("...")) + r" *\n")
    return re.fullmatch("".join(parts) + r"\s*", printed.rstrip() + "\n") is not None


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def listens(process, port):
    """Waits until the process accepts connections; False when it ended or is too slow."""
    for _ in range(300):
        if process.poll() is not None:
            return False
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.1)
    return False


class Page:
    """Runs the blocks of one page in a folder of its own."""

    def __init__(self, path, arguments):
        self.path, self.arguments = path, arguments
        self.name = path.relative_to(arguments.source).as_posix()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="croco-page-"))
        self.faults, self.ran, self.skipped = [], 0, []
        self.printed, self.python, self.background = None, None, []
        self.ports = {}  # those that the page shows, and those that are used instead
        tools = self.folder / ".bin"
        tools.mkdir()
        (tools / "croco").symlink_to(arguments.program)
        self.environment = {
            **os.environ, "HOME": str(self.folder), "NO_COLOR": "1",
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "CROCO_SOURCE": str(arguments.source), "PYTHONDONTWRITEBYTECODE": "1"}
        self.environment.pop("CROCO_DATA_DIR", None)
        atexit.register(self.close)

    def close(self):
        for process in [*self.background, *([self.python] if self.python else [])]:
            process.terminate()
            process.wait()
        self.background, self.python = [], None
        shutil.rmtree(self.folder, ignore_errors=True)

    def fault(self, block, text):
        self.faults.append(f"{self.name}:{block.line}: {text}")

    def run(self):
        for block in blocks_of(self.path.read_text(encoding="utf-8")):
            how = block.words[0] if block.words else ""
            if how == "by":
                self.printed = None
            elif how == "needs" and (missing := self.missing(block.words[1:])):
                self.skipped.append(f"{self.name}:{block.line}: needs {missing}")
                self.printed = None
            elif how in ("file", "merge"):
                self.write(block, how, block.words[1])
            elif block.language == "sh":
                self.run_shell(block, how)
            elif block.language.startswith("python"):
                self.run_python(block)
            elif block.language == "output":
                self.compare(block)
            if self.faults:
                return  # what follows rests on it

    def missing(self, needs):
        if needs == ["data"]:
            return "" if os.environ.get("CROCO_TEST_DATA_DIR") else "CROCO_TEST_DATA_DIR"
        if not self.arguments.python:
            return "the Python package"
        code = "; ".join(f"import {name}" for name in needs)
        found = subprocess.run([self.arguments.python, "-c", code], capture_output=True, check=False)
        return "" if found.returncode == 0 else " ".join(needs)

    def write(self, block, how, name):
        path = self.folder / name
        if how == "file":
            path.write_text(block.text, encoding="utf-8")
            return
        schema = json.loads(path.read_text(encoding="utf-8"))
        part = parse_json(block.text)
        if "name" in part:
            known = [one for one in schema["features"] if one["name"] == part["name"]]
            if not known:
                self.fault(block, f"{name} has no feature '{part['name']}'")
                return
            known[0].clear()
            known[0].update(part)
        else:
            schema.update(part)
        path.write_text(json.dumps(schema), encoding="utf-8")

    def run_shell(self, block, how):
        if how == "background":
            self.serve(block, block.words[1])
            return
        wanted = int(block.words[1]) if how == "exit" else 0
        try:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", self.with_ports(block.text)],
                                  cwd=self.folder, env=self.environment, text=True, capture_output=True,
                                  timeout=TIME_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            self.fault(block, f"took more than {TIME_LIMIT} s")
            return
        self.ran += 0 if block.setup else 1
        self.printed = self.as_shown(done.stdout + done.stderr)
        if done.returncode != wanted:
            self.fault(block, f"ended with {done.returncode}, not {wanted}:\n{block.text}"
                              f"{done.stdout[-2000:]}{done.stderr[-2000:]}")

    def serve(self, block, shown):
        """Starts a server on a free port, since the one that the page shows may be taken here."""
        command = block.text.strip().split("#")[0]
        if not re.search(rf"\b{shown}\b", command):
            command += f" --port {shown}"  # the port is the server's default
        for _ in range(3):  # somebody else may take a free port before the server does
            self.ports[shown] = free_port()
            with (self.folder / ".background").open("w") as log:
                process = subprocess.Popen(["bash", "-c", "exec " + self.with_ports(command)],
                                           cwd=self.folder, env=self.environment, stdout=log, stderr=log)
            self.background.append(process)
            if listens(process, self.ports[shown]):
                self.ran += 1
                return
        self.fault(block, "nothing listens:\n" +
                   (self.folder / ".background").read_text(encoding="utf-8")[-1000:])

    def with_ports(self, text):
        for shown, real in self.ports.items():
            text = re.sub(rf"\b{shown}\b", str(real), text)
        return text

    def as_shown(self, text):
        for shown, real in self.ports.items():
            text = re.sub(rf"\b{real}\b", shown, text)
        return text

    def run_python(self, block):
        if not self.arguments.python:
            if not block.setup:
                self.skipped.append(f"{self.name}:{block.line}: needs the Python package")
            self.printed = None
            return
        if self.python is None:
            self.python = subprocess.Popen([self.arguments.python, "-c", DRIVER], cwd=self.folder,
                                           env=self.environment, text=True, stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE)
        self.python.stdin.write(json.dumps(self.with_ports(block.text)) + "\n")
        self.python.stdin.flush()
        line = self.python.stdout.readline()
        if not line:
            self.fault(block, "the interpreter ended")
            return
        answer = json.loads(line)
        self.ran += 0 if block.setup else 1
        self.printed = self.as_shown(answer["said"])
        if answer["failed"]:
            self.fault(block, answer["failed"])

    def compare(self, block):
        if self.printed is not None and not expected_matches(block.text, self.printed):
            self.fault(block, f"the page shows\n{block.text}and this was printed:\n{self.printed}")
