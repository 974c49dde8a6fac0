#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No value of a report can be changed without `croco verify` noticing, not even by somebody who
writes a new manifest for what was changed.

Usage: verify_test.py --program build/release/apps/cli/croco
"""
import concurrent.futures
import copy
import hashlib
import json
import os
import subprocess
import tempfile

import world

# Without --again nothing is searched for again, and verify says that it has not seen these.
NOT_WITHOUT_AGAIN = {
    ("search",): "how the search went; no promise rests on it",
    ("obstacle",): "found by dozens of searches",
    ("proof",): "found by branch and bound",
    ("certificate", "attempts"): "attempts that were planned after this one, each at its own share",
}
SETTINGS = ("--noise", "gaussian:sd=0.05", "--noise-scale", "debt=2", "--flip", "home=0.03",
            "--noise-on", "all", "--max-samples", "2000", "--target", "0.2")
# More than anybody can make up for.
HARSH = ("--noise", "gaussian:sd=0.6", "--flip", "home=0.2", "--max-samples", "2000", "--prove",
         "--prove-samples", "512")


def leaves(value, path=()):
    """Every place in a JSON value, with what is there: objects and arrays themselves too."""
    yield path, value
    inner = (value.items() if isinstance(value, dict)
             else enumerate(value) if isinstance(value, list) else ())
    for key, item in inner:
        yield from leaves(item, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def changed(value):
    """Other values of the same kind, each a little off."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1]
    if isinstance(value, float):
        return [value * (1 + 1e-6) if value else 1e-6]
    if isinstance(value, str):
        return [value + "x"]
    if isinstance(value, dict):
        return [{**value, "added": 1}]
    if isinstance(value, list) and value:
        turned = [value[::-1]] if value[::-1] != value else []
        return [value[:-1], [*value, value[-1]], *turned]
    return []


def mutations(line):
    """(path, what, the line with that one thing changed), for every place in it."""
    for path, value in leaves(line):
        for other in changed(value):
            if not path:
                yield path, "a key added", other
                continue
            out = copy.deepcopy(line)
            at(out, path[:-1])[path[-1]] = other
            yield path, f"{json.dumps(value)[:40]} -> {json.dumps(other)[:40]}", out
        if path and isinstance(path[-1], str):
            out = copy.deepcopy(line)
            del at(out, path[:-1])[path[-1]]
            yield path, "deleted", out


def text_of(lines):
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


class Verify(world.ProgramTest):
    @classmethod
    def explain(cls, name, *words, settings=SETTINGS):
        cls.croco("explain", "--model", "model.json", "--data", "people.csv", *settings, *words,
                  "--output", name, codes=(0, 7))  # 7: nobody was helped
        return cls.read(name)

    @classmethod
    def read(cls, name):
        manifest = json.loads((cls.folder / f"{name}.manifest.json").read_text())
        return [json.loads(line) for line in (cls.folder / name).read_text().splitlines()], manifest

    def write(self, lines, manifest, name):
        """A report, and a manifest that a forger has made fit to it."""
        text = text_of(lines)
        forged = {**manifest, "sha256": hashlib.sha256(text.encode()).hexdigest(), "lines": []}
        statuses = {}
        for line in lines:
            entry = {"row": line.get("row", 0)}
            if "alternative" in line:
                entry["alternative"] = line["alternative"]
            entry["status"] = line.get("status", "found")
            entry["sha256"] = hashlib.sha256(text_of([line]).encode()).hexdigest()
            forged["lines"].append(entry)
            if entry.get("alternative", 1) == 1:
                statuses[entry["status"]] = statuses.get(entry["status"], 0) + 1
        forged["rows"] = len({entry["row"] for entry in forged["lines"]
                              if isinstance(entry["row"], int)})
        forged["statuses"] = dict(sorted(statuses.items()))
        (self.folder / name).write_text(text)
        (self.folder / f"{name}.manifest.json").write_text(json.dumps(forged))

    def verify(self, name, *words):
        return subprocess.run(
            self.command("verify", name, "--model", "model.json", "--samples", "50", "--threads", "1",
                         *words), cwd=self.folder, capture_output=True, text=True, timeout=300,
            check=False)

    def verify_lines(self, lines, manifest, *words):
        with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".jsonl") as file:
            name = os.path.basename(file.name)
            self.write(lines, manifest, name)
            try:
                return self.verify(name, *words)
            finally:
                (self.folder / f"{name}.manifest.json").unlink()

    def failures(self, done):
        """What the output says is wrong."""
        return "\n".join(line for line in done.stdout.splitlines() if line.startswith("  FAIL")) + (
            done.stderr if done.returncode not in (0, 1) else "")

    def check_every_place(self, line, manifest, *words, allowed=(), only=((),)):
        """Changes every place below those of `only`; returns those of `allowed` that pass."""
        done = self.verify_lines([line], manifest, *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

        def check(mutation):
            path, what, other = mutation
            done = self.verify_lines([other], manifest, *words)
            failures = self.failures(done)
            place = ".".join(map(str, path))
            not_seen = [key for key in allowed if path[:len(key)] == key]
            if not_seen and done.returncode == 0:
                return not_seen[0]
            if done.returncode not in (1, 3) or not failures:
                return f"{place}: {what}: exit code {done.returncode}, nothing is said of it"
            # Of a certificate the draws or the bound may tell; what a person reads is named.
            names = {str(key) for key in path if isinstance(key, str)} or {"added"}
            if path[:1] != ("certificate",) and not any(name in failures for name in names):
                return f"{place}: {what}: not named in {failures}"
            return None

        found = set()
        wrong = []
        some = [mutation for mutation in mutations(line)
                if any(mutation[0][:len(key)] == key for key in only)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for outcome in pool.map(check, some):
                if isinstance(outcome, tuple):
                    found.add(outcome)
                elif outcome:
                    wrong.append(outcome)
        self.assertEqual(wrong, [], "\n".join(wrong))
        return found

    def one(self, name, status, *words):
        lines, manifest = self.explain(name, *words)
        chosen = [line for line in lines if line["status"] == status]
        self.assertTrue(chosen, {line["status"] for line in lines})
        return chosen[0], manifest

    def test_every_place_of_a_certified_row(self):
        line, manifest = self.one("found.jsonl", "found", "--rows", "0:30")
        data = ("--data", "people.csv")
        self.check_every_place(line, manifest, *data, "--again", only=NOT_WITHOUT_AGAIN)
        found = self.check_every_place(line, manifest, *data, allowed=NOT_WITHOUT_AGAIN)
        self.assertLessEqual(found, {("search",), ("certificate", "attempts")})

    def test_every_place_of_an_accepted_row(self):
        line, manifest = self.one("already.jsonl", "already", "--rows", "0:30")
        self.check_every_place(line, manifest, "--data", "people.csv")

    def test_every_place_of_a_row_that_misses_its_target(self):
        lines, manifest = self.explain("none.jsonl", "--rows", "0:10", settings=HARSH)
        line = next(line for line in lines if line["status"] == "unmet")
        words = ("--data", "people.csv")
        self.check_every_place(line, manifest, *words, "--again", only=NOT_WITHOUT_AGAIN)
        found = self.check_every_place(line, manifest, *words, allowed=NOT_WITHOUT_AGAIN)
        self.assertLessEqual({("search",), ("obstacle",)}, found)
        done = self.verify_lines([line], manifest, *words)
        self.assertIn("NOT CHECKED (--again makes it again, from the manifest):", done.stdout)
        self.assertIn("  obstacle: why there is no certified advice", done.stdout)
        self.assertIn("  proof: what no change can beat", done.stdout)
        # That the target is missed is said, and no fault of a certificate that says so.
        self.assertIn("the certificate holds\n  The target is not met, and the certificate says so.", done.stdout)
        self.assertIn("1 of 1 certificates hold\n1 of 1 rows hold\n1 state that their target is not "
                      "met\n", done.stderr)

    def test_every_place_of_judged_advice(self):
        (self.folder / "advice.csv").write_text("row,income,debt,home\n3,90,0,own\n")
        self.croco("certify", "--model", "model.json", "--data", "people.csv", "--counterfactuals",
                   "advice.csv", *SETTINGS, "--output", "judged.jsonl")
        (line,), manifest = self.read("judged.jsonl")
        self.check_every_place(line, manifest, "--data", "people.csv")

    def test_every_place_of_a_manifest(self):
        """Apart from the options, which --again follows, and the program's name."""
        lines, manifest = self.explain("whole.jsonl", "--rows", "0:6")
        named = dict(manifest)
        for path, what, other in mutations(named):
            if path[:1] in (("options",), ("program",), ("asked",)):
                continue
            with self.subTest(".".join(map(str, path)) + ": " + what):
                (self.folder / "forged.json").write_text(json.dumps(other))
                done = self.verify("whole.jsonl", "--manifest", "forged.json")
                self.assertIn(done.returncode, (1, 3), done.stdout)
                self.assertTrue(self.failures(done))
        for key, value in (("seed", ["7"]), ("target", ["0.3"]), ("nonsense", ["1"]),
                           ("max-samples", ["3000"]), ("output", ["x.csv"])):
            with self.subTest(key):
                other = {**manifest, "options": {**manifest["options"], key: value}}
                (self.folder / "forged.json").write_text(json.dumps(other))
                done = self.verify("whole.jsonl", "--manifest", "forged.json", "--again")
                self.assertIn(done.returncode, (1, 3), done.stdout)
        self.assertFalse((self.folder / "x.csv").exists())

    def test_certificates_belong_to_their_rows(self):
        lines, manifest = self.explain("rows.jsonl", "--rows", "0:30")
        advised = [i for i, line in enumerate(lines) if line["status"] == "found"]
        accepted = [i for i, line in enumerate(lines) if line["status"] == "already"]
        a, b = advised[:2]

        def forged(change):
            out = copy.deepcopy(lines)
            change(out)
            return self.verify_lines(out, manifest)

        def swap(out):
            out[a]["certificate"], out[b]["certificate"] = (out[b]["certificate"],
                                                            out[a]["certificate"])

        def delete(out):
            del out[a]["certificate"]

        def copy_over(out):
            out[b]["certificate"] = out[a]["certificate"]

        def attach(out):
            out[accepted[0]]["certificate"] = out[a]["certificate"]

        def raise_scales(out):
            scales = out[a]["certificate"]["noise"]["column_scales"]
            for name in scales:
                if name.startswith("home"):
                    scales[name] = 0.5

        self.assertEqual(forged(lambda out: None).returncode, 0)
        for change, said in ((swap, "the certificate is not about this row"), (delete, "'certificate' is missing"),
                             (copy_over, "the certificate is not about this row"), (attach, "'certificate' is "),
                             (raise_scales, "'noise.column_scales.home")):
            with self.subTest(change.__name__):
                done = forged(change)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(said, self.failures(done))

    def test_lines_that_are_missing_added_or_moved(self):
        lines, _ = self.explain("lines.jsonl", "--rows", "0:12")
        bytes_of = (self.folder / "lines.jsonl").read_bytes()
        each = bytes_of.splitlines(keepends=True)
        self.assertEqual(self.verify("lines.jsonl").returncode, 0)
        edited = each[2].replace(b'"method":"certified"', b'"method": "certified"')
        cases = {
            "row 4, line 5 of the run, is missing": each[:4] + each[5:],
            "row 11, line 12 of the run, is missing": each[:-1],
            "row 0, line 1 of the run, is missing": each[1:],
            "line 4 is not one that the run wrote: it was edited, added or repeated":
                each[:4] + each[3:],
            "line 1 is row 1, which the run wrote in line 2": [each[1], each[0], *each[2:]],
            "line 3 is not one that the run wrote": [*each[:2], edited, *each[3:]],
            "line 12 is not one that the run wrote: it was cut off or edited":
                [*each[:-1], each[-1][:-1]],
        }
        for said, forged in cases.items():
            with self.subTest(said):
                (self.folder / "forged.jsonl").write_bytes(b"".join(forged))
                done = self.verify("forged.jsonl", "--manifest", "lines.jsonl.manifest.json")
                self.assertEqual(done.returncode, 1, done.stdout)
                if "line 4 is not" in said:
                    said = "was edited, added or repeated"
                self.assertIn(said, self.failures(done))
        (self.folder / "cut.jsonl").write_bytes(bytes_of[:-100])
        done = self.verify("cut.jsonl", "--manifest", "lines.jsonl.manifest.json")
        self.assertEqual(done.returncode, 3, done.stdout)

    def test_a_report_without_its_manifest(self):
        self.explain("alone.jsonl", "--rows", "0:12")
        row = next(line["row"] for line in self.read("alone.jsonl")[0] if "certificate" in line)
        (self.folder / "alone.jsonl.manifest.json").unlink()
        done = self.verify("alone.jsonl")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no alone.jsonl.manifest.json, so that nothing says whether lines are "
                      "missing", done.stdout)
        for words in (("--manifest", "none"), ("--row", row)):
            done = self.verify("alone.jsonl", *words)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("  note manifest   NOT CHECKED", done.stdout)
        done = self.verify("alone.jsonl", "--again", "--manifest", "none")
        self.assertEqual(done.returncode, 2)

    def test_options_are_numbered_and_cheapest_first(self):
        lines, manifest = self.explain("ways.jsonl", "--rows", "0:20", "--options", "2", "--flip",
                                       "home=0")
        several = [i for i, line in enumerate(lines) if line.get("alternative") == 2]
        self.assertTrue(several)
        self.assertEqual(self.verify_lines(lines, manifest).returncode, 0)
        k = several[0]
        done = self.verify_lines(lines[:k] + lines[k + 1:], manifest, "--again")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"FAIL again      row {lines[k]['row']} has 1 of the 2 alternatives that the run gives",
                      done.stdout)
        lines[k]["alternative"], lines[k - 1]["alternative"] = 1, 2
        lines[k - 1], lines[k] = lines[k], lines[k - 1]
        done = self.verify_lines(lines, manifest)
        self.assertEqual(done.returncode, 1)
        self.assertIn("'distance.cost' is below that of the alternative before", done.stdout)

    def test_people_of_other_data(self):
        self.explain("data.jsonl", "--rows", "0:12")
        self.assertEqual(self.verify("data.jsonl", "--data", "people.csv").returncode, 0)
        rows = (self.folder / "people.csv").read_text().splitlines()
        (self.folder / "other.csv").write_text("\n".join([rows[0], *rows[2:], rows[1]]) + "\n")
        done = self.verify("data.jsonl", "--data", "other.csv")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAIL data       'before.income' is ", done.stdout)


if __name__ == "__main__":
    world.main()
