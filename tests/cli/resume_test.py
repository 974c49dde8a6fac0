#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed, run out of disk or lose their folder go on to the same bytes.

Usage: resume_test.py --program build/release/apps/cli/croco
"""
import gzip
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import time

import world

RUN = ("explain", "--model", "model.json", "--data", "people.csv", "--noise", "gaussian:sd=0.05",
       "--noise-on", "continuous", "--target", "0.05", "--samples", "20000", "--batch", "8")
NAMES = ("out.jsonl", "out.csv.gz", "out.csv.zst", "out.html", "out.csv")
FILES = (*NAMES, "out.jsonl.manifest.json")


def outputs(folder):
    return [word for name in NAMES for word in ("--output", f"{folder}/{name}")]


class Resume(world.ProgramTest):
    PEOPLE = 4000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "whole").mkdir()
        cls.croco(*RUN, *outputs("whole"))

    def setUp(self):
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        (self.folder / "run").mkdir()

    def rows_done(self):
        """Rows that the journal records; 0 without one."""
        try:
            return json.loads((self.folder / "run/out.jsonl.journal").read_text())["rows"]
        except FileNotFoundError:
            return 0

    def is_writing(self, process):
        """Whether the program has an unfinished file open."""
        for place in pathlib.Path("/proc", str(process.pid), "fd").iterdir():
            try:
                if os.readlink(place).endswith(".part"):
                    return True
            except FileNotFoundError:
                continue  # closed meanwhile
        return False

    def stop_while_it_writes(self, process):
        self.wait_until(lambda: process.poll() is not None or self.is_writing(process))
        time.sleep(0.02)
        self.assertIsNone(process.poll(), "the run was too short to be stopped")
        process.send_signal(signal.SIGSTOP)

    def make_it_record(self, process):
        """A run records how far it is when a second has passed, and the clock of a run that is
        stopped goes on: however fast the machine is, the next batch is recorded."""
        self.stop_while_it_writes(process)
        time.sleep(1.1)
        process.send_signal(signal.SIGCONT)

    def wait_for_more(self, process, before):
        self.make_it_record(process)
        deadline = time.monotonic() + 120
        while self.rows_done() <= before:
            if process.poll() is not None:
                return False
            self.assertLess(time.monotonic(), deadline, "no row was recorded within two minutes")
            time.sleep(0.02)
        return True

    def check_whole(self):
        self.assertEqual(sorted(os.listdir(self.folder / "run")), sorted(FILES))
        for name in FILES:
            self.assertEqual((self.folder / "run" / name).read_bytes(),
                             (self.folder / "whole" / name).read_bytes(), name)

    def test_killed_five_times(self):
        chance = random.Random(20)
        killed = 0
        done = 0
        while killed < 5:
            process = self.start(*RUN, "--threads", chance.choice("012"), *outputs("run"), "--resume")
            if not self.wait_for_more(process, done):
                break  # finished before it could be killed
            time.sleep(chance.uniform(0, 0.1))
            process.kill()
            self.assertEqual(process.wait(timeout=60), -signal.SIGKILL)
            killed += 1
            done = self.rows_done()
            self.assertFalse(set(os.listdir(self.folder / "run")) & set(FILES),
                             "nothing may look complete")
        self.assertEqual(killed, 5, "the run was too short to be killed")
        finished = self.croco(*RUN, *outputs("run"), "--resume")
        self.assertRegex(finished.stderr, r"note: [0-9,]+ of 4,000 rows are done already")
        self.check_whole()
        # The summary is about all rows.
        whole = self.croco(*RUN).stderr.splitlines()[-1]
        self.assertEqual(finished.stderr.splitlines()[-1], whole)

    def test_full_disk(self):
        size = (self.folder / "whole/out.jsonl").stat().st_size
        limited = subprocess.run(
            self.command(*RUN, *outputs("run")), cwd=self.folder, capture_output=True, text=True,
            timeout=300, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2)))
        self.assertEqual(limited.returncode, 5, limited.stderr)
        self.assertRegex(limited.stderr, r"croco: [0-9,]+ of 4,000 rows are kept in .*; the same "
                         "command with --resume goes on\n"
                         r"croco: .*run/out.jsonl.part: cannot write: File too large")
        # Every batch that was whole is kept.
        self.assertGreater(self.rows_done(), 0.4 * self.PEOPLE)
        self.croco(*RUN, *outputs("run"), "--resume")
        self.check_whole()

    def test_vanished_folder(self):
        process = self.start(*RUN, *outputs("run"))
        self.assertTrue(self.wait_for_more(process, 0))
        done = self.rows_done()
        shutil.rmtree(self.folder / "run")
        errors = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 5, errors)
        self.assertRegex(errors, r"rows are kept in \S*run/out.jsonl.part and .*--resume goes on\n"
                         r"croco: \S*: has vanished while the run was writing it")
        self.assertGreaterEqual(self.rows_done(), done)
        self.croco(*RUN, *outputs("run"), "--resume")
        self.check_whole()

    def kill_early(self, *words):
        process = self.start(*RUN, *words, "--output", "run/out.jsonl")
        self.assertTrue(self.wait_for_more(process, 0))
        process.kill()
        process.wait(timeout=60)

    def test_another_run_is_refused_by_what_differs(self):
        shutil.copy(self.folder / "people.csv", self.folder / "run/people.csv")
        command = list(RUN)
        command[command.index("--data") + 1] = "run/people.csv"
        process = self.start(*command, "--output", "run/out.jsonl")
        self.assertTrue(self.wait_for_more(process, 0))
        process.kill()
        process.wait(timeout=60)
        kept = (self.folder / "run/out.jsonl.part").stat().st_size
        self.croco("train", "--data", "people.csv", "--label", "accepted", "--favourable", "yes",
                   "--hidden", "4", "--epochs", "3", "--output", "other.json")

        def refused(*change, rename=None):
            words = [rename.get(word, word) for word in command] if rename else command
            done = self.croco(*words, *change, "--output", "run/out.jsonl", "--resume", codes=(2,))
            self.assertIn("out.jsonl.journal: the unfinished run cannot be continued: ", done.stderr)
            self.assertIn("; --restart discards it", done.stderr)
            return done.stderr

        self.assertIn("--target was '0.05' and is '0.1'", refused(rename={"0.05": "0.1"}))
        self.assertIn("--seed was not given and is '7'", refused("--seed", "7"))
        self.assertIn("the model is another one", refused(rename={"model.json": "other.json"}))
        self.assertIn("its files were run/out.jsonl", refused("--output", "run/more.csv"))
        with (self.folder / "run/people.csv").open("a") as file:
            file.write("1,2,own,yes\n")
        self.assertIn("the data is another one", refused())
        self.assertEqual((self.folder / "run/out.jsonl.part").stat().st_size, kept)

    def test_restart_begins_and_two_runs_do_not_write_one_file(self):
        self.kill_early()
        first = self.start(*RUN, "--restart", "--output", "run/out.jsonl")
        self.stop_while_it_writes(first)
        second = self.croco(*RUN, "--restart", "--output", "run/out.jsonl", codes=(5,))
        self.assertIn("out.jsonl.part: another process is writing it", second.stderr)
        first.send_signal(signal.SIGCONT)
        self.assertEqual(first.wait(timeout=300), 0)
        self.assertEqual((self.folder / "run/out.jsonl").read_bytes(),
                         (self.folder / "whole/out.jsonl").read_bytes())

    def test_an_audit_goes_on(self):
        audit = ("audit", "--model", "model.json", "--data", "people.csv", "--group", "home,debt:20",
                 "--noise", "gaussian:sd=0.05", "--noise-on", "continuous", "--target", "0.05",
                 "--samples", "20000", "--batch", "8", "--resamples", "200")
        self.croco(*audit, "--output", "run/whole")
        process = self.start(*audit, "--output", "run/killed", "--threads", "1")
        journal = self.folder / "run/killed/people.csv.journal"
        self.make_it_record(process)
        self.wait_until(lambda: journal.exists() or process.poll() is not None)
        self.assertIsNone(process.poll(), "the run was too short to be killed")
        process.kill()
        process.wait(timeout=60)
        finished = self.croco(*audit, "--output", "run/killed", "--resume")
        self.assertRegex(finished.stderr, r"note: [0-9,]+ of 4,000 rows are done already")
        names = sorted(os.listdir(self.folder / "run/whole"))
        self.assertEqual(sorted(os.listdir(self.folder / "run/killed")), names)
        for name in names:
            self.assertEqual((self.folder / "run/killed" / name).read_bytes(),
                             (self.folder / "run/whole" / name).read_bytes(), name)

    def test_certify_and_evaluate_go_on(self):
        certify = ("certify", "--model", "model.json", "--data", "people.csv", "--counterfactuals",
                   "whole/out.csv.zst", "--noise", "gaussian:sd=0.05", "--noise-on", "continuous",
                   "--samples", "5000", "--independent-samples")
        evaluate = ("evaluate", "--model", "model.json", "--data", "people.csv", "--method",
                    "wachter,certified", "--noise", "gaussian:sd=0.05", "--noise-on", "continuous",
                    "--samples", "50000", "--rows", "0:1500")
        for words, name in ((certify, "out.jsonl"), (evaluate, "out.csv")):
            with self.subTest(command=words[0]):
                self.croco(*words, "--output", f"run/whole.{name}")
                process = self.start(*words, "--output", f"run/{name}", "--threads", "1")
                journal = self.folder / f"run/{name}.journal"
                self.make_it_record(process)
                self.wait_until(lambda: journal.exists() or process.poll() is not None)
                self.assertIsNone(process.poll(), "the run was too short to be killed")
                process.send_signal(signal.SIGINT if words[0] == "certify" else signal.SIGKILL)
                process.wait(timeout=60)
                self.assertFalse((self.folder / "run" / name).exists())
                self.croco(*words, "--output", f"run/{name}", "--resume")
                whole, resumed = ((self.folder / "run" / file).read_text()
                                  for file in (f"whole.{name}", name))
                if words[0] == "evaluate":  # all columns but the time
                    whole, resumed = ([line.split(",")[:-1] for line in text.splitlines()]
                                      for text in (whole, resumed))
                self.assertEqual(whole, resumed)

    def test_standard_streams_and_compressed_people(self):
        people = (self.folder / "people.csv").read_bytes()
        command = list(RUN)
        command[command.index("--data") + 1] = "-"
        expected = (self.folder / "whole/out.csv").read_bytes()
        for given in (people, gzip.compress(people)):
            done = subprocess.run(self.command(*command, "--output", "-"), cwd=self.folder,
                                  input=given, capture_output=True, timeout=300, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, expected)


if __name__ == "__main__":
    world.main()
