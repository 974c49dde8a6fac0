# SPDX-License-Identifier: Apache-2.0
"""Reads the code blocks of the documents, and what can be wrong with them without running anything.

Every code block of a page says what it is:

    sh       commands: run by bash, in a folder of the page's own, with `croco` on the path
    python   statements: run in one interpreter per page, where the Python package was built
    output   what the block before it prints, standard output first, then standard error; a line `...`
             stands for any lines, and `...` within a line for any text
    json     parsed; an object without its braces is one as well
    cpp, cmake, toml, none   not run here; `none` holds no command, and the others name who runs them

A comment right before a block, `<!-- snippet: WORDS -->`, says more:

    exit N              the commands end with this exit code
    background PORT     the commands serve on this port, until the page ends; a free one takes its place
                        here and in the blocks that follow
    file NAME           the block is the content of a file that the commands after it read
    merge NAME          the block is a feature, or another part, of this schema file: it is put into it
    by PATH             another test runs the block; PATH must mention the page, or hold every line
    needs data          needs the folder CROCO_TEST_DATA_DIR with the large data sets
    needs MODULE...     needs modules of Python

`<!-- setup` ... `-->` are commands that readers do not see: the files that a page takes for granted;
`<!-- setup python` are such statements. `<!-- python of this page: by PATH -->` names the test that runs
all Python of a page.
"""
import dataclasses
import json
import pathlib
import re
import shlex
import subprocess

PAGES = ("README.md", "docs/**/*.md")
RUN = ("sh", "python")
OTHER = ("output", "json", "cpp", "cmake", "toml", "none", "yaml")


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


def parse_json(text):
    return json.loads(text if text.lstrip().startswith(("{", "[")) else "{" + text + "}")


def block_faults(block, before, name, source):
    """What is wrong with a block, without running it."""
    how = block.words[0] if block.words else ""
    language = block.language.split()[0] if block.language else ""
    if language not in RUN + OTHER:
        yield f"'{block.language}' is no kind of block; see tests/docs/snippet_reader.py"
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
