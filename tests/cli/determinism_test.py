#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An answer depends on its row alone: not on threads, batches, or which other rows were asked for.

Usage: determinism_test.py --program build/release/apps/cli/croco
"""
import world

ROWS = 60


class Determinism(world.ProgramTest):
    def explain(self, *words, scope="continuous", draws=("--samples", "5000")):
        """The CSV and the JSONL that a run writes."""
        self.croco("explain", "--model", "model.json", "--data", "people.csv",
                   "--noise", "gaussian:sd=0.05", "--noise-on", scope, "--target", "0.2",
                   *draws, *words, "--output", "out.csv", "--output", "out.jsonl")
        return tuple((self.folder / name).read_bytes() for name in ("out.csv", "out.jsonl"))

    def check_all(self, *words, **settings):
        def explain(*more):
            return self.explain(*words, *more, **settings)

        rows = ("--rows", f"0:{ROWS}")
        expected = explain(*rows, "--threads", 1)
        self.assertEqual(expected[0].count(b"\n"), ROWS + 1)
        self.assertIn(b",found,", expected[0])
        self.assertEqual(explain(*rows, "--threads", 4), expected)
        self.assertEqual(explain(*rows, "--threads", 0), expected)
        self.assertEqual(explain(*rows, "--batch", 1), expected)
        self.assertEqual(explain(*rows, "--batch", 500), expected)
        self.assertEqual(explain(*rows, "--batch", 7, "--threads", 3), expected)

        csv, jsonl = explain("--rows", "20:33")
        lines = [text.splitlines() for text in expected]
        self.assertEqual(csv.splitlines(), [lines[0][0], *lines[0][21:34]])
        self.assertEqual(jsonl.splitlines(), lines[1][20:33])

    def test_certified(self):
        self.check_all()

    def test_planned_looks(self):
        self.check_all(draws=("--max-samples", "20000"))
        self.check_all("--method", "wachter", "--independent-samples", draws=())

    def test_croco(self):
        self.check_all("--method", "croco")

    def test_wachter_with_own_draws(self):
        self.check_all("--method", "wachter", "--independent-samples")

    def test_probe(self):
        self.check_all("--method", "probe")

    def test_noise_that_depends_on_the_point(self):
        self.check_all("--method", "croco", "--falls-short", "--step-draws", "100",
                       scope="changed")

    def test_seeds_matter(self):
        first = self.explain("--rows", "0:10", "--seed", 1)
        self.assertEqual(self.explain("--rows", "0:10", "--seed", 1), first)
        self.assertNotEqual(self.explain("--rows", "0:10", "--seed", 2), first)

    def test_training(self):
        words = ("train", "--data", "people.csv", "--label", "accepted", "--favourable", "yes",
                 "--epochs", "5")
        self.croco(*words, "--output", "a.json")
        self.croco(*words, "--output", "b.json")
        self.assertEqual((self.folder / "a.json").read_bytes(),
                         (self.folder / "b.json").read_bytes())


if __name__ == "__main__":
    world.main()
