#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Retrained models are the same files on any number of threads, after a kill -9, and after Ctrl-C;
and answers that rest on them do not depend on threads, batches or names.

Usage: retrain_test.py --program build/release/apps/cli/croco
"""
import shutil
import signal

import world

COUNT = 90
INTERRUPTED = 130


class Retrain(world.ProgramTest):
    def words(self, folder, *more):
        return ("retrain", "--data", "people.csv", "--like", "model.json", "--count", COUNT,
                "--epochs", 30, "--output", folder, *more)

    def files(self, folder):
        return {path.name: path.read_bytes() for path in (self.folder / folder).iterdir()}

    def models(self, folder):
        place = self.folder / folder
        return len(list(place.glob("model-*.json"))) if place.exists() else 0

    def test_a_run_that_was_killed_goes_on(self):
        self.croco(*self.words("whole", "--threads", 2))
        expected = self.files("whole")
        self.assertEqual(len(expected), COUNT + 1)
        for number, ending in enumerate((signal.SIGKILL, signal.SIGKILL, signal.SIGINT)):
            folder = f"killed{number}"
            process = self.start(*self.words(folder, "--threads", 1 + number))
            self.wait_until(lambda place=folder: self.models(place) >= 3)
            process.send_signal(ending)
            code = process.wait(timeout=60)
            left = self.files(folder)
            self.assertLess(len(left), COUNT)
            for name, text in left.items():
                if name != "manifest.json":
                    self.assertEqual(text, expected[name], "a file is whole or not there")
            if ending == signal.SIGINT:
                self.assertEqual(code, INTERRUPTED)
            # Models that were not finished do not pass for a population.
            done = self.croco("explain", "--model", "model.json", "--data", "people.csv", "--rows",
                              "0:2", "--models", f"{folder}/*", codes=(4,))
            self.assertIn("manifest.json does not name", done.stderr)
            self.croco(*self.words(folder, "--threads", 3))
            self.assertEqual(self.files(folder), expected)

    def test_answers_do_not_depend_on_threads_batches_or_names(self):
        self.croco(*self.words("boot"))

        def explain(*words, models="boot/*"):
            self.croco("explain", "--model", "model.json", "--data", "people.csv", "--models", models,
                       "--noise", "gaussian:sd=0.05", "--noise-on", "continuous", "--target", "0.2",
                       "--model-samples", 300, *words, "--output", "out.jsonl")
            return (self.folder / "out.jsonl").read_bytes()

        expected = explain("--rows", "0:24", "--threads", 1)
        self.assertIn(b'"status":"found"', expected)
        self.assertEqual(explain("--rows", "0:24", "--threads", 3), expected)
        self.assertEqual(explain("--rows", "0:24", "--batch", 5, "--threads", 0), expected)
        self.assertEqual(explain("--rows", "8:16").splitlines(), expected.splitlines()[8:16])
        # Names are in the certificates, and decide nothing else.
        (self.folder / "renamed").mkdir()
        for path in (self.folder / "boot").glob("model-*.json"):
            number = int(path.stem[-4:])
            shutil.copy(path, self.folder / "renamed" / f"other-{COUNT - number:04}.json")
        renamed = explain("--rows", "0:24", models="renamed/*")
        self.assertEqual([line.split(b'"certificate"')[0] for line in renamed.splitlines()],
                         [line.split(b'"certificate"')[0] for line in expected.splitlines()])


if __name__ == "__main__":
    world.main()
