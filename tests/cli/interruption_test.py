#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that do not reach their end leave whole files or none.

Usage: interruption_test.py --program build/release/apps/cli/croco
"""
import csv
import fcntl
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

import world

# Small batches, so that some are finished soon; enough people to go on for a while.
LONG_RUN = ("explain", "--model", "model.json", "--data", "people.csv",
            "--noise", "gaussian:sd=0.05", "--noise-on", "continuous", "--target", "0.05",
            "--batch", "2", "--samples", "20000")


class Interruption(world.ProgramTest):
    PEOPLE = 4000

    def tearDown(self):
        for name in self.left_behind():
            (self.folder / name).unlink()

    def wait_for_answers(self, process):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            self.assertIsNone(process.poll(), "the run ended before it could be interrupted")
            if self.has_answers(process):
                return
            time.sleep(0.02)
        self.fail("no answer was written within a minute")

    def check_interrupted(self, number):
        outputs = ("--output", "out.csv", "--output", "out.jsonl")
        process = self.start(*LONG_RUN, *outputs)
        self.wait_for_answers(process)
        process.send_signal(number)
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, errors)
        done = re.search(r"interrupted; ([0-9,]+) of 4,000 rows are kept in out\.csv\.part and "
                         r"out\.jsonl\.part; the same command with --resume goes on", errors)
        self.assertTrue(done, errors)
        # Nothing has a name that looks complete.
        self.assertEqual(self.left_behind(), ["out.csv.journal", "out.csv.part",
                                              "out.jsonl.manifest.json.part", "out.jsonl.part"])
        text = (self.folder / "out.csv.part").read_text()
        self.assertTrue(text.endswith("\n"))
        rows = list(csv.DictReader(text.splitlines()))
        self.assertEqual(len(rows), int(done[1].replace(",", "")))
        self.assertLess(len(rows), self.PEOPLE)
        self.assertEqual([int(row["row"]) for row in rows], list(range(len(rows))))
        for row in rows:
            self.assertNotIn(None, row.values())
            if row["status"] in ("found", "unmet"):
                self.assertNotEqual(row["rate_upper"], "")
        answers = [json.loads(line) for line in
                   (self.folder / "out.jsonl.part").read_text().splitlines()]
        self.assertEqual([answer["row"] for answer in answers], list(range(len(rows))))
        # The answers that were finished are those of a run that was not interrupted.
        self.croco(*LONG_RUN, "--rows", f"0:{min(5, len(rows))}", "--output", "again.csv")
        again = (self.folder / "again.csv").read_text()
        self.assertTrue(text.startswith(again))
        # What was done is neither lost nor replaced unasked.
        refused = self.croco(*LONG_RUN, *outputs, codes=(2,))
        self.assertRegex(refused.stderr, r"out.csv.journal is of an unfinished run, which has done "
                         r"[0-9,]+ rows; --resume goes on with it, --restart discards it")

    def test_ctrl_c_keeps_what_was_finished(self):
        self.check_interrupted(signal.SIGINT)

    def test_sigterm_keeps_what_was_finished(self):
        self.check_interrupted(signal.SIGTERM)

    def test_sighup_keeps_what_was_finished(self):
        self.check_interrupted(signal.SIGHUP)

    def test_nohup_goes_on(self):
        process = subprocess.Popen(
            self.command(*LONG_RUN, "--output", "out.csv"), cwd=self.folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for_answers(process)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertIsNone(process.poll())

    def test_sigkill_leaves_no_file_that_looks_complete(self):
        for delay in (0, 0.05, 0.2):
            process = self.start(*LONG_RUN, "--restart", "--output", "out.csv", "--output",
                                 "out.jsonl", "--output", "out.html")
            self.wait_for_answers(process)
            time.sleep(delay)
            process.kill()
            process.wait(timeout=60)
            parts = [f"out.{ending}.part" for ending in ("csv", "html", "jsonl",
                                                         "jsonl.manifest.json")]
            self.assertEqual(self.left_behind("out.csv.journal"), sorted(parts))

    def test_what_a_killed_run_left_is_removed(self):
        """Where files need a name, the next run that writes into the folder removes them."""
        left = self.folder / ".croco-12-0.tmp"
        left.write_text("half of it\n")
        other = self.folder / ".croco-12-1.tmp"
        other.write_text("of a run that goes on\n")
        with other.open() as running:
            fcntl.flock(running, fcntl.LOCK_EX)
            self.croco(*LONG_RUN, "--rows", "0:2", "--output", "out.csv")
            self.assertEqual(self.left_behind("out.csv"), [other.name])

    def wait_for_handler(self, process, number):
        """Until the program handles a signal: on a busy machine it takes a while to start."""
        folder = pathlib.Path(f"/proc/{process.pid}")
        for _ in range(600):
            # Before it is the program, it is a copy of this test, which blocks all signals.
            started = (folder / "exe").resolve() == world.PROGRAM.resolve()
            masks = re.findall(r"^Sig(?:Blk|Cgt):\t([0-9a-f]+)$", (folder / "status").read_text(),
                               re.MULTILINE)
            if started and any(int(mask, 16) >> (number - 1) & 1 for mask in masks):
                return
            time.sleep(0.05)
        self.fail("the program handles no signals after 30 s")

    def check_ended_at_once(self, *words):
        """Of commands that have nothing to finish."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start(*words)
            self.wait_for_handler(process, number)
            time.sleep(0.1)
            self.assertIsNone(process.poll(), "the run ended before it could be interrupted")
            begin = time.monotonic()
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=60), 130)
            self.assertLess(time.monotonic() - begin, 2)

    def test_inspecting_ends_at_once(self):
        os.mkfifo(self.folder / "slow.csv")  # it never comes
        self.check_ended_at_once("inspect", "slow.csv", "--label", "accepted")
        self.check_ended_at_once("model", "inspect", "slow.csv")
        self.assertEqual(self.left_behind("slow.csv"), [])

    def test_a_model_does_not_outlive_a_killed_run(self):
        """Not even one that never notices that its input has ended."""
        self.croco("inspect", "people.csv", "--label", "accepted")
        (self.folder / "deaf.py").write_text(
            "import os, time\n"
            "with open('id', 'w') as file: file.write(str(os.getpid()))\n"
            "time.sleep(1000)\n")
        process = self.start("explain", "--model-command", "python3 deaf.py", "--data",
                             "people.csv", "--schema", "people.schema.json", "--model-timeout",
                             "1000")
        name = self.folder / "id"
        self.wait_until(lambda: name.exists() and name.read_text() != "")
        state = pathlib.Path("/proc", name.read_text(), "stat")
        self.assertTrue(state.exists())
        process.kill()
        process.wait(timeout=60)
        # A zombie at most, until whoever adopted it has noticed.
        self.wait_until(lambda: not state.exists() or ") Z " in state.read_text())

    def test_sigkill_leaves_the_old_output(self):
        (self.folder / "out.csv").write_text("old\n")
        process = self.start(*LONG_RUN, "--output", "out.csv")
        self.wait_for_answers(process)
        process.kill()
        process.wait(timeout=60)
        self.assertEqual((self.folder / "out.csv").read_text(), "old\n")

    def test_interrupted_training_writes_no_model(self):
        process = self.start("train", "--data", "people.csv", "--label", "accepted",
                             "--favourable", "yes", "--hidden", "256,256", "--epochs", "10000",
                             "--patience", "10000", "--output", "large.json")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted; no model was written", errors)
        self.assertEqual(self.left_behind(), [])

    def test_ctrl_c_ends_a_model_that_hangs(self):
        self.croco("inspect", "people.csv", "--label", "accepted")
        (self.folder / "hang.py").write_text(
            "import os, time\n"
            "with open('id', 'w') as file: file.write(str(os.getpid()))\n"
            "time.sleep(1000)\n")
        process = self.start("explain", "--model-command", "python3 hang.py", "--data", "people.csv",
                             "--schema", "people.schema.json", "--model-timeout", "1000")
        name = self.folder / "id"
        self.wait_until(lambda: name.exists() and name.read_text() != "")
        state = pathlib.Path("/proc", name.read_text(), "stat")
        self.assertTrue(state.exists())
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        errors = process.communicate(timeout=60)[1]
        self.assertLess(time.monotonic() - start, 5)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted while querying the model", errors)
        # A zombie at most, until whoever adopted it has noticed.
        self.wait_until(lambda: not state.exists() or ") Z " in state.read_text())

    def fitting_run(self, *words):
        """A run that is fitting a surrogate, and has asked for three eighths of its rows."""
        self.croco("inspect", "people.csv", "--label", "accepted", "--force")
        for name in ("asked", "out.csv"):
            (self.folder / name).unlink(missing_ok=True)
        (self.folder / "counted.py").write_text(
            "import csv, sys\n"
            "asked = 0\n"
            "names = next(csv.reader([sys.stdin.readline()]))\n"
            "answers = []\n"
            "for line in sys.stdin:\n"
            "    if line.strip():\n"
            "        row = dict(zip(names, next(csv.reader([line]))))\n"
            "        accepted = float(row['income']) > float(row['debt']) + 20\n"
            "        answers.append('0.9' if accepted else '0.1')\n"
            "        continue\n"
            "    print('\\n'.join(answers), flush=True)\n"
            "    asked += len(answers)\n"
            "    answers = []\n"
            "    if asked > 7500: open('asked', 'w').close()\n")
        return self.start("explain", "--model-command", "python3 -B counted.py", "--data",
                          "people.csv", "--schema", "people.schema.json", "--noise",
                          "gaussian:sd=0.05", "--target", "0.1", "--query-budget", "1000",
                          *(words or ("--shared-queries", "20000")), "--output", "out.csv")

    def test_ctrl_c_ends_the_fit_of_a_surrogate(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.fitting_run()
            self.wait_until((self.folder / "asked").exists)
            time.sleep(0.3)
            self.assertIsNone(process.poll(), "the run ended before it could be interrupted")
            process.send_signal(number)
            start = time.monotonic()
            errors = process.communicate(timeout=60)[1]
            self.assertLess(time.monotonic() - start, 2)
            self.assertEqual(process.returncode, 130, errors)
            self.assertIn("croco: interrupted; nothing was written", errors)
            self.assertEqual(self.left_behind("people.schema.json", "counted.py", "asked"), [])

    def test_the_limit_of_the_run_ends_the_fit_of_a_surrogate(self):
        process = self.fitting_run("--run-time-limit", "4", "--shared-queries", "60000")
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 6, errors)
        self.assertIn("croco: the run's time limit of 4 s was reached before the first row; nothing "
                      "was written", errors)
        self.assertEqual(self.left_behind("people.schema.json", "counted.py", "asked"), [])

    def test_full_disk(self):
        def limit_files():
            # Beyond the limit, writing fails with EFBIG instead of ending the process.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        words = ("explain", "--model", "model.json", "--data", "people.csv", "--rows", "0:2000",
                 "--method", "wachter", "--samples", "100")
        for name in ("out.csv", "out.jsonl", "out.html"):
            with self.subTest(name):
                (self.folder / name).write_text("old\n")
                done = subprocess.run(self.command(*words, "--output", name), cwd=self.folder,
                                      capture_output=True, text=True, timeout=60, check=False,
                                      preexec_fn=limit_files)
                self.assertEqual(done.returncode, 5, done.stderr)
                self.assertIn(f"croco: {name}.part: cannot write: File too large", done.stderr)
                self.assertEqual((self.folder / name).read_text(), "old\n")
                self.assertEqual(self.left_behind("out.csv", "out.jsonl", "out.html"), [])


if __name__ == "__main__":
    world.main()
