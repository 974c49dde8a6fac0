#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An experiment that is killed again and again ends like one that never was.

Usage: reproduce_test.py --program build/release/apps/cli/croco
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import world

KILLS = 5


def write_experiment(path):
    """Enough configurations that a kill lands between, before and within them."""
    path.write_text(json.dumps({
        "croco_experiment": 1, "people": 12, "rate_samples": 20000, "prove_people": 3,
        "certificate": {"samples": 20000},
        "datasets": [
            {"name": name, "data": "people.csv", "schema": "schema.json", "limits": limits,
             "train": {"hidden": [8], "epochs": 60}}
            for name, limits in (("free", "none"), ("limited", "schema"))],
        "noises": [{"name": f"sd-{sd}", "noise": f"gaussian:sd={sd}", "on": "continuous"}
                   for sd in (0.02, 0.05)],
        "targets": [0.05, 0.1, 0.2, 0.3],
        "methods": [{"name": "wachter", "method": "wachter", "as_published": True},
                    {"name": "croco", "method": "croco", "as_published": True},
                    {"name": "certified", "method": "certified"}]}))


def files_of(folder):
    """The bytes of every file below a folder, hidden ones too."""
    return {str(pathlib.Path(root, name).relative_to(folder)): pathlib.Path(root, name).read_bytes()
            for root, _, names in os.walk(folder) for name in names}


class Reproduce(world.ProgramTest):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.croco("inspect", "people.csv", "--label", "accepted", "--favourable", "yes",
                  "--output", "schema.json")
        write_experiment(cls.folder / "experiment.json")

    def words(self, output, *more):
        return ("reproduce", "--experiment", "experiment.json", "--output", output, *more)

    def run_with_kills(self, output, *more):
        """Kills the run at random moments, then lets it end. Returns how many kills hit it."""
        start = time.monotonic()
        self.croco(*self.words("timed", *more))
        whole = time.monotonic() - start
        chance = random.Random(20261116)
        hits = 0
        for _ in range(KILLS):
            process = subprocess.Popen(self.command(*self.words(output, *more)), cwd=self.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(timeout=chance.uniform(0.02, 0.35) * whole)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                hits += 1
        self.croco(*self.words(output, *more))
        return hits

    def test_killed_runs_end_the_same(self):
        self.croco(*self.words("whole", "--no-times", "--threads", "1"))
        hits = self.run_with_kills("killed", "--no-times", "--threads", "2")
        self.assertGreaterEqual(hits, 2, "the run was over before it could be killed")
        whole, killed = files_of(self.folder / "whole"), files_of(self.folder / "killed")
        self.assertEqual(sorted(whole), sorted(killed))
        for name, content in whole.items():
            self.assertEqual(content, killed[name].replace(b'"threads":2', b'"threads":1')
                             if name == "report.html" else killed[name], name)
        self.assertGreater(sum(name.startswith("results/") for name in whole), 30)

    def test_times_are_all_that_differs(self):
        first, second = self.folder / "first", self.folder / "second"
        for folder in (first, second):
            self.croco(*self.words(folder.name))
        differing = {name for name, content in files_of(first).items()
                     if content != files_of(second)[name]}
        self.assertEqual({name for name in differing if not name.startswith("times")},
                         {"report.html"} & differing)

    def test_edited_results(self):
        self.croco(*self.words("edited", "--no-times"))
        path = next(path for path in sorted((self.folder / "edited/results").rglob("*.csv"))
                    if ",found," in path.read_text())
        lines = path.read_text().splitlines()
        number = next(k for k, line in enumerate(lines) if ",found," in line)

        def with_field(name, value):
            fields = lines[number].split(",")
            fields[lines[0].split(",").index(name)] = value
            path.write_text("\n".join([*lines[:number], ",".join(fields), *lines[number + 1:]]) + "\n")
            return subprocess.run(self.command(*self.words("edited", "--no-times")),
                                  cwd=self.folder, capture_output=True, text=True, timeout=300,
                                  check=False)

        # A number like any other, though few functions read it.
        done = with_field("soft_rate", "1e-310")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, value, rule in (("rate", "1.5", "a number from 0 to 1"), ("l1", "1e999", "a number"),
                                  ("cost", "-1", "a number of at least 0"), ("valid", "2", "0 or 1"),
                                  ("upper", "nan", "a number")):
            done = with_field(name, value)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(f"{path.relative_to(self.folder)}, line {number + 1}, column '{name}': "
                          f"'{value}' is not {rule}", done.stderr)

    def test_one_run_at_a_time(self):
        process = subprocess.Popen(self.command(*self.words("busy")), cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        while not (self.folder / "busy").exists():
            time.sleep(0.01)
        deadline = time.monotonic() + 20
        refused = None
        while refused is None and process.poll() is None and time.monotonic() < deadline:
            done = subprocess.run(self.command(*self.words("busy")), cwd=self.folder,
                                  capture_output=True, text=True, timeout=120, check=False)
            if done.returncode == 5:
                refused = done.stderr
        self.assertIn("another croco is writing here", refused or "nobody was refused")
        process.wait()

    def test_ctrl_c_keeps_what_is_finished(self):
        process = subprocess.Popen(self.command(*self.words("stopped")), cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        results = self.folder / "stopped" / "results"
        while process.poll() is None and not list(results.rglob("*.csv")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=60)[1]
        if process.returncode == 0:
            self.skipTest("the run was over before it could be interrupted")
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted; run the same command to resume", errors)
        self.assertFalse((self.folder / "stopped" / "summary.csv").exists())
        done = self.croco(*self.words("stopped"))
        self.assertRegex(done.stderr, r"\([1-9]\d* were there already\)")


if __name__ == "__main__":
    world.main()
