#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of the documents name the keys and checks that the program has, no more and no fewer."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import world  # noqa: E402

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def table_names(page, heading):
    """The names in backticks of the first column of the first table below a heading."""
    text = (DOCS / page).read_text(encoding="utf-8")
    _, found, rest = text.partition(f"\n{heading}\n")
    if not found:
        raise AssertionError(f"docs/{page} has no line '{heading}'")
    rows = re.search(r"^\|.*\n\|[-|]+\n((?:\|.*\n)+)", rest, re.MULTILINE)
    return {name for row in rows[1].splitlines()
            for name in re.findall(r"`([^`]+)`", row.split("|")[1])}


class Formats(world.ProgramTest):
    PEOPLE = 200

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rows = cls.explained("advice.jsonl")
        for seed, folder in ((1, "retrained"), (2, "further")):
            cls.croco("retrain", "--data", "people.csv", "--like", "model.json", "--count", "60",
                      "--seed", str(seed), "--output", folder)
        cls.joint = cls.explained("joint.jsonl", "--models", "retrained/*")

    @classmethod
    def explained(cls, name, *words):
        cls.croco("explain", "--model", "model.json", "--data", "people.csv", "--rows", "0:20", "--target", "0.3",
                  "--noise", "gaussian:sd=0.02", *words, "--output", name)
        return [json.loads(line) for line in (cls.folder / name).read_text().splitlines()]

    def test_certificate(self):
        # Two keys are of query budgets alone, which are for remote models (cases.query_budget).
        budget = {"first_look", "attempt_stride"}
        documented = table_names("reference/certificates.md", "## The format")
        self.assertLess(budget, documented)
        known = documented - budget
        for rows, keys in ((self.rows, known - {"models"}), (self.joint, known)):
            certificates = [row["certificate"] for row in rows if row.get("certificate")]
            self.assertGreater(len(certificates), 3)
            for certificate in certificates:
                self.assertEqual(set(certificate), keys)

    def test_checks(self):
        said = self.croco("verify", "advice.jsonl", "--model", "model.json", "--data", "people.csv",
                          "--again").stdout
        said += self.croco("verify", "joint.jsonl", "--model", "model.json", "--models", "retrained/*",
                           "--fresh-models", "further/*").stdout
        known = (table_names("reference/certificates.md", "## Checking one")
                 | table_names("reference/certificates.md", "For a report (`.jsonl`), in addition:"))
        self.assertEqual(set(re.findall(r"(?m)^ +ok +([\w-]+) ", said)), known)


if __name__ == "__main__":
    world.main()
