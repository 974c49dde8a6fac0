#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`croco serve` under load: statuses, throughput, memory, and how soon a client who leaves frees a worker.

Usage: benchmarks/serve_load.py [--program build/release/apps/cli/croco] [--library build/bench/benchmarks/tools/service_throughput]
           [--model FILE] [--data german] [--seconds 60] [--connections 64] [--queue 64] [--check]

Asks `explain` about people whom the model rejects, one question after another on each connection; who gets
503 asks again after the time that the answer names. With --library the same questions are put to the
library without a server, before and after, on as many threads as the server has workers. Memory is what
the server's process has in use after the first sixth of the time, and the most after that. Without --model
a network is trained on the data. --check exits with 1 when a bar is missed.
"""
import argparse
import asyncio
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

MEGABYTE = 1 << 20
TARGETS = (0.05, 0.1, 0.2)
#: The bars: bytes of growth, the share of the library's throughput, seconds until a worker is free.
GROWTH = 5 * MEGABYTE
SHARE = 0.8
FREED = 0.2


class Server:
    """`croco serve` on a free port."""

    def __init__(self, program, model, data, *options):
        words = [program, "serve", "--model", model, "--data", data, "--port", "0", "--log", "off", *options]
        self.process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.port = None
        for line in self.process.stderr:
            found = re.search(r"http://[^ ]*:(\d+)/", line)
            if found:
                self.port = int(found[1])
                break
        if self.port is None:
            raise SystemExit("the server did not start")

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path)
            return connection.getresponse().read()
        finally:
            connection.close()

    def metric(self, name):
        return float(re.search(rf"^{name} (\S+)$", self.get("/metrics").decode(), re.MULTILINE)[1])

    def resident(self):
        """Bytes of memory."""
        statm = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii")
        return int(statm.split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def processor_seconds(self):
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        user, system = stat.rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.terminate()
        code = self.process.wait(60)
        self.process.stderr.close()
        return code


def questions_for(server, people):
    """A question about each of some rejected people, the targets in turn."""
    listed = json.loads(server.get(f"/api/v1/people?decision=rejected&limit={people}"))["people"]
    return [json.dumps({"person": {"row": person["row"]}, "target": TARGETS[i % len(TARGETS)],
                        "reasons": False}) for i, person in enumerate(listed)]


def request(path, body):
    return (f"POST /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


async def read_answer(reader):
    """Status, seconds to wait before asking again, and length of the body."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = int(re.search(r"content-length: (\d+)", head, re.IGNORECASE)[1])
    await reader.readexactly(length)
    wait = re.search(r"retry-after: (\d+)", head, re.IGNORECASE)
    return int(head.split()[1]), float(wait[1]) if wait else 0.0


class Load:
    """Many connections that ask for a time."""

    def __init__(self, server, questions, connections, seconds):
        self.server = server
        self.questions = [request("explain", one) for one in questions]
        self.connections = connections
        self.seconds = seconds
        self.statuses = {}
        self.resident = []
        self.next = 0

    async def client(self, end):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        while time.monotonic() < end:
            writer.write(self.questions[self.next % len(self.questions)])
            self.next += 1
            status, wait = await read_answer(reader)
            self.statuses[status] = self.statuses.get(status, 0) + 1
            if wait > 0:
                await asyncio.sleep(min(wait, max(0.0, end - time.monotonic())))
        writer.close()

    async def watch(self, begin, end):
        while time.monotonic() < end:
            self.resident.append((time.monotonic() - begin, self.server.resident()))
            await asyncio.sleep(0.25)

    async def run(self):
        begin = time.monotonic()
        processor = self.server.processor_seconds()
        await asyncio.gather(self.watch(begin, begin + self.seconds),
                             *(self.client(begin + self.seconds) for _ in range(self.connections)))
        self.took = time.monotonic() - begin
        self.processor = self.server.processor_seconds() - processor

    @property
    def answered(self):
        return self.statuses.get(200, 0)

    @property
    def growth(self):
        """Bytes beyond those after the first sixth of the time."""
        settled = [size for when, size in self.resident if when >= self.seconds / 6]
        return max(settled) - settled[0]


def freed_seconds(server, path, body, socket_time=0.15):
    """How long a worker works on after its client went away; None when it was done before."""
    with socket.create_connection(("127.0.0.1", server.port)) as asking:
        asking.sendall(request(path, json.dumps(body)))
        time.sleep(socket_time)
        if server.metric("croco_workers_busy") == 0:
            return None
    begin = time.monotonic()
    while server.metric("croco_workers_busy") > 0:
        time.sleep(0.001)
    return time.monotonic() - begin


def long_work(server):
    """Questions that take long, by operation."""
    people = json.loads(server.get("/api/v1/people?decision=rejected&sort=score&limit=1"))["people"]
    person = {"person": {"row": people[0]["row"]}, "max_samples": 1_000_000, "confidence": 0.999999}
    return {"explain": {**person, "target": 0.001, "alternatives": 16},
            "tradeoff": {**person, "targets": [0.001 * (k + 1) for k in range(24)]},
            "compare": {**person, "target": 0.002},
            "letter": {**person, "target": 0.001, "alternatives": 16}}


def library(options, model, folder, questions, seconds):
    """Answers a second, and milliseconds of the processor per answer."""
    path = folder / "questions.txt"
    path.write_text("\n".join(questions) + "\n", encoding="utf-8")
    words = [options.library, model, options.data, path, seconds, options.workers]
    out = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout
    return tuple(map(float, out.split()))


def measure(server, options, model, folder):
    """The bars that were missed."""
    missed = []
    questions = questions_for(server, options.people)
    rates = []
    if options.library:
        rates.append(library(options, model, folder, questions, options.seconds / 6))
    warm = Load(server, questions, options.workers, options.seconds / 6)  # fills what is kept
    asyncio.run(warm.run())
    load = Load(server, questions, options.connections, options.seconds)
    asyncio.run(load.run())
    print(f"{options.connections} connections, {load.took:.0f} s: statuses {load.statuses}")
    if not set(load.statuses) <= {200, 503}:
        missed.append("another status than 200 and 503")
    print(f"memory: {load.resident[-1][1] / MEGABYTE:.1f} MB, growth after the first sixth "
          f"{load.growth / MEGABYTE:.2f} MB")
    if load.growth > GROWTH:
        missed.append("memory grows")
    throughput = load.answered / load.took
    own = 1000 * load.processor / max(1, load.answered)
    print(f"server: {throughput:.1f} answers a second, {own:.3f} ms of the processor each")
    if options.library:
        rates.append(library(options, model, folder, questions, options.seconds / 6))
        before, after = rates
        print(f"library: {before[0]:.1f} answers a second before and {after[0]:.1f} after, {before[1]:.3f} "
              f"and {after[1]:.3f} ms each; the server has "
              f"{2 * throughput / (before[0] + after[0]):.3f} of it")
        if throughput < SHARE * (before[0] + after[0]) / 2:
            missed.append("throughput")
    for path, body in long_work(server).items():
        times = [freed_seconds(server, path, body) for _ in range(5)]
        known = [one for one in times if one is not None]
        if not known:
            print(f"{path}: done before anybody could leave")
            continue
        print(f"{path}: a worker is free {1000 * max(known):.0f} ms after its client left, at most")
        if max(known) > options.slack * FREED:
            missed.append(f"{path} frees its worker late")
    if server.end() != 0:
        missed.append("the exit code is not 0")
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--library", help="service_throughput of the benchmarks")
    parser.add_argument("--model")
    parser.add_argument("--data", default="german")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--queue", type=int, default=64)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--slack", type=float, default=1,
                        help="how much longer a worker may take to be free on a busy machine")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a bar is missed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = options.model or folder / "model.json"
        if not options.model:
            subprocess.run([options.program, "train", "--data", options.data, "--seed", "1", "--output",
                            str(model)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server = Server(options.program, model, options.data, "--workers", options.workers, "--queue",
                        options.queue)
        try:
            missed = measure(server, options, model, folder)
        finally:
            server.process.kill()
    if missed:
        print("missed: " + "; ".join(missed))
    return 1 if missed and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
