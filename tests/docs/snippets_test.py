#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what the documents tell readers to type, page by page, and compares what they say is printed.

Usage: snippets_test.py --program build/release/apps/cli/croco PAGE...     runs the snippets of pages
       snippets_test.py --program ... --check [--self-test]                only reads all pages
       snippets_test.py --list                                             pages with something to run

tests/docs/snippet_reader.py describes the marks of blocks. Exit codes: 0 all hold, 1 some fail, 77 when nothing
could be run.
"""
import argparse
import pathlib
import subprocess
import sys

from snippet_reader import check, pages_of, runnable
from snippet_runner import Page
from snippets_self_test import self_test

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--source", type=lambda text: pathlib.Path(text).resolve(), default=SOURCE)
    parser.add_argument("--python", help="interpreter that has the Python package")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("pages", nargs="*", type=lambda text: pathlib.Path(text).resolve())
    arguments = parser.parse_args()
    if arguments.list:
        for path in pages_of(arguments.source):
            if runnable(path):
                print(path.relative_to(arguments.source).as_posix())
        return 0
    if not arguments.program:
        parser.error("--program is required")
    faults = self_test(arguments.program) if arguments.self_test else []
    if arguments.check:
        found, count = check(arguments.source, arguments.program)
        faults += found
        if not faults:
            print(f"{count} blocks are in order")
    if arguments.python and subprocess.run([arguments.python, "-c", "import croco, sklearn"],
                                           capture_output=True, check=False).returncode != 0:
        arguments.python = None
    ran, skipped = 0, []
    for path in arguments.pages:
        page = Page(path, arguments)
        page.run()
        page.close()
        faults += page.faults
        ran += page.ran
        skipped += page.skipped
        print(f"{page.name}: {page.ran} blocks ran")
    for text in skipped:
        print(f"skipped: {text}")
    for fault in faults:
        print(fault, file=sys.stderr)
    if arguments.pages and ran == 0 and not skipped:
        faults.append("no block of these pages was run")
        print(faults[-1], file=sys.stderr)
    if faults:
        return 1
    return SKIPPED if arguments.pages and ran == 0 and skipped else 0


if __name__ == "__main__":
    sys.exit(main())
