#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`make install` builds the program alone: whoever installs croco does not wait for its tests
(docs/start/install.md).

Usage: make_install_test.py MAKE SOURCE_DIR
"""
import subprocess
import sys


def main() -> int:
    make, source = sys.argv[1:]
    words = [make, "--dry-run", "--always-make", "install", "PREFIX=/somewhere"]
    done = subprocess.run(words, cwd=source, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stderr)
        return 1
    builds = [line for line in done.stdout.splitlines() if "cmake --build" in line]
    installs = [line for line in done.stdout.splitlines() if "cmake --install" in line]
    wrong = [line for line in builds if "--target croco_cli" not in line]
    if wrong or not builds or len(installs) != 1 or "/somewhere" not in installs[0]:
        print(done.stdout)
        print("make install must build the program (croco_cli) and nothing else, and install it")
        return 1
    return 0


sys.exit(main())
