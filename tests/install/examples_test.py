#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the example programs, and compares the one of five lines with `croco explain` byte by byte.

Usage: examples_test.py --program CROCO --examples FOLDER
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import unittest

ARGUMENTS = argparse.ArgumentParser()
ARGUMENTS.add_argument("--program", required=True)
ARGUMENTS.add_argument("--examples", required=True)
OPTIONS = ARGUMENTS.parse_args()
CASES = pathlib.Path(__file__).parent.parent / "cases" / "models"
PEOPLE = "income,debt,age,home\n40,10,30,rent\n95,0,30,own\n20,30.5,60,own\n40,10,-500,rent\n"


def run(*words, code=0, cwd=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=cwd, timeout=300)
    if done.returncode != code:
        raise AssertionError(f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def example(name, *words, **more):
    return run(pathlib.Path(OPTIONS.examples) / name, *words, **more)


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.people = self.folder / "people.csv"
        self.people.write_text(PEOPLE, encoding="utf-8")
        self.model = CASES / "people.json"

    def test_explain_is_what_the_program_does(self):
        for model, people in ((self.model, self.people), self.german()):
            ours, theirs = self.folder / "ours.csv", self.folder / "theirs.csv"
            printed = example("explain", model, people, ours)
            self.assertRegex(printed, r"row \d+: found, fails at most 0\.[01]")
            run(OPTIONS.program, "explain", "--model", model, "--data", people, "--target", "0.1", "--output", theirs)
            self.assertEqual(ours.read_bytes(), theirs.read_bytes())
            ours, theirs = self.folder / "ours.jsonl", self.folder / "theirs.jsonl"
            example("explain", model, people, ours)
            run(OPTIONS.program, "explain", "--model", model, "--data", people, "--target", "0.1", "--output", theirs)
            self.assertEqual(ours.read_bytes(), theirs.read_bytes())

    def german(self):
        """A network on the first people of German Credit, with the noise that its schema states."""
        model = self.folder / "german.json"
        run(OPTIONS.program, "train", "--data", "german", "--seed", "1", "--epochs", "20", "--output", model)
        rows = (CASES.parents[2] / "data" / "german_credit.csv").read_text(encoding="utf-8").splitlines()[:31]
        people = self.folder / "german.csv"
        people.write_text("\n".join(rows) + "\n", encoding="utf-8")
        return model, people

    def test_certify_and_verify(self):
        advice = self.folder / "advice.csv"
        example("explain", self.model, self.people, advice)
        printed = example("certify_advice", self.model, self.people, advice)
        self.assertIn("row 0: accepted, fails at most", printed)
        lines = self.folder / "advice.jsonl"
        example("explain", self.model, self.people, lines)
        self.assertIn("advice.jsonl, line 1: holds", example("verify_certificate", self.model, lines))
        first = json.loads(lines.read_text(encoding="utf-8").splitlines()[0])
        first["certificate"]["upper"] /= 2
        forged = self.folder / "forged.jsonl"
        forged.write_text(json.dumps(first) + "\n", encoding="utf-8")
        self.assertIn("DOES NOT HOLD", example("verify_certificate", self.model, forged, code=1))

    def test_own_models(self):
        self.assertRegex(example("own_function"), r"income 1800 -> \d+, housing rent -> (rent|own); noise undoes it")
        self.assertRegex(example("own_model"), r"income 40 -> [\d.]+, debt 10 -> [\d.]+; noise undoes it in at most 0")

    def test_schema_is_one_that_the_program_reads(self):
        schema = json.loads(example("schema_in_code"))
        self.assertEqual([feature["name"] for feature in schema["features"]], ["income", "age", "housing"])

    def test_usage(self):
        for name in ("explain", "certify_advice", "verify_certificate"):
            example(name, code=2)
        example("explain", "missing.json", self.people, self.folder / "x.csv", code=1)


if __name__ == "__main__":
    unittest.main(argv=["examples_test.py"])
