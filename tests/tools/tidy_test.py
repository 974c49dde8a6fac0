#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/tidy.py in a small tree, with a program in place of clang-tidy that objects to the word BAD."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TIDY = pathlib.Path(__file__).parents[2] / "tools" / "tidy.py"
FAKE = """#!/usr/bin/env python3
import pathlib, sys
if sys.argv[1] == "--version":
    sys.exit(print("fake 1"))
name = sys.argv[2]
with open("asked", "a") as log:
    print(name, *sys.argv[sys.argv.index("--") + 1:], file=log)
text = pathlib.Path(name).read_text() + pathlib.Path("croco/base/a.hpp").read_text()
for line in text.splitlines():
    if line.startswith('#include "'):
        text += pathlib.Path(line.split('"')[1]).read_text()
print("3 warnings generated.", file=sys.stderr)
if text.count("CLASH") > 1:
    print(f"{pathlib.Path.cwd()}/{name}:1:1: error: redefinition of 'CLASH' [clang-diagnostic-error]")
    sys.exit(1)
if "BAD" in text:
    print(f"{pathlib.Path.cwd()}/{name}:1:1: error: it is BAD [check]")
    sys.exit(1)
"""


class Tidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("croco/base/a.hpp", "int a;\n")
        self.write("croco/base/b.hpp", "#include <croco/base/a.hpp>\n")
        self.write("croco/base/one.cpp", "#include <croco/base/b.hpp>\n")
        self.write("croco/data/two.cpp", "int two;\n")
        self.write("tests/three.cpp", "BAD\n")
        self.write(".clang-tidy", "Checks: '*'\n")
        self.write("bin/clang-tidy-19", FAKE).chmod(0o755)
        (self.root / "tools").mkdir()
        shutil.copy(TIDY, self.root / "tools")
        unity = self.write("build/croco/Unity/unity_0.cxx", f'#include "{self.root}/croco/data/two.cpp"\n')
        files = [self.root / "croco/base/one.cpp", unity, self.root / "tests/three.cpp"]
        self.write("build/compile_commands.json", json.dumps(
            [{"file": str(file), "command": f"c++ -O1 --param=ggc-min-expand=100 -Winvalid-pch -include pch.hxx -o x.o -c {file}"}
             for file in files]))

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run_tidy(self, *words):
        """Exit code, what was printed, and the files that were checked with their arguments."""
        asked = self.root / "asked"
        asked.write_text("", encoding="utf-8")
        run = subprocess.run([sys.executable, "-B", self.root / "tools/tidy.py", *words, "build"], text=True,
                             cwd=self.root, capture_output=True, check=False,
                             env={**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"})
        return run.returncode, run.stdout + run.stderr, sorted(asked.read_text(encoding="utf-8").splitlines())

    def test_checks_each_file_of_a_unity_build_once(self):
        both = ["croco/base/one.cpp -O1", "croco/data/two.cpp -O1"]
        code, text, asked = self.run_tidy()
        self.assertEqual((code, asked), (0, both))
        self.assertIn("2 files, 2 of them checked", text)
        self.assertEqual(self.run_tidy()[2], [])
        self.assertEqual(self.run_tidy("--no-cache")[2], both)

    def test_files_that_are_compiled_as_one_are_checked_as_one(self):
        self.write("croco/base/three.cpp", "int three;\n")
        unity = self.write("build/croco/Unity/unity_0.cxx", "".join(
            f'#include "{self.root}/croco/{name}.cpp"\n' for name in ("data/two", "base/three")))
        code, text, asked = self.run_tidy()
        self.assertEqual((code, asked), (0, [f"{unity} -O1", "croco/base/one.cpp -O1"]))
        self.assertIn("3 files, 3 of them checked", text)
        self.assertEqual(self.run_tidy()[2], [])
        self.write("croco/base/three.cpp", "int three;  // BAD\n")
        code, _, asked = self.run_tidy()
        self.assertEqual((code, asked), (1, [f"{unity} -O1"]))

    def test_a_change_of_an_included_header_or_of_the_checks_counts(self):
        self.run_tidy()
        self.write("croco/base/a.hpp", "int a2;\n")
        self.assertEqual(self.run_tidy()[2], ["croco/base/one.cpp -O1"])
        self.write("croco/base/.clang-tidy", "InheritParentConfig: true\n")
        self.assertEqual(self.run_tidy()[2], ["croco/base/one.cpp -O1"])
        self.write(".clang-tidy", "Checks: '-*'\n")
        self.assertEqual(len(self.run_tidy()[2]), 2)

    def add_source(self, name, text):
        """One more source with a command of its own."""
        commands = json.loads((self.root / "build/compile_commands.json").read_text(encoding="utf-8"))
        file = str(self.write(name, text))
        commands.append({"file": file, "command": f"c++ -O1 -o x.o -c {file}"})
        self.write("build/compile_commands.json", json.dumps(commands))

    def test_sources_of_one_folder_are_checked_as_one(self):
        self.add_source("croco/base/four.cpp", "int four;\n")
        code, text, asked = self.run_tidy()
        self.assertEqual((code, len(asked)), (0, 2))
        self.assertRegex(asked[0], r"/build/tidy/merged/[0-9a-f]+\.cpp -O1$")
        self.assertIn("3 files, 3 of them checked", text)
        self.assertEqual(self.run_tidy()[2], [])
        self.write("croco/base/four.cpp", "int four;  // BAD\n")
        code, text, asked = self.run_tidy()
        self.assertEqual((code, len(asked)), (1, 1))
        self.assertIn("it is BAD", text)

    def test_sources_whose_names_clash_are_checked_one_by_one(self):
        self.write("croco/base/one.cpp", "int CLASH;\n")
        self.add_source("croco/base/four.cpp", "int CLASH;  // BAD\n")
        code, text, asked = self.run_tidy()
        self.assertEqual(code, 1)
        self.assertEqual(asked[1:], ["croco/base/four.cpp -O1", "croco/base/one.cpp -O1",
                                     "croco/data/two.cpp -O1"])
        self.assertIn("croco/base/four.cpp:1:1: error: it is BAD", text)
        self.assertNotIn("redefinition", text)

    def test_sources_with_rules_of_their_own_are_checked_alone(self):
        self.add_source("croco/kernels/five.cpp", "int five;\n")
        self.add_source("croco/kernels/six.cpp", "int six;\n")
        _, _, asked = self.run_tidy()
        self.assertIn("croco/kernels/five.cpp -O1", asked)
        self.assertIn("croco/kernels/six.cpp -O1", asked)

    def test_findings_are_printed_and_found_again(self):
        self.write("croco/data/two.cpp", "int two;  // BAD\n")
        for _ in range(2):
            code, text, asked = self.run_tidy()
            self.assertEqual(code, 1)
            self.assertIn("croco/data/two.cpp:1:1: error: it is BAD", text)
            self.assertNotIn("warnings generated", text)
            self.assertIn("croco/data/two.cpp -O1", asked)

    def test_nothing_to_check_is_an_error(self):
        self.write("build/compile_commands.json", "[]")
        code, text, _ = self.run_tidy()
        self.assertEqual(code, 1)
        self.assertIn("has none of the files to check", text)


if __name__ == "__main__":
    unittest.main()
