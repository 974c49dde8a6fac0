#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of run_cases.py itself, against a small shell script in the role of the program."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RUNNER = pathlib.Path(__file__).with_name("run_cases.py")
PROGRAM = r"""#!/bin/sh
case $1 in
  say) shift; printf '%s\n' "$@" ;;
  complain) echo "$2" >&2; exit "$3" ;;
  write) printf '%s\n' "$3" > "$2" ;;
  show) cat "$2" ;;
  where) printf '%s\n' "$HOME" "${CROCO_DATA_DIR-unset}" "${PLACE-nowhere}"; pwd ;;
  count) ls -A | wc -l ;;
  crash) kill -s "$2" $$ ;;
  sleep) sleep 30 & wait ;;
  odd) printf 'a\377b\n' ;;
  unended) printf 'no line break' ;;
esac
"""


class RunCases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.program = self.folder / "not-called-croco.sh"
        self.program.write_text(PROGRAM, encoding="utf-8")
        self.program.chmod(0o755)
        self.cases = self.folder / "cases"
        self.cases.mkdir()
        self.file = self.cases / "some.case"

    def run_text(self, text, *options, **variables):
        """Runs a case file of this text; exit code, stdout, stderr."""
        self.file.write_text(text, encoding="utf-8")
        environment = {**os.environ, "CROCO_DATA_DIR": "/somewhere"}
        environment.pop("CROCO_TEST_DATA_DIR", None)
        environment.update(variables)
        done = subprocess.run(
            [sys.executable, RUNNER, "--program", self.program, "--source-dir", self.folder,
             *options, self.file],
            env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def assert_holds(self, steps, **variables):
        code, out, err = self.run_text(f"case: it\n{steps}\n", **variables)
        self.assertEqual((code, err), (0, ""), out)
        self.assertIn("ok 1 - it\n# 1 cases: 1 passed, 0 failed, 0 skipped\n", out)

    def assert_fails(self, steps, message, *options):
        code, out, err = self.run_text(f"case: it\n{steps}\n", *options)
        self.assertEqual((code, err), (1, ""), out)
        self.assertIn("not ok 1 - it\n", out)
        self.assertIn(message, out)

    def assert_refused(self, text, message):
        code, out, err = self.run_text(text)
        self.assertEqual((code, out), (2, ""))
        self.assertIn(message, err)

    def test_expectations_that_hold(self):
        self.assert_holds("run: croco say 'one two' three\nstdout: one two\nstdout~: ^three$\n"
                          "stdout!: four\nstderr:")
        self.assert_holds("run: croco complain 'no such thing' 2\nexit: 2\nstderr: such\nstdout:")
        self.assert_holds("run: croco say a '' '  b'\nstdout:\n  | a\n  |\n  |   b")
        self.assert_holds("run: croco write out.csv 'a{2}'\nfile out.csv: a{2}\n"
                          "file out.csv~: ^a.2\nfile out.csv!: b\nno-file: other.csv")

    def test_expectations_that_fail(self):
        for steps, message in [
            ("run: croco say one\nstdout: two", "some.case:3: stdout lacks 'two'"),
            ("run: croco say one\nstdout!: on", "some.case:3: stdout holds 'on'"),
            ("run: croco say one\nstdout~: ^n", "some.case:3: stdout does not match '^n'"),
            ("run: croco say one\nstderr: one", "some.case:3: stderr lacks 'one'"),
            ("run: croco say one two\nstdout:\n  | one", "stdout is not what the '|' lines say"),
            ("run: croco say one\nstdout:", "stdout is not what the '|' lines say"),
            ("run: croco complain x 3", "some.case:2: the exit code is 3, not 0"),
            ("run: croco complain x 3\nexit: 2", "some.case:3: the exit code is 3, not 2"),
            ("run: croco say\nexit: 2", "some.case:3: the exit code is 0, not 2"),
            ("run: croco say\nfile out.csv: a", "some.case:3: file out.csv is not there"),
            ("run: croco write a.csv x\nfile a.csv: y", "some.case:3: file a.csv lacks 'y'"),
            ("run: croco write a.csv x\nfile a.csv!: x", "some.case:3: file a.csv holds 'x'"),
            ("run: croco write a.csv x\nno-file: a.csv", "some.case:3: file a.csv is there"),
            ("setup: exit 4\nrun: croco say", "some.case:2: exit 4: the set-up ended with 4"),
            ("run: nothing-like-this", "the exit code is 127, not 0"),
        ]:
            with self.subTest(steps):
                self.assert_fails(steps, message)

    def test_a_failure_shows_what_was_printed(self):
        self.assert_fails("run: croco complain 'the reason' 5\nexit: 2", "# stderr: the reason\n")

    def test_a_crash_fails_with_the_name_of_the_signal(self):
        self.assert_fails("run: croco crash SEGV\nexit: 139", "killed by SIGSEGV")
        self.assert_fails("run: croco crash ABRT", "killed by SIGABRT")
        self.assert_fails("run: sh -c 'croco crash SEGV; exit $?'\nexit: 139", "killed by SIGSEGV")

    def test_a_run_that_takes_too_long_is_ended_with_its_children(self):
        self.assert_fails("run: croco sleep", "not done after 0.5 s", "--time-limit", "0.5")

    def test_a_failed_run_ends_its_case(self):
        code, out, _ = self.run_text("case: it\nrun: croco say x\nstdout: y\n"
                                     "run: croco crash SEGV\n")
        self.assertEqual(code, 1)
        self.assertNotIn("SIGSEGV", out)

    def test_files_and_setup_come_before_the_run_that_follows(self):
        self.assert_holds("file sub/in.csv:\n  | a,b\n  |\n  | 1, \nrun: croco show sub/in.csv\n"
                          "stdout:\n  | a,b\n  |\n  | 1, \nsetup: printf 'x\\000y' > odd\n"
                          "file sub/in.csv:\n  | new\nrun: croco show odd\nstdout~: ^x\\x00y$\n"
                          "run: croco show sub/in.csv\nstdout:\n  | new")

    def test_every_case_has_a_folder_of_its_own_that_is_home(self):
        self.assert_holds("run: PLACE=here croco where\nstdout:\n  | {work}\n  | unset\n  | here\n"
                          "  | {work}")
        code, out, _ = self.run_text("case: one\nrun: croco write left x\n"
                                     "case: two\nrun: croco count\nstdout~: ^ *0$\n")
        self.assertEqual(code, 0, out)

    def test_placeholders(self):
        (self.cases / "models").mkdir()
        (self.cases / "models" / "tiny.json").write_text("{source} {}\n", encoding="utf-8")
        self.assert_holds("run: croco show {models}/tiny.json\nstdout: {}")
        self.assert_holds("run: croco say {cases} {source} {unknown}\nstdout: {unknown}\n"
                          f"stdout: {self.cases}\nstdout~: ^{self.folder}$\nstdout~: ^{{source}}$")

    def test_cases_that_need_data(self):
        text = "case: with\nrun: croco say {data}\nstdout: {data}\n"
        code, out, _ = self.run_text(text)
        self.assertEqual(code, 77)
        self.assertIn("ok 1 - with # SKIP CROCO_TEST_DATA_DIR is not set\n", out)
        self.assertIn("# 1 cases: 0 passed, 0 failed, 1 skipped\n", out)
        code, out, _ = self.run_text(text + "case: without\nrun: croco say\n")
        self.assertEqual(code, 0)
        self.assertIn("# 2 cases: 1 passed, 0 failed, 1 skipped\n", out)
        code, out, _ = self.run_text(text, CROCO_TEST_DATA_DIR=str(self.folder))
        self.assertEqual(code, 0)
        self.assertIn("# 1 cases: 1 passed, 0 failed, 0 skipped\n", out)
        code, _, err = self.run_text(text, CROCO_TEST_DATA_DIR="/no/such/folder")
        self.assertEqual(code, 2)
        self.assertIn("CROCO_TEST_DATA_DIR is '/no/such/folder', which is no folder", err)

    def test_filter(self):
        text = "case: good\nrun: croco say\ncase: bad\nrun: croco crash SEGV\n"
        self.assertEqual(self.run_text(text)[0], 1)
        self.assertEqual(self.run_text(text, "--filter", "goo")[0], 0)
        code, _, err = self.run_text(text, "--filter", "ugly")
        self.assertEqual(code, 2)
        self.assertIn("no case has 'ugly' in its name", err)

    def test_bytes_that_are_not_utf8_are_shown(self):
        self.assert_holds("run: croco odd\nstdout: a\\xffb")

    def test_update_rewrites_exact_blocks_only(self):
        text = ("# kept\ncase: it\nrun: croco say {source}/x '' new\nstdout:\n    | old\n"
                "    | more\nstdout: new\nstderr:\n  | gone\n\ncase: other\nrun: croco say b\nstdout:\n")
        code, out, _ = self.run_text(text, "--update")
        self.assertEqual(code, 0, out)
        updated = self.file.read_text(encoding="utf-8")
        self.assertEqual(updated, "# kept\ncase: it\nrun: croco say {source}/x '' new\nstdout:\n"
                         "  | {source}/x\n  |\n  | new\nstdout: new\nstderr:\n\n"
                         "case: other\nrun: croco say b\nstdout:\n  | b\n")
        self.assertEqual(self.run_text(updated)[0], 0)

    def test_update_does_not_hide_other_failures(self):
        self.assert_fails("run: croco complain x 3\nstderr:\n  | y", "the exit code is 3",
                          "--update")
        self.assert_fails("run: croco unended\nstdout:\n  | y", "does not end with a line break",
                          "--update")

    def test_mistakes_in_case_files(self):
        for text, message in [
            ("", "some.case: there is no case in this file"),
            ("run: croco\n", "some.case:1: 'run' stands before the first 'case:'"),
            ("case: it\n", "some.case:1: case 'it' does not end with a 'run:'"),
            ("case: it\nrun: croco\nsetup: true\n", "does not end with a 'run:'"),
            ("case: it\nexit: 2\nrun: croco\n", "some.case:2: 'exit' expects something of a run"),
            ("case: it\nrun: croco\nstdot: x\n", "some.case:3: 'stdot: x' is none of case, file"),
            ("case: it\nrun: croco\nexit~: 2\n", "some.case:3: 'exit~' is unknown"),
            ("case: it\nrun: croco\nexit: two\n", "exit is 'two'; it must be a whole number"),
            ("case: it\nrun: croco\nstdout~: (\n", "some.case:3: '(': missing )"),
            ("case: it\nrun: croco 'x\n", "some.case:2: 'croco 'x': No closing quotation"),
            ("case: it\nrun: croco\nstdout!:\n", "some.case:3: nothing follows 'stdout!:'"),
            ("case: it\nrun: croco\nstdout: x\n  | y\n", "some.case:4: '|' lines follow"),
            ("case: it\nrun: croco\ncase: it\nrun: croco\n", "some.case:3: there is a case 'it'"),
        ]:
            with self.subTest(text):
                self.assert_refused(text, message)


if __name__ == "__main__":
    unittest.main()
