#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when an include points up the layers of croco/, or sideways to a folder of the same layer, and
when two headers define a type of the same name, which the linker would silently take for one.

Usage: check_layers.py [--self-test] [SOURCE_DIR]
"""
import argparse
import pathlib
import re
import sys
import tempfile

LAYERS = {
    "base": 0,
    "kernels": 1, "space": 1, "optim": 1,
    "data": 2, "models": 2, "noise": 2,
    "remote": 3, "robustness": 3,
    "methods": 4, "proof": 4,
    "explain": 5,
    "evaluation": 6, "report": 6,
    "experiment": 7,
}
# No column name, string or file may reach the mathematics, although data/ lies below it.
FORBIDDEN = {
    ("robustness", "data"), ("methods", "data"), ("proof", "data"),
    ("methods", "remote"), ("proof", "remote"),
}
SUFFIXES = {".hpp", ".cpp"}
TYPE = re.compile(r"(?:struct|class|enum class) (\w+)[^;]*$")
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def problem_of(folder, bracket, target):
    """Why a file of croco/<folder> must not include `target`; None when it may."""
    top, *rest = pathlib.PurePosixPath(target).parts
    if top == "apps":
        return "the library must not know the applications"
    if bracket == '"':
        return "write includes of the project as <croco/...>"
    if top != "croco":
        return None
    other = rest[0] if len(rest) > 1 else ""
    if other not in LAYERS:
        return f"'{other or target}' is no folder of croco/ that has a layer"
    if other == folder:
        return None
    if (folder, other) in FORBIDDEN:
        return f"{folder}/ must not see {other}/"
    if LAYERS[other] > LAYERS[folder]:
        return f"{folder}/ (layer {LAYERS[folder]}) is below {other}/ (layer {LAYERS[other]})"
    if LAYERS[other] == LAYERS[folder]:
        return f"{folder}/ and {other}/ are siblings of layer {LAYERS[folder]}"
    return None


def check(source_dir):
    """One message per broken rule, and the number of files that were read."""
    root = pathlib.Path(source_dir)
    messages = []
    types = {}
    files = sorted(path for path in (root / "croco").rglob("*") if path.suffix in SUFFIXES)
    for path in files:
        name = path.relative_to(root).as_posix()
        folder = path.relative_to(root / "croco").parts[0]
        if folder not in LAYERS:
            messages.append(f"{name}:1: '{folder}' is no folder of croco/ that has a layer")
            continue
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), start=1):
            defined = path.suffix == ".hpp" and TYPE.match(line)
            if defined and types.setdefault(defined[1], name) != name:
                messages.append(f"{name}:{number}: '{defined[1]}' is also a type of "
                                f"{types[defined[1]]}")
            match = INCLUDE.match(line)
            problem = match and problem_of(folder, match[1], match[2])
            if problem:
                messages.append(f"{name}:{number}: includes {match[2]}: {problem}")
    return messages, len(files)


def self_test():
    """Plants one file per rule and compares what is found with what must be found."""
    cases = [
        ("base/a.hpp", "#include <vector>", None),
        ("base/b.hpp", "#include <croco/base/a.hpp>", None),
        ("base/c.hpp", "#include <croco/space/space.hpp>",
         "base/ (layer 0) is below space/ (layer 1)"),
        ("space/a.cpp", "#include <croco/optim/adam.hpp>",
         "space/ and optim/ are siblings of layer 1"),
        ("models/a.cpp", "#  include <croco/data/csv.hpp>",
         "models/ and data/ are siblings of layer 2"),
        ("data/a.cpp", "#include <croco/space/space.hpp>", None),
        ("robustness/a.cpp", "#include <croco/models/model.hpp>", None),
        ("robustness/b.cpp", "#include <croco/data/csv.hpp>", "robustness/ must not see data/"),
        ("methods/a.cpp", "#include <croco/data/codec.hpp>", "methods/ must not see data/"),
        ("proof/a.cpp", "#include <croco/data/codec.hpp>", "proof/ must not see data/"),
        ("proof/b.cpp", "#include <croco/methods/method.hpp>",
         "proof/ and methods/ are siblings of layer 4"),
        ("methods/b.cpp", "// #include <croco/data/codec.hpp>", None),
        ("explain/a.cpp", "#include <croco/data/codec.hpp>", None),
        ("report/a.cpp", "#include <croco/evaluation/metrics.hpp>", "are siblings of layer 6"),
        ("report/b.cpp", "#include <croco/nowhere/x.hpp>", "'nowhere' is no folder of croco/"),
        ("report/c.cpp", '#include "text.hpp"', "write includes of the project as <croco/...>"),
        ("report/d.cpp", "#include <apps/cli/main.hpp>", "must not know the applications"),
        ("report/e.hpp", "struct Twice {", None),
        ("report/f.hpp", "struct Twice;", None),
        ("report/g.hpp", "class Twice : public Other {", "'Twice' is also a type of croco/report/e.hpp"),
        ("report/h.cpp", "struct Twice {", None),
        ("nowhere/a.cpp", "", "'nowhere' is no folder of croco/"),
    ]
    with tempfile.TemporaryDirectory() as root:
        for name, line, _ in cases:
            path = pathlib.Path(root, "croco", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"// first line\n{line}\n", encoding="utf-8")
        messages, count = check(root)
    failures = [] if count == len(cases) else [f"read {count} of {len(cases)} files"]
    for name, line, expected in cases:
        place = f"croco/{name}:{2 if line else 1}: "
        found = [message for message in messages if message.startswith(f"croco/{name}:")]
        if expected is None:
            failures += [f"false alarm: {message}" for message in found]
        elif len(found) != 1 or not found[0].startswith(place) or expected not in found[0]:
            failures.append(f"expected '{place}... {expected}', found {found}")
    return failures, len(cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source_dir", nargs="?", default=pathlib.Path(__file__).parent.parent)
    parser.add_argument("--self-test", action="store_true", help="check the checker itself first")
    arguments = parser.parse_args()
    if arguments.self_test:
        failures, count = self_test()
        for failure in failures:
            print(f"self-test: {failure}", file=sys.stderr)
        if failures:
            return 1
        print(f"self-test: {count} cases hold")
    messages, count = check(arguments.source_dir)
    if count == 0:
        messages.append(f"{arguments.source_dir}/croco holds no C++ files")
    for message in messages:
        print(message, file=sys.stderr)
    if not messages:
        print(f"{count} files respect the layers")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
