#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over the sources of croco/, apps/ and examples/ and prints what it finds.

Usage: tidy.py [--jobs N] [--no-cache] BUILD_DIR [FILE...]   BUILD_DIR holds compile_commands.json

A file that was clean is not checked again until it, a header of the project that it includes, its
compile command, .clang-tidy or the tool changes: BUILD_DIR/tidy holds one empty file per clean key.
The key does not see changes of installed headers: --no-cache, or removing the folder, checks all.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

CLANG_TIDY = "clang-tidy-19"
CHECKED = ("croco/", "apps/", "examples/")
# Sources of a folder that are checked as one at most, unless their names clash.
MERGED = 8
ALONE = ("croco/kernels/",)  # each compiled for several instruction sets, and with rules of its own
UNITY = re.compile(r'^#include "([^"]+\.cpp)"$', re.MULTILINE)
INCLUDE = re.compile(rb'^\s*#\s*include\s+["<](croco/[^">]+|apps/[^">]+)[">]', re.MULTILINE)
SOURCES = r"/(croco|apps)/[a-z_/0-9]+\.[ch]pp$"
# Progress, and counts of the warnings in installed headers.
CHATTER = re.compile(r"^(\d+ warnings?( and \d+ errors?)? generated\.|\d+ warnings? treated as errors?"
                     r"|Suppressed .*|Use -header-filter.*)$")


def compile_commands(build, root):
    """(file to check, its sources below root, arguments). Sources that are compiled as one are checked
    as one: most of the time goes to the headers that they share. Precompiled headers are left out:
    they would only add to what is parsed, and hide an include that is missing."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path, paths = pathlib.Path(entry["file"]), [pathlib.Path(entry["file"])]
        if path.parent.name == "Unity" and path.is_file():
            paths = list(map(pathlib.Path, UNITY.findall(path.read_text(encoding="utf-8"))))
        names = [path.relative_to(root).as_posix() for path in paths if path.is_relative_to(root)]
        names = [name for name in names if name.startswith(CHECKED)]
        words, kept = iter(shlex.split(entry["command"])[1:]), []
        for word in words:
            if word in ("-o", "-c", "-include"):
                next(words)
            elif word != "-Winvalid-pch" and not word.startswith("--param="):  # GCC's own
                kept.append(word)
        if names:
            yield str(path) if len(names) > 1 else names[0], names, kept


def merged(commands, folder):
    """The same work with sources of one folder and one command merged, some at a time."""
    groups = {}
    for file, names, arguments in commands:
        if len(names) > 1 or file != names[0] or file.startswith(ALONE):
            yield file, names, arguments
        else:
            groups.setdefault((pathlib.PurePath(file).parent, tuple(arguments)), []).append(file)
    for (_, arguments), files in groups.items():
        for begin in range(0, len(files), MERGED):
            names = files[begin:begin + MERGED]
            if len(names) == 1:
                yield names[0], names, list(arguments)
                continue
            text = "".join(f'#include "{name}"\n' for name in names)
            file = folder / (hashlib.sha256(text.encode()).hexdigest()[:16] + ".cpp")
            file.write_text(text, encoding="utf-8")
            yield str(file), names, list(arguments)


def configuration(root, name):
    """The .clang-tidy files that hold for a file, the nearest first."""
    folders = (root / name).relative_to(root).parents
    return [root / folder / ".clang-tidy" for folder in folders if (root / folder / ".clang-tidy").is_file()]


class Contents:
    """Hashes of a file and of all headers of the project that it includes."""

    def __init__(self, root):
        self.root = root
        self.files = {}

    def read(self, name):
        """(hash, included headers) of a file of the project."""
        if name not in self.files:
            data = (self.root / name).read_bytes()
            found = {include.decode() for include in INCLUDE.findall(data)}
            headers = {path for include in found for path in (include, f"include/{include}")
                       if (self.root / path).is_file()}
            self.files[name] = (hashlib.sha256(data).hexdigest(), headers)
        return self.files[name]

    def closure(self, names):
        seen, waiting = set(), list(names)
        while waiting:
            file = waiting.pop()
            if file not in seen:
                seen.add(file)
                waiting += self.read(file)[1]
        return sorted(f"{file} {self.read(file)[0]}" for file in seen)


def check(root, file, names, settings, arguments):
    """What clang-tidy says of sources that are checked as one, as blocks that begin with a finding.
    Sources whose local names clash cannot be compiled as one, and are checked one by one."""
    run = subprocess.run([CLANG_TIDY, "--quiet", file, *settings, "--", *arguments], cwd=root, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if len(names) > 1 and "[clang-diagnostic-error]" in run.stdout:
        return [block for name in names for block in check(root, name, [name], [], arguments)]
    lines = [line for line in run.stdout.splitlines() if line and not CHATTER.match(line)]
    text = "\n".join(lines).replace(f"{root}/", "")
    blocks = [block for block in re.split(r"\n(?=\S+:\d+:\d+: (?:error|warning):)", text) if block]
    if run.returncode and not blocks:
        blocks = [f"{file}: {CLANG_TIDY} ended with exit code {run.returncode}"]
    return blocks if run.returncode else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*", help="only these, as paths from the project's folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-cache", action="store_true", help="check what was clean before, too")
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parents[1]
    clean = options.build / "tidy"
    clean.mkdir(exist_ok=True)
    tool = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, text=True, check=True)

    contents, work, count, checked = Contents(root), [], 0, 0
    sources = clean / "merged"
    sources.mkdir(exist_ok=True)
    for file, names, arguments in merged(compile_commands(options.build, root), sources.resolve()):
        if options.files and not set(options.files) & set(names):
            continue
        count += len(names)
        rules = configuration(root, names[0])
        facts = "\n".join([tool.stdout, *(rule.read_text(encoding="utf-8") for rule in rules), *arguments,
                           *contents.closure(names)])
        stamp = clean / hashlib.sha256(facts.encode()).hexdigest()
        if options.no_cache or not stamp.exists():
            checked += len(names)
            # Sources are included here; a file outside of the project finds no configuration.
            together = [f"--header-filter={SOURCES}", "--checks=-bugprone-suspicious-include"]
            if not pathlib.Path(file).is_relative_to(root):
                together.append(f"--config-file={rules[0]}")
            if len(names) == 1:
                together = []
            work.append((file, names, together, arguments, stamp))
    if count == 0:
        sys.exit(f"tidy.py: {options.build}/compile_commands.json has none of the files to check")

    printed, failed, start = set(), 0, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(check, root, *asked): stamp for *asked, stamp in work}
        for run in concurrent.futures.as_completed(runs):
            blocks = run.result()
            if blocks:
                failed += 1
            else:
                runs[run].touch()
            # Many files meet the same finding in a header.
            for block in blocks:
                if block not in printed:
                    printed.add(block)
                    print(block, file=sys.stderr, flush=True)
    print(f"clang-tidy: {count} files, {checked} of them checked in "
          f"{time.monotonic() - start:.0f} s, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
