#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that mean harm, secrets on the way to a model, and models that take long.

Usage: servers_test.py --program build/release/apps/cli/croco
"""
import contextlib
import gzip
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import time
import unittest

import servers
import world

ADVICE = ("explain", "--data", "people.csv", "--schema", "people.schema.json",
          "--noise", "gaussian:sd=0.02", "--noise-on", "continuous", "--target", "0.2")
QUICK = ("--search-rows", "4000", "--max-samples", "1000", "--reasons", "off")
# 1 GB of address space is what the program needs; more would be a server's doing.
MEMORY = 1 << 30


class ServerTest(world.ProgramTest):
    PEOPLE = 60

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.croco("inspect", "people.csv", "--label", "accepted")

    def run_croco(self, *words, environment=None, limit_memory=False):
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))

        clean = {name: value for name, value in os.environ.items()
                 if not name.lower().endswith("_proxy")}
        return subprocess.run(self.command(*words), cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False, env={**clean, **(environment or {})},
                              preexec_fn=limit if limit_memory else None)


class Harm(ServerTest):
    def check(self, handler, message, certificate=None, fetch_message=None, environment=None,
              code=5):
        with servers.Server(handler, certificate) as server:
            start = time.monotonic()
            done = self.run_croco(*ADVICE, *QUICK, "--model-url", server.url("/predict"),
                                  "--model-timeout", "5", environment=environment,
                                  limit_memory=True)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(message, done.stderr)
            done = self.run_croco("data", "fetch", "adult", "--data-dir", "fetched", "--url",
                                  server.url("/adult.csv"), environment=environment,
                                  limit_memory=True)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn(fetch_message or message, done.stderr)
            self.assertFalse((self.folder / "fetched").exists())
            self.assertLess(time.monotonic() - start, 60)

    def test_an_endless_header(self):
        long = "its headers are longer than 65536 bytes"
        self.check(servers.streaming(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 65536), long)
        self.check(servers.streaming(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 10000), long)

    def test_an_endless_body(self):
        self.check(servers.streaming(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536),
                   "its answer to 256 rows is longer than 98304 bytes",
                   fetch_message="larger than the limit of 268435456 bytes")

    def test_a_wrong_content_length(self):
        self.check(servers.answering(200, {"Content-Length": "5000"}, b"[0.5"),
                   "the connection was cut after 4 of 5000 bytes")
        self.check(servers.answering(200, {"Content-Length": "999999999999999"}, b"[0.5"),
                   "its answer to 256 rows is longer than 98304 bytes",
                   fetch_message="larger than the limit of 268435456 bytes")

    def test_redirects(self):
        # The rows of people go nowhere else.
        self.check(servers.answering(302, {"Location": "file:///etc/passwd"}), "HTTP 302",
                   fetch_message="redirects to 'file:///etc/passwd'; only http:// and https://")
        self.check(servers.answering(307, {"Location": "/again"}), "HTTP 307",
                   fetch_message="more than 5 redirects")

    def test_what_is_packed_stays_packed(self):
        bomb = gzip.compress(b"[" + b"0" * 50_000_000)
        self.check(servers.answering(200, {"Content-Encoding": "gzip"}, bomb),
                   "its answer is no JSON: \\x1f\\x8b", fetch_message="the file is another one",
                   code=4)

    def test_errors_with_a_text(self):
        self.check(servers.answering(401, {}, b"who are\nyou? \x1b[2J"), "HTTP 401: who are you? \\x1b",
                   fetch_message="HTTP 401")
        self.check(servers.answering(500, {}), "HTTP 500")

    def test_a_slow_drip(self):
        with servers.Server(servers.streaming(b"HTTP/1.1 200 OK\r\n\r\n", b" ", 0.05)) as server:
            start = time.monotonic()
            done = self.run_croco(*ADVICE, *QUICK, "--model-url", server.url(), "--model-timeout",
                                  "1")
            self.assertIn("no answer to 256 rows within 1 s (model-timeout)", done.stderr)
            self.assertLess(time.monotonic() - start, 20)

    def test_a_certificate_that_nobody_trusts(self):
        certificate = servers.self_signed(self.folder)
        self.check(servers.Model, "no secure connection: the server's certificate is not trusted",
                   certificate)
        trusting = {"SSL_CERT_FILE": str(certificate[0])}
        with servers.Server(servers.Model, certificate) as server:
            done = self.run_croco(*ADVICE, *QUICK, "--rows", "0:2", "--model-url", server.url(),
                                  environment=trusting)
            self.assertEqual(done.returncode, 0, done.stderr)
        # Nor does a redirect lead out of HTTPS.
        self.check(servers.answering(302, {"Location": "http://127.0.0.1:1/"}), "HTTP 302",
                   certificate, environment=trusting,
                   fetch_message="redirects to 'http://127.0.0.1:1/'; only https:// is followed")

    def test_a_proxy(self):
        done = self.run_croco(
            *ADVICE, *QUICK, "--model-url", "http://model.invalid/",
            environment={"http_proxy": f"http://127.0.0.1:{servers.free_port()}"})
        self.assertEqual(done.returncode, 5)
        with servers.Server(servers.Model) as server:
            done = self.run_croco(*ADVICE, *QUICK, "--rows", "0:2", "--model-url",
                                  "http://model.invalid/", environment={"http_proxy": server.url()})
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.run_croco(*ADVICE, *QUICK, "--model-url", "http://model.invalid/",
                                  environment={"http_proxy": server.url(), "no_proxy": "*"})
            self.assertEqual(done.returncode, 5)
            self.assertIn("no connection to http://model.invalid", done.stderr)


class Secrets(ServerTest):
    def everything(self, done):
        """All that a run wrote, anywhere."""
        texts = [done.stdout, done.stderr]
        for path in self.folder.iterdir():
            if path.name.startswith("out"):
                texts.append(path.read_text())
        return "\n".join(texts)

    def test_keys_stand_nowhere(self):
        (self.folder / "headers").write_text("Authorization: Bearer t0p-token\nX-Team: credit\n")
        with servers.Server(servers.Model) as server:
            servers.Model.seen.clear()
            url = server.url("/predict?key=s3cret-key")
            outputs = [word for name in ("out.csv", "out.jsonl", "out.html")
                       for word in ("--output", name)]
            done = self.run_croco(*ADVICE, *QUICK, "--rows", "0:6", "--model-url", url,
                                  "--model-header-file", "headers", "--print", *outputs,
                                  environment={"CROCO_MODEL_HEADER": "X-Own: v4riable"})
            self.assertEqual(done.returncode, 0, done.stderr)
            seen = servers.Model.seen[-1]
            self.assertEqual(seen["Authorization"], "Bearer t0p-token")
            self.assertEqual(seen["X-Own"], "v4riable")
            text = self.everything(done)
            self.assertIn("/predict?key=***", text)
            for secret in ("s3cret", "t0p-token", "v4riable"):
                self.assertNotIn(secret, text)
            # The certificates are about the model, whatever opens the door to it.
            done = self.run_croco("verify", "out.jsonl", "--model-url", server.url("/predict"),
                                  "--schema", "people.schema.json", "--training", "people.csv",
                                  "--samples", "500")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            done = self.run_croco("model", "inspect", "--model-url", url, "--schema",
                                  "people.schema.json", "--training", "people.csv")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("s3cret", done.stdout + done.stderr)

    def test_a_bad_header_file(self):
        (self.folder / "bad").write_bytes(b"A: b\nAuthorization: s3cret\rX-Injected: 1\n")
        done = self.run_croco(*ADVICE, "--model-url", "http://127.0.0.1:1/", "--model-header-file",
                              "bad")
        self.assertEqual(done.returncode, 2)
        self.assertIn("bad: line 2 has a control character in its value", done.stderr)
        self.assertNotIn("s3cret", done.stderr)


class Patience(ServerTest):
    def test_one_ctrl_c_ends_the_wait_for_a_server(self):
        with servers.Server(servers.streaming(b"", b"")) as server:
            for number in (signal.SIGINT, signal.SIGTERM):
                process = self.start(*ADVICE, "--model-url", server.url(), "--output", "out.csv")
                time.sleep(1)
                process.send_signal(number)
                start = time.monotonic()
                errors = process.communicate(timeout=60)[1]
                self.assertLess(time.monotonic() - start, 3)
                self.assertEqual(process.returncode, 130, errors)
                self.assertIn("interrupted while querying the model", errors)
                self.assertFalse((self.folder / "out.csv").exists())

    def slow_model(self):
        """Answers at once at first, and then hangs when `hang` is there."""
        (self.folder / "slow.py").write_text(
            "import csv, math, os, sys, time\n"
            "for row in csv.DictReader(sys.stdin):\n"
            "    while os.path.exists('hang'): time.sleep(0.1)\n"
            "    score = 0.3 * (float(row['income']) - float(row['debt']) - 20)\n"
            "    print(1 / (1 + math.exp(-score)))\n")
        return ("--model-command", "python3 slow.py")

    def test_what_was_finished_before_ctrl_c_is_kept(self):
        hang = self.folder / "hang"
        hang.unlink(missing_ok=True)
        process = self.start(*ADVICE, *QUICK, *self.slow_model(), "--output", "kept.csv",
                             "--output", "kept.jsonl")
        self.wait_until(lambda: self.has_answers(process))
        hang.touch()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        errors = process.communicate(timeout=60)[1]
        hang.unlink()
        self.assertLess(time.monotonic() - start, 5)
        self.assertEqual(process.returncode, 130, errors)
        self.assertRegex(errors, "interrupted; [0-9,]+ of [0-9,]+ rows are kept in .*--resume goes on")
        rows = [json.loads(line)["row"] for line in
                (self.folder / "kept.jsonl.part").read_text().splitlines()]
        self.assertGreaterEqual(len(rows), 1)
        self.assertEqual(rows, list(range(len(rows))))

    def test_a_limit_on_the_whole_run(self):
        hang = self.folder / "hang"
        hang.unlink(missing_ok=True)
        start = time.monotonic()
        done = self.run_croco(*ADVICE, "--search-rows", "40000", "--reasons", "off",
                              *self.slow_model(), "--run-time-limit", "6", "--output", "limit.csv")
        self.assertLess(time.monotonic() - start, 20)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("note: the model answers about ", done.stderr)
        self.assertRegex(done.stderr, r"a person takes up to 140000 rows \(.*\) as a rule\. For 26 "
                                      r"people who need advice it is up to .* as a rule; ")
        self.assertRegex(done.stderr, r"the run's time limit of 6 s was reached after \d+ of 60 rows")
        self.assertTrue((self.folder / "limit.csv").read_text().startswith("row,status"))
        done = self.run_croco(*ADVICE, *self.slow_model(), "--run-time-limit", "0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("run-time-limit is 0 s; it must be more than 0", done.stderr)

    def test_nan_counts_as_no(self):
        class Holes(servers.Model):
            nan_above = 70

        with servers.Server(Holes) as server:
            done = self.run_croco(*ADVICE, *QUICK, "--rows", "0:6", "--model-url", server.url(),
                                  "--output", "holes.jsonl")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"note: the model answered NaN for \d+ of \d+ rows; none of "
                                          r"them counts as a yes")
            for line in (self.folder / "holes.jsonl").read_text().splitlines():
                answer = json.loads(line)
                if answer["status"] == "found":
                    self.assertLessEqual(float(answer["after"]["income"]), 70)


if __name__ == "__main__":
    world.main()
