#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when an include breaks the layers of croco: up the folders, sideways to a folder of the same
layer, against the order of the rooms (subfolders) of one folder, or from a public header (include/)
to an internal one. Also when a library that is slow to compile is included by another file than its
boundary, and when two headers define a type of the same name, which the linker would silently take
for one.

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
    "loading": 5,
    "explain": 6,
    "verify": 7,
    "report": 8,
    "audit": 9, "batch": 9, "experiment": 9, "service": 9,
}
# The rooms of a folder from the lowest; "" is the folder itself. Rooms of one line never include
# each other. A folder that is not listed has one room, whatever its subfolders are.
ROOMS = {
    "models": [("",), ("network", "trees"), ("graph", "files", "training", "pool"), ("onnx",)],
    "methods": [("change",), ("",), ("certified", "gradient_free", "descent"), ("surrogate",)],
    "audit": [("statistics",), ("",)],
}
# No column name, string or file may reach the mathematics, although data/ lies below it.
FORBIDDEN = {
    ("robustness", "data"), ("methods", "data"), ("proof", "data"),
    ("methods", "remote"), ("proof", "remote"),
}
# Rooms of pure functions, and all that they may see.
PURE = {("audit", "statistics"): {"base"}}
# Headers that take seconds to compile, and the only files that include them.
BOUNDARIES = {
    "CLI/": ("apps/cli/command_line.cpp",),
    "toml++/": ("apps/cli/config_file.cpp",),
    "boost/beast/": ("apps/server/connection.hpp", "apps/server/session.hpp"),
    "boost/asio/": ("apps/server/connection.hpp", "apps/server/session.hpp",
                    "apps/server/encryption.hpp"),
    "apps/server/encryption.hpp": ("apps/server/http_server.cpp",),
    "apps/server/session.hpp": ("apps/server/http_server.cpp",),
    "apps/server/connection.hpp": ("apps/server/session.hpp", "apps/server/encryption.hpp"),
}
# Both hold croco/: the headers that are installed, and everything else.
ROOTS = ("include", ".")
UMBRELLA = "croco.hpp"
SUFFIXES = {".hpp", ".cpp"}
TYPE = re.compile(r"(?:struct|class|enum class) (?:CROCO_EXPORT )?(\w+)(?!\w|::)[^;]*$")
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def room_problem(folder, room, other):
    """Why `room` of a folder must not include its room `other`; None when it may."""
    order = {name: level for level, names in enumerate(ROOMS.get(folder, [])) for name in names}
    if room == other or not order:
        return None
    for name in (room, other):
        if name not in order:
            return f"{folder}/{name}/ has no place among the rooms of {folder}/"
    shown, seen = (f"{folder}/{name}/".replace("//", "/") for name in (room, other))
    if order[other] > order[room]:
        return f"{shown} is below {seen}"
    if order[other] == order[room]:
        return f"{shown} and {seen} are rooms of one level"
    return None


def folder_of(parts):
    """The folder and the room of a path below croco/."""
    return parts[0], parts[1] if len(parts) > 2 else ""


def problem_of(place, bracket, target, public, installed):
    """Why a file at `place`, a path below croco/, must not include `target`; None when it may."""
    top, *rest = pathlib.PurePosixPath(target).parts
    if top == "apps":
        return "the library must not know the applications"
    if bracket == '"':
        return "write includes of the project as <croco/...>"
    if top != "croco":
        return None
    if public and "/".join(rest) not in installed:
        return "a public header must not include an internal one"
    if place == (UMBRELLA,):
        return None
    folder, room = folder_of(place)
    if len(rest) < 2 or rest[0] not in LAYERS:
        return f"'{rest[0] if len(rest) > 1 else target}' is no folder of croco/ that has a layer"
    other, other_room = folder_of(rest)
    if other == folder:
        return room_problem(folder, room, other_room)
    if other not in PURE.get((folder, room), {other}):
        return f"{folder}/{room}/ sees {' and '.join(sorted(PURE[folder, room]))} alone"
    if (folder, other) in FORBIDDEN:
        return f"{folder}/ must not see {other}/"
    if LAYERS[other] > LAYERS[folder]:
        return f"{folder}/ (layer {LAYERS[folder]}) is below {other}/ (layer {LAYERS[other]})"
    if LAYERS[other] == LAYERS[folder]:
        return f"{folder}/ and {other}/ are siblings of layer {LAYERS[folder]}"
    return None


def boundary_problem(name, target):
    """Why a file must not include `target`, a library's header; None when it may."""
    for start, files in BOUNDARIES.items():
        if target.startswith(start) and name not in files:
            return f"only {' and '.join(files)} may"
    return None


def check_boundaries(root):
    """Messages for every file of the project, the program's included."""
    for folder in ("include", "croco", "apps", "examples", "tests", "benchmarks"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                match = INCLUDE.match(line)
                problem = match and boundary_problem(name, match[2])
                if problem:
                    yield f"{name}:{number}: includes {match[2]}: {problem}"


def sources(root):
    """Every source file, with its path below croco/ and whether it is public."""
    for base in ROOTS:
        for path in sorted((root / base / "croco").rglob("*")):
            if path.suffix in SUFFIXES:
                yield path, path.relative_to(root / base / "croco").parts, base == "include"


def check(source_dir):
    """One message per broken rule, and the number of files that were read."""
    root = pathlib.Path(source_dir)
    messages = []
    types = {}
    files = list(sources(root))
    installed = {"/".join(place) for _, place, public in files if public}
    for path, place, public in files:
        name = path.relative_to(root).as_posix()
        if place != (UMBRELLA,) and place[0] not in LAYERS:
            messages.append(f"{name}:1: '{place[0]}' is no folder of croco/ that has a layer")
            continue
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), start=1):
            defined = path.suffix == ".hpp" and TYPE.match(line)
            if defined and types.setdefault(defined[1], name) != name:
                messages.append(f"{name}:{number}: '{defined[1]}' is also a type of "
                                f"{types[defined[1]]}")
            match = INCLUDE.match(line)
            problem = match and problem_of(place, match[1], match[2], public, installed)
            if problem:
                messages.append(f"{name}:{number}: includes {match[2]}: {problem}")
    return [*messages, *check_boundaries(root)], len(files)


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
        ("report/a.cpp", "#include <croco/experiment/run.hpp>", "is below experiment/ (layer 9)"),
        ("models/graph/a.cpp", "#include <croco/models/network/mlp.hpp>", None),
        ("models/graph/b.cpp", "#include <croco/models/onnx/graph.hpp>",
         "models/graph/ is below models/onnx/"),
        ("models/trees/a.cpp", "#include <croco/models/network/mlp.hpp>",
         "models/trees/ and models/network/ are rooms of one level"),
        ("models/b.cpp", "#include <croco/models/trees/tree_model.hpp>",
         "models/ is below models/trees/"),
        ("models/attic/a.cpp", "#include <croco/models/model.hpp>",
         "models/attic/ has no place among the rooms of models/"),
        ("audit/statistics/a.cpp", "#include <croco/space/space.hpp>",
         "audit/statistics/ sees base alone"),
        ("audit/statistics/b.cpp", "#include <croco/audit/table.hpp>",
         "audit/statistics/ is below audit/"),
        ("audit/c.cpp", "#include <croco/space/space.hpp>", None),
        ("explain/reasons/a.cpp", "#include <croco/explain/explainer.hpp>", None),
        ("../include/croco/data/public.hpp", "#include <croco/base/open.hpp>", None),
        ("../include/croco/base/open.hpp", "", None),
        ("../include/croco/data/leaking.hpp", "#include <croco/base/a.hpp>",
         "a public header must not include an internal one"),
        ("../include/croco/croco.hpp", "#include <croco/data/public.hpp>", None),
        ("report/b.cpp", "#include <croco/nowhere/x.hpp>", "'nowhere' is no folder of croco/"),
        ("report/c.cpp", '#include "text.hpp"', "write includes of the project as <croco/...>"),
        ("report/d.cpp", "#include <apps/cli/main.hpp>", "must not know the applications"),
        ("report/e.hpp", "struct Twice {", None),
        ("report/f.hpp", "struct Twice;", None),
        ("report/g.hpp", "class Twice : public Other {", "'Twice' is also a type of croco/report/e.hpp"),
        ("report/h.cpp", "struct Twice {", None),
        ("nowhere/a.cpp", "", "'nowhere' is no folder of croco/"),
        ("report/i.cpp", "#include <CLI/CLI.hpp>", "only apps/cli/command_line.cpp may"),
    ]
    applications = [
        ("../apps/cli/command_line.cpp", "#include <CLI/CLI.hpp>", None),
        ("../apps/cli/verify.cpp", "#include <CLI/CLI.hpp>", "only apps/cli/command_line.cpp may"),
        ("../apps/cli/config_file.cpp", "#include <toml++/toml.h>", None),
        ("../apps/server/routes.cpp", "#include <boost/beast/http.hpp>",
         "only apps/server/connection.hpp and apps/server/session.hpp may"),
        ("../apps/cli/options.hpp", "#include <toml++/toml.h>", "only apps/cli/config_file.cpp may"),
    ]
    with tempfile.TemporaryDirectory() as root:
        for name, line, _ in cases + applications:
            path = pathlib.Path(root, "croco", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"// first line\n{line}\n", encoding="utf-8")
        messages, count = check(root)
    failures = [] if count == len(cases) else [f"read {count} of {len(cases)} files"]
    for name, line, expected in cases + applications:
        shown = f"croco/{name}".removeprefix("croco/../")
        place = f"{shown}:{2 if line else 1}: "
        found = [message for message in messages if message.startswith(f"{shown}:")]
        if expected is None:
            failures += [f"false alarm: {message}" for message in found]
        elif len(found) != 1 or not found[0].startswith(place) or expected not in found[0]:
            failures.append(f"expected '{place}... {expected}', found {found}")
    return failures, len(cases) + len(applications)


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
