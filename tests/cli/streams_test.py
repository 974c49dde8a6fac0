#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are closed or full: every command says so by its exit code, and nothing that
is printed lands in a file.

Usage: streams_test.py --program build/release/apps/cli/croco
"""
import pathlib
import re
import shutil
import subprocess
import unittest

import world

SEARCH = ("--model", "model.json", "--data", "people.csv", "--rows", "0:4", "--method", "wachter",
          "--samples", "100")
# One command line of everything that prints.
PRINTS = {
    "help": ("--help",),
    "help of a command": ("explain", "--help"),
    "version": ("--version",),
    "completion": ("completion", "bash"),
    "man": ("man",),
    "inspect": ("inspect", "people.csv", "--label", "accepted", "--output", "new.schema.json"),
    "model inspect": ("model", "inspect", "model.json"),
    "train": ("train", "--data", "people.csv", "--label", "accepted", "--epochs", "1",
              "--output", "new.json"),
    "retrain": ("retrain", "--data", "people.csv", "--like", "model.json", "--count", "2", "--epochs", "1",
                "--output", "retrained"),
    "explain": ("explain", *SEARCH),
    "explain --print": ("explain", *SEARCH, "--print", "--output", "new.csv"),
    "certify": ("certify", "--model", "model.json", "--data", "people.csv", "--counterfactuals",
                "people.csv", "--samples", "100", "--print", "--output", "new.csv"),
    "evaluate": ("evaluate", *SEARCH, "--output", "new.csv"),
    "audit": ("audit", "--model", "model.json", "--data", "people.csv", "--group", "home", "--rows", "0:12",
              "--target", "0.2", "--samples", "1000", "--resamples", "100", "--output", "audited"),
    "verify": ("verify", "report.jsonl", "--model", "model.json", "--samples", "100"),
    "plan": ("plan",),
    "doctor": ("doctor",),
    "bench": ("bench", "--seconds", "0.2", "--threads", "1"),
    "data list": ("data", "list"),
    "data show": ("data", "show", "german"),
    "reproduce": ("reproduce", "--print-experiment"),
}
# What these print differs from run to run.
PRINT_TIMES = ("train", "retrain", "model inspect", "evaluate", "doctor", "bench")
WRITTEN = ("new.csv", "new.json", "new.schema.json")
# What runs over people keep for --resume when they cannot print.
KEPT = ("new.csv.part", "new.csv.journal")
SOURCES = pathlib.Path(__file__).resolve().parents[2] / "apps" / "cli"


class Streams(world.ProgramTest):
    PEOPLE = 40

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.croco("explain", *SEARCH, "--output", "report.jsonl")

    def setUp(self):
        for name in (*WRITTEN, *KEPT):
            (self.folder / name).unlink(missing_ok=True)
        shutil.rmtree(self.folder / "audited", ignore_errors=True)

    def shell(self, words, redirections):
        """Runs the program with streams that the shell closes or opens."""
        return subprocess.run(["sh", "-c", f'exec "$@" {redirections}', "sh",
                               *self.command(*words)], cwd=self.folder, capture_output=True,
                              text=True, timeout=120, check=False)

    def test_every_command_is_here(self):
        listed = self.croco("--help").stdout.split("\nCommands:\n")[1]
        commands = re.findall(r"^  (\w+)", listed, re.M)
        self.assertGreater(len(commands), 10)
        for command in commands:
            if command == "serve":  # which prints an address and goes on: serve_test.py
                continue
            self.assertTrue(any(words[0] == command for words in PRINTS.values()), command)

    def test_output_that_cannot_be_written(self):
        for redirection, reason in ((">&-", "Bad file descriptor"),
                                    (">/dev/full", "No space left on device")):
            for name, words in PRINTS.items():
                with self.subTest(name, redirection=redirection):
                    self.setUp()
                    done = self.shell(words, redirection)
                    self.assertEqual(done.returncode, 5, done.stderr)
                    self.assertIn(f"croco: standard output could not be written: {reason}",
                                  done.stderr)
                    for file in WRITTEN:
                        self.assertFalse((self.folder / file).exists(), file)
                    for file in KEPT:  # no row is lost, and the message says how to go on
                        self.assertEqual((self.folder / file).exists(),
                                         "rows are kept in new.csv.part; " in done.stderr, file)

    def test_answers_that_cannot_be_printed_are_kept(self):
        words = PRINTS["explain --print"]
        self.shell(words, "")
        expected = (self.folder / "new.csv").read_bytes()
        self.setUp()
        done = self.shell(words, ">/dev/full")
        self.assertIn("croco: 4 of 4 rows are kept in new.csv.part; the same command with --resume "
                      "goes on", done.stderr)
        self.croco(*words, "--resume")
        self.assertEqual((self.folder / "new.csv").read_bytes(), expected)

    def test_errors_that_cannot_be_written_change_nothing(self):
        for redirection in ("2>&-", "2>/dev/full"):
            for name, words in PRINTS.items():
                with self.subTest(name, redirection=redirection):
                    self.setUp()
                    expected = self.shell(words, "")
                    self.setUp()
                    done = self.shell(words, redirection)
                    self.assertEqual(done.returncode, expected.returncode)
                    if name not in PRINT_TIMES:
                        self.assertEqual(done.stdout, expected.stdout)

    def test_mistakes_keep_their_exit_code(self):
        for redirection in ("2>&-", "2>/dev/full", "<&- >&- 2>&-"):
            for code, words in ((2, ("explain", "--nothing")), (2, ("plan", "--target", "2")),
                                (5, ("explain", "--model", "none.json", "--data", "people.csv")),
                                (3, ("inspect", "people.csv", "--label", "none"))):
                with self.subTest(words, redirection=redirection):
                    self.assertEqual(self.shell(words, redirection).returncode, code)

    def test_what_is_printed_never_lands_in_a_file(self):
        words = ("explain", *SEARCH, "--output", "new.csv")
        self.assertEqual(self.shell(words, "").returncode, 0)
        expected = (self.folder / "new.csv").read_bytes()
        for redirections in (">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(redirections):
                self.setUp()
                self.assertEqual(self.shell(words, redirections).returncode, 0)
                self.assertEqual((self.folder / "new.csv").read_bytes(), expected)

    def test_nothing_prints_past_these_checks(self):
        """A print of another kind would throw, or be lost without an exit code."""
        found = [f"{path.name}: {line.strip()}"
                 for path in sorted(SOURCES.glob("*.?pp")) if path.stem != "print"
                 for line in path.read_text().splitlines()
                 if re.search(r"\bfmt::print\b|\bstd::c(out|err)\b|\bf?(printf|puts)\(|"
                              r"\bfwrite\(|\bstd(out|err)\b", line.split("//")[0])]
        self.assertEqual(found, [])


if __name__ == "__main__":
    world.main()
