#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what the documents tell readers to type, page by page, and compares what they say is printed.

Usage: snippets_test.py --program build/release/apps/cli/croco PAGE...     runs the snippets of pages
       snippets_test.py --program ... --check [--self-test]                only reads all pages
       snippets_test.py --list                                             pages with something to run

Every code block of a page says what it is:

    sh       commands: run by bash, in a folder of the page's own, with `croco` on the path
    python   statements: run in one interpreter per page, where the Python package was built
    output   what the block before it prints, standard output first, then standard error; a line `...`
             stands for any lines, and `...` within a line for any text
    json     parsed; an object without its braces is one as well
    cpp, cmake, toml, none   not run here; `none` holds no command, and the others name who runs them

A comment right before a block, `<!-- snippet: WORDS -->`, says more:

    exit N              the commands end with this exit code
    background PORT     the commands serve on this port, until the page ends
    file NAME           the block is the content of a file that the commands after it read
    merge NAME          the block is a feature, or another part, of this schema file: it is put into it
    by PATH             another test runs the block; PATH must mention the page, or hold every line
    needs data          needs the folder CROCO_TEST_DATA_DIR with the large data sets
    needs MODULE...     needs modules of Python

`<!-- setup` ... `-->` are commands that readers do not see: the files that a page takes for granted;
`<!-- setup python` are such statements. `<!-- python of this page: by PATH -->` names the test that runs
all Python of a page.
Exit codes: 0 all hold, 1 some fail, 77 when nothing could be run.
"""
import argparse
import atexit
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/**/*.md")
RUN = ("sh", "python")
OTHER = ("output", "json", "cpp", "cmake", "toml", "none", "yaml")
SKIPPED = 77
TIME_LIMIT = 300

DRIVER = r"""
import contextlib, io, json, sys, traceback
names = {"__name__": "__main__"}
for line in sys.stdin:
    said = io.StringIO()
    failed = None
    with contextlib.redirect_stdout(said):
        try:
            exec(compile(json.loads(line), "snippet", "exec"), names)
        except BaseException:
            failed = traceback.format_exc()
    sys.__stdout__.write(json.dumps({"said": said.getvalue(), "failed": failed}) + "\n")
    sys.__stdout__.flush()
"""


@dataclasses.dataclass
class Block:
    line: int
    language: str
    text: str
    words: list  # of the comment before it
    setup: bool = False


def blocks_of(text):
    """The code blocks of a page, and its hidden commands, in their order."""
    out, lines, i = [], text.splitlines(), 0
    words, every = [], []
    while i < len(lines):
        line = lines[i]
        if line.strip() in ("<!-- setup", "<!-- setup python"):
            end = next(j for j in range(i, len(lines)) if lines[j].strip() == "-->")
            language = "python" if line.strip().endswith("python") else "sh"
            out.append(Block(i + 1, language, "\n".join(lines[i + 1:end]) + "\n", [], True))
            i = end
        elif match := re.fullmatch(r"<!-- python of this page: (by \S+) -->", line.strip()):
            every = match[1].split()
        elif match := re.fullmatch(r"<!-- snippet: (.*) -->", line.strip()):
            words = shlex.split(match[1])
        elif match := re.match(r"( *)(`{3,})(.*)$", line):
            fence = match[2]
            end = next((j for j in range(i + 1, len(lines)) if lines[j].strip() == fence), len(lines))
            body = [one[len(match[1]):] for one in lines[i + 1:end]]
            if not match[3].strip().startswith("{"):
                # "python dask" is Python, for a test of its own.
                language = match[3].strip()
                how = words or (every if language.startswith("python") else [])
                out.append(Block(i + 1, language, "\n".join(body) + "\n", how))
            i = end
            words = []
        elif line.strip():
            words = []
        i += 1
    return out


def expected_matches(wanted, printed):
    """Whether `wanted`, with `...` for what is left out, is what was printed."""
    parts = []
    for line in wanted.rstrip().splitlines():
        parts.append(r"(?:.*\n)*?" if line.strip() == "..." else
                     ".*?".join(re.escape(part) for part in line.rstrip().split("...")) + r" *\n")
    return re.fullmatch("".join(parts) + r"\s*", printed.rstrip() + "\n") is not None


class Page:
    """Runs the blocks of one page in a folder of its own."""

    def __init__(self, path, arguments):
        self.path, self.arguments = path, arguments
        self.name = path.relative_to(arguments.source).as_posix()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="croco-page-"))
        self.faults, self.ran, self.skipped = [], 0, []
        self.printed, self.python, self.background = None, None, []
        tools = self.folder / ".bin"
        tools.mkdir()
        (tools / "croco").symlink_to(arguments.program)
        self.environment = {
            **os.environ, "HOME": str(self.folder), "NO_COLOR": "1",
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "CROCO_SOURCE": str(arguments.source), "PYTHONDONTWRITEBYTECODE": "1"}
        self.environment.pop("CROCO_DATA_DIR", None)
        atexit.register(self.close)

    def close(self):
        for process in [*self.background, *([self.python] if self.python else [])]:
            process.terminate()
            process.wait()
        self.background, self.python = [], None
        shutil.rmtree(self.folder, ignore_errors=True)

    def fault(self, block, text):
        self.faults.append(f"{self.name}:{block.line}: {text}")

    def run(self):
        for block in blocks_of(self.path.read_text(encoding="utf-8")):
            how = block.words[0] if block.words else ""
            if how == "by":
                self.printed = None
            elif how == "needs" and (missing := self.missing(block.words[1:])):
                self.skipped.append(f"{self.name}:{block.line}: needs {missing}")
                self.printed = None
            elif how in ("file", "merge"):
                self.write(block, how, block.words[1])
            elif block.language == "sh":
                self.run_shell(block, how)
            elif block.language.startswith("python"):
                self.run_python(block)
            elif block.language == "output":
                self.compare(block)
            if self.faults:
                return  # what follows rests on it

    def missing(self, needs):
        if needs == ["data"]:
            return "" if os.environ.get("CROCO_TEST_DATA_DIR") else "CROCO_TEST_DATA_DIR"
        if not self.arguments.python:
            return "the Python package"
        code = "; ".join(f"import {name}" for name in needs)
        found = subprocess.run([self.arguments.python, "-c", code], capture_output=True, check=False)
        return "" if found.returncode == 0 else " ".join(needs)

    def write(self, block, how, name):
        path = self.folder / name
        if how == "file":
            path.write_text(block.text, encoding="utf-8")
            return
        schema = json.loads(path.read_text(encoding="utf-8"))
        part = parse_json(block.text)
        if "name" in part:
            known = [one for one in schema["features"] if one["name"] == part["name"]]
            if not known:
                self.fault(block, f"{name} has no feature '{part['name']}'")
                return
            known[0].clear()
            known[0].update(part)
        else:
            schema.update(part)
        path.write_text(json.dumps(schema), encoding="utf-8")

    def run_shell(self, block, how):
        wanted = int(block.words[1]) if how == "exit" else 0
        command = ["bash", "-euo", "pipefail", "-c", block.text]
        if how == "background":
            log = (self.folder / ".background").open("w")
            self.background.append(subprocess.Popen(
                ["bash", "-c", "exec " + block.text.strip().split("#")[0]], cwd=self.folder,
                env=self.environment, stdout=log, stderr=log))
            self.wait_for(int(block.words[1]), block)
            return
        try:
            done = subprocess.run(command, cwd=self.folder, env=self.environment, text=True,
                                  capture_output=True, timeout=TIME_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            self.fault(block, f"took more than {TIME_LIMIT} s")
            return
        self.ran += 0 if block.setup else 1
        self.printed = done.stdout + done.stderr
        if done.returncode != wanted:
            self.fault(block, f"ended with {done.returncode}, not {wanted}:\n{block.text}"
                              f"{done.stdout[-2000:]}{done.stderr[-2000:]}")

    def wait_for(self, port, block):
        for _ in range(150):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    self.ran += 1
                    return
            if self.background[-1].poll() is not None:
                break
            time.sleep(0.2)
        self.fault(block, f"nothing listens on port {port}:\n" +
                   (self.folder / ".background").read_text(encoding="utf-8")[-1000:])

    def run_python(self, block):
        if not self.arguments.python:
            if not block.setup:
                self.skipped.append(f"{self.name}:{block.line}: needs the Python package")
            self.printed = None
            return
        if self.python is None:
            self.python = subprocess.Popen([self.arguments.python, "-c", DRIVER], cwd=self.folder,
                                           env=self.environment, text=True, stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE)
        self.python.stdin.write(json.dumps(block.text) + "\n")
        self.python.stdin.flush()
        line = self.python.stdout.readline()
        if not line:
            self.fault(block, "the interpreter ended")
            return
        answer = json.loads(line)
        self.ran += 0 if block.setup else 1
        self.printed = answer["said"]
        if answer["failed"]:
            self.fault(block, answer["failed"])

    def compare(self, block):
        if self.printed is not None and not expected_matches(block.text, self.printed):
            self.fault(block, f"the page shows\n{block.text}and this was printed:\n{self.printed}")


def parse_json(text):
    return json.loads(text if text.lstrip().startswith(("{", "[")) else "{" + text + "}")


def block_faults(block, before, name, source):
    """What is wrong with a block, without running it."""
    how = block.words[0] if block.words else ""
    language = block.language.split()[0] if block.language else ""
    if language not in RUN + OTHER:
        yield f"'{block.language}' is no kind of block; see tests/docs/snippets_test.py"
    if language == "none" and re.search(r"^(\$ |croco |make |pip |python3? )", block.text, re.MULTILINE):
        yield "a command stands in a block of the kind none, which is not run"
    if language == "output" and (before is None or before.language.split()[0] not in RUN):
        yield "no commands stand before this output"
    if language == "json" and how not in ("by", "file"):
        try:
            parse_json(block.text)
        except ValueError as error:
            yield f"no JSON: {error}"
    if language in ("cpp", "cmake", "toml", "yaml") and how not in ("by", "file"):
        yield f"nobody runs this block of {language}"
    if language == "python" and " " in block.language and how not in ("by", "needs"):
        yield "nobody runs this block of Python"
    if how == "by":
        aim = source / block.words[1]
        if not aim.is_file():
            yield f"'{block.words[1]}' does not exist"
            return
        text = re.sub(r"\s+", " ", aim.read_text(encoding="utf-8"))
        stem = pathlib.PurePosixPath(name).name
        whole = all(re.sub(r"\s+", " ", line.strip()) in text for line in block.text.splitlines())
        if stem not in text and not whole:
            yield f"'{block.words[1]}' neither mentions {stem} nor holds these lines"
    elif how not in ("", "exit", "background", "file", "merge", "needs"):
        yield f"'{how}' is no word of a snippet"


def program_options(program):
    """The options of every command: {"explain": {"--model", ...}, "model inspect": ...}."""
    def help_of(*words):
        return subprocess.run([program, *words, "--help-all"], capture_output=True, text=True,
                              check=True).stdout

    def parts(text):
        _, found, rest = text.partition("\nCommands:\n")
        return re.findall(r"^  ([a-z]+)\s", rest, re.MULTILINE) if found else []

    out = {"": set(re.findall(r"--[a-z][a-z-]*", help_of()))}
    for command in parts(help_of()):
        text = help_of(command)
        out[command] = set(re.findall(r"--[a-z][a-z-]*", text))
        for part in parts(text):
            out[f"{command} {part}"] = set(re.findall(r"--[a-z][a-z-]*", help_of(command, part)))
    return out


def inline_faults(text, options):
    """Commands in the running text that the program does not have."""
    prose = re.sub(r"^( *)(```|:::).*?^\1\2", "", text, flags=re.MULTILINE | re.DOTALL)
    for code in re.findall(r"`(croco(?:\s+[^`]+)?)`", prose):
        words = code.split()[1:]
        if not words or words[0] in ("COMMAND", "...") or not re.fullmatch(r"[a-z]+|--.*", words[0]):
            continue
        command = "" if words[0].startswith("-") else words[0]
        if command not in options:
            yield f"`{code}`: there is no such command"
            continue
        if len(words) > 1 and f"{command} {words[1]}" in options:
            command = f"{command} {words[1]}"
        for word in words:
            option = word.split("=")[0].rstrip(",.;:")
            if re.fullmatch(r"--[a-z][a-z-]*", option) and option not in options[command] | options[""]:
                yield f"`{code}`: croco {command} has no option {option}"


def pages_of(source):
    return sorted({path for pattern in PAGES for path in source.glob(pattern)})


def runnable(path):
    """Whether a page has blocks that no other test runs."""
    return any(block.language.split()[:1] and block.language.split()[0] in RUN and not block.setup
               and block.words[:1] not in (["by"], ["file"])
               for block in blocks_of(path.read_text(encoding="utf-8")))


def check(source, program):
    """Faults of all pages that show without running anything, and how many blocks there are."""
    options = program_options(program)
    faults, count = [], 0
    for path in pages_of(source):
        name = path.relative_to(source).as_posix()
        text = path.read_text(encoding="utf-8")
        before = None
        for block in blocks_of(text):
            count += 1
            faults += [f"{name}:{block.line}: {fault}"
                       for fault in block_faults(block, before, name, source)]
            before = None if block.setup else block if block.language != "output" else before
        faults += [f"{name}: {fault}" for fault in inline_faults(text, options)]
    return faults, count


def self_test(program):
    """Plants a page per rule; each must be found, when reading or when running."""
    read = {
        "```\nx\n```\n": "is no kind of block",
        "```none\ncroco plan\n```\n": "a command stands in a block",
        "```output\nx\n```\n": "no commands stand before",
        "```json\n{x}\n```\n": "no JSON",
        "```cpp\nint x;\n```\n": "nobody runs this block of cpp",
        "<!-- snippet: by gone.py -->\n```cpp\nint x;\n```\n": "does not exist",
        "<!-- snippet: by README.md -->\n```cpp\nint x;\n```\n": "neither mentions",
        "<!-- snippet: perhaps -->\n```sh\ntrue\n```\n": "is no word of a snippet",
        "`croco plna --target 1`\n": "no such command",
        "`croco plan --traget 1`\n": "no option --traget",
        "`croco plan --target\n1`, `croco data list`\n```json\n\"a\": 1\n```\n": None,
    }
    run = {
        "```sh\nfalse\n```\n": "ended with 1, not 0",
        "```sh\nfalse | true\n```\n": "ended with 1, not 0",
        "<!-- snippet: exit 3 -->\n```sh\nexit 4\n```\n": "ended with 4, not 3",
        "```sh\necho a b c\n```\n```output\na c\n```\n": "this was printed",
        "```sh\nprintf 'a\\nb\\nc\\n'\n```\n```output\na\nc\n```\n": "this was printed",
        "<!-- setup\necho 1 > x\n-->\n```sh\ncat x; croco --version; printf 'a b c\\nd\\n'\n```\n"
        "```output\n1\n...\na ... c\n...\n```\n": None,
    }
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder)
        page = source / "docs" / "page.md"
        page.parent.mkdir()
        (source / "README.md").write_text("x\n", encoding="utf-8")
        arguments = argparse.Namespace(program=program, source=source, python=None)
        for cases, running in ((read, False), (run, True)):
            for text, wanted in cases.items():
                page.write_text(text, encoding="utf-8")
                found, _ = check(source, program)
                if running:
                    made = Page(page, arguments)
                    made.run()
                    made.close()
                    found = found + made.faults
                if (wanted is None) != (not found) or (wanted and wanted not in found[0]):
                    faults.append(f"self-test: {text!r} should give {wanted!r}, and gave {found}")
    return faults


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
