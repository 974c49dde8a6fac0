#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the experiments' way to run croco takes for a result, and what for a failure."""
import argparse
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments"))

from run_croco import NOBODY_HELPED, run_croco  # noqa: E402

MODELS = ROOT / "tests/cases/models"


class RunCroco(unittest.TestCase):
    program = ""

    def explain(self, *words):
        return run_croco([self.program, "explain", "--model", MODELS / "people.json", "--data",
                          MODELS / "people.csv", *words], capture_output=True, text=True)

    def test_advice_is_a_result(self):
        self.assertEqual(self.explain("--rows", 0, "--target", 0.3).returncode, 0)

    def test_that_nobody_can_be_helped_is_a_result(self):
        done = self.explain("--rows", 3, "--reasons", "off")
        self.assertEqual(done.returncode, NOBODY_HELPED)
        self.assertIn("1 infeasible", done.stderr)

    def test_a_wrong_option_is_a_failure(self):
        with self.assertRaises(subprocess.CalledProcessError) as raised:
            self.explain("--target", 1.5)
        self.assertEqual(raised.exception.returncode, 2)
        self.assertIn("target is 1.5", raised.exception.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    options, rest = parser.parse_known_args()
    RunCroco.program = options.program
    unittest.main(argv=[sys.argv[0], *rest])
