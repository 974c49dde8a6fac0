#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is built and what is installed loads no library from where somebody else may have put it, and
has the protections that the compiler and the linker offer.

Usage: binaries_test.py --build-dir build/release --program build/release/apps/cli/croco [--hardened]
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ARGUMENTS = None
MAGIC = b"\x7fELF"
RELOCATABLE = 1  # an object file; the loader never sees it


def binaries(folder):
    """The programs and shared libraries below a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or "node_modules" in path.parts:
            continue
        with path.open("rb") as file:
            head = file.read(18)
        if head.startswith(MAGIC) and head[16] != RELOCATABLE:
            yield path


def readelf(option, path):
    return subprocess.run(["readelf", "--wide", option, str(path)], capture_output=True, text=True,
                          check=True).stdout


def run_path_faults(text):
    """The entries of a run path from which anybody's libraries could be loaded."""
    faults = []
    for value in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", text):
        for entry in value.split(":"):
            if not entry.startswith(("/", "$ORIGIN")):
                faults.append(f"'{entry}' in '{value}'")
    return faults


class RunPaths(unittest.TestCase):
    def check(self, folder):
        found = list(binaries(folder))
        self.assertGreater(len(found), 0, folder)
        for path in found:
            self.assertEqual(run_path_faults(readelf("-d", path)), [], path)
        return found

    def test_what_is_a_fault(self):
        line = " 0x1d (RUNPATH)            Library runpath: [{}]\n"
        for value, count in (("", 1), (":/usr/lib", 1), ("/usr/lib:", 1), ("/a::/b", 1),
                             ("lib:/usr/lib", 1), ("./lib", 1), ("/usr/lib", 0),
                             ("$ORIGIN/../lib", 0)):
            self.assertEqual(len(run_path_faults(line.format(value))), count, value)

    def test_everything_that_is_built(self):
        found = self.check(ARGUMENTS.build_dir)
        self.assertIn(ARGUMENTS.program, found)

    def test_everything_that_is_installed(self):
        with tempfile.TemporaryDirectory(prefix="croco-install-") as prefix:
            subprocess.run(["cmake", "--install", str(ARGUMENTS.build_dir), "--prefix", prefix],
                           check=True, capture_output=True)
            found = self.check(pathlib.Path(prefix))
            self.assertIn("croco", [path.name for path in found])


class Protections(unittest.TestCase):
    """Of the program that is installed."""

    def setUp(self):
        if not ARGUMENTS.hardened:
            self.skipTest("a build without them")

    def test_it_can_lie_anywhere_in_memory(self):
        self.assertRegex(readelf("-h", ARGUMENTS.program), r"Type:\s+DYN")
        self.assertRegex(readelf("-d", ARGUMENTS.program), r"\(FLAGS_1\).*\bPIE\b")

    def test_its_tables_cannot_be_written(self):
        self.assertIn("GNU_RELRO", readelf("-l", ARGUMENTS.program))
        self.assertRegex(readelf("-d", ARGUMENTS.program), r"\(FLAGS_1\).*\bNOW\b")

    def test_no_memory_is_both_written_and_executed(self):
        segments = readelf("-l", ARGUMENTS.program)
        stack = re.search(r"GNU_STACK(?:\s+0x[0-9a-f]+){5}\s+(\S+)", segments)
        self.assertIsNotNone(stack, segments)
        self.assertEqual(stack[1], "RW")
        self.assertNotRegex(segments, r"LOAD.*\bRWE\b")

    def test_it_checks_its_stack_and_its_buffers(self):
        symbols = readelf("--dyn-syms", ARGUMENTS.program)
        self.assertRegex(symbols, r"\b__stack_chk_fail\b")
        self.assertRegex(symbols, r"\b__\w+_chk\b@GLIBC", "no checked function of the C library")

    def test_indirect_branches_end_at_marked_places(self):
        # The program itself has no mark where the C library's start files have none, as in Debian 12.
        archive = ARGUMENTS.build_dir / "croco" / "libcroco.a"
        if "X86-64" not in readelf("-h", ARGUMENTS.program):
            self.skipTest("another kind of processor")
        notes = readelf("-n", archive).split("\nFile: ")[1:]
        self.assertGreater(len(notes), 10)
        for note in notes:
            self.assertRegex(note, r"IBT, SHSTK", note.splitlines()[0])


def main():
    global ARGUMENTS
    parser = argparse.ArgumentParser()
    parser.add_argument("--build-dir", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--program", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--hardened", action="store_true")
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
