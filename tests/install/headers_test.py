#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public interface is small, and each of its headers opens with what it is for and an example.

Usage: headers_test.py INCLUDE_DIR
"""
import pathlib
import sys

MOST = 40


def main():
    root = pathlib.Path(sys.argv[1]) / "croco"
    headers = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in root.rglob("*.hpp")}
    faults = []
    if len(headers) > MOST:
        faults.append(f"there are {len(headers)} public headers; at most {MOST} are allowed")
    for name, text in sorted(headers.items()):
        opening = text.split("#pragma once")[0].splitlines()
        if not any(line.startswith("/// ") for line in opening):
            faults.append(f"{name}: it does not say what it is for")
        if not any(line.startswith("///     ") for line in opening):
            faults.append(f"{name}: it does not open with an example")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(headers)} public headers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
