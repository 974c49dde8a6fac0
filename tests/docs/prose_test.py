#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the documents and the messages of the program: line length, links with their anchors, words
that users should not meet.

Usage: prose_test.py [--self-test] [SOURCE_DIR]
"""
import argparse
import pathlib
import re
import sys
import tempfile

PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md",
         "data/README.md", "tests/golden/README.md", "docs/**/*.md")
# The changelog also names what was renamed, by its former names.
CHANGELOG = "CHANGELOG.md"
MAX_LINE = 120
# What is not said to users, and what is said instead. Code in backticks and code blocks are exempt.
BANNED = {
    r"draws": "samples",
    r"(% |how |more |be )sure": "confidence",
    r"told": "recommended, reported or stated",
    r"dear|dearer|dearest": "expensive",
    r"thrifty": "soft query budget",
    r"elsewhere": "remote, or name the place",
    r"ways": "alternatives",
    r"would do": "relaxations, or say what suffices",
    r"(go|goes|going) past": "extends",
    r"so many|so much": "N, or name the number",
    r"(leave|leaves|left) alone": "freeze, keep fixed",
    r"has chance in it|chance in it": "is non-deterministic",
    r"confuses (its )?rows": "misaligns rows",
    r"no word about": "proofs need no union bound over points",
    r"cannot be helped|nobody can help": "infeasible rows are reported with reasons",
    r"mend|mends|mended": "fix",
}
# Names that were replaced; checked in code as well.
OLD_NAMES = {
    r"--options\b": "--alternatives",
    r"--option\b": "--alternative",
    r"(?<![\w-])--draws\b": "--bound-samples",
    r"--step-draws\b": "--step-samples",
    r"--prove-draws\b": "--prove-samples",
    r"--own-draws\b": "--independent-samples",
    r"\bwould_do\b": "relaxations",
}
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
WORDS = {re.compile(rf"\b(?:{words})\b", re.IGNORECASE): instead
         for words, instead in BANNED.items()}
NAMES = {re.compile(name): instead for name, instead in OLD_NAMES.items()}


def slug(heading):
    """The anchor that a heading gets."""
    text = re.sub(r"`|\*", "", LINK.sub("", heading)).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def prose(text):
    """The lines of a page, each with whether it is in a code block."""
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        fence = line.lstrip().startswith("```")
        yield number, line, fenced or fence
        fenced ^= fence


def anchors(path):
    return {slug(line.lstrip("#")) for _, line, code in prose(path.read_text(encoding="utf-8"))
            if not code and re.match(r"#{1,6} ", line)}


def link_problem(path, target, root):
    """Why a link of a page leads nowhere; None when it does not."""
    if re.match(r"[a-z]+:", target):
        return None
    name, _, anchor = target.partition("#")
    aim = (path.parent / name).resolve() if name else path
    if not aim.exists():
        return f"'{target}' does not exist"
    if not aim.is_relative_to(root):
        return f"'{target}' is outside the repository"
    if anchor and anchor not in anchors(aim):
        return f"'{target}': {aim.name} has no heading '{anchor}'"
    return None


def check_words(name, text):
    """Messages for the prose of a page. A term may run over the end of a line."""
    for number, line, code in prose(text):
        if len(line) > MAX_LINE and not line.startswith("|") and "://" not in line:
            yield f"{name}:{number}: {len(line)} characters, at most {MAX_LINE} are allowed"
        for pattern, instead in NAMES.items() if name != CHANGELOG else ():
            for match in pattern.finditer(line):
                yield f"{name}:{number}: '{match[0]}' is now '{instead}'"
    lines = ["" if code else line for _, line, code in prose(text)]
    kept = re.sub(r"`[^`]*`", lambda match: re.sub(r"[^\n]", " ", match[0]), "\n".join(lines))
    flat = LINK.sub(lambda match: match[0].replace(match[1], " " * len(match[1])), kept)
    for pattern, instead in WORDS.items():
        for match in pattern.finditer(flat.replace("\n", " ")):
            number = flat.count("\n", 0, match.start()) + 1
            yield f"{name}:{number}: '{match[0]}': say '{instead}'"


# What the program says to people: the string literals of these files.
SOURCES = ("croco/**/*.?pp", "include/**/*.hpp", "apps/**/*.?pp")
# Reads what the first version of the formats wrote, in its words.
OLD_FORMAT = "croco/report/first_version.cpp"
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def check_literals(name, text):
    """Messages for the string literals of a source file; neighbours are one text. Only texts with a
    space in them are prose: names of keys and options have none."""
    code = re.sub(r"//[^\n]*|#include[^\n]*", lambda match: " " * len(match[0]), text)
    texts, end = [], 0
    for match in LITERAL.finditer(code):
        joined = texts and not code[end:match.start()].strip()
        if joined:
            texts[-1][1] += match[1]
        else:
            texts.append([match.start(), match[1]])
        end = match.end()
    for start, literal in texts:
        if " " not in literal.strip():
            continue
        for pattern, instead in WORDS.items():
            for match in pattern.finditer(literal):
                number = code.count("\n", 0, start) + 1
                yield f"{name}:{number}: '{match[0]}' in a message: say '{instead}'"


# What users read beside the documents: comments of the public headers, and scripts to run.
HEADERS = "include/**/*.hpp"
SCRIPTS = ("experiments/*.py", "examples/*.py", "benchmarks/*.py", "tools/*.py", "tools/*.sh", "Makefile")


def check_texts(root):
    """Messages for comments of public headers and for scripts, whole; code in backticks is exempt."""
    headers = {path: "\n".join(part for _, part in re.findall(r"^(.*?)//+(.*)$", text, re.MULTILINE))
               for path in root.glob(HEADERS) for text in [path.read_text(encoding="utf-8")]}
    scripts = {path: path.read_text(encoding="utf-8") for name in SCRIPTS for path in root.glob(name)}
    for path, text in sorted((headers | scripts).items()):
        plain = re.sub(r"`[^`\n]*`", " ", text)
        for pattern, instead in WORDS.items():
            for match in pattern.finditer(plain):
                yield f"{path.relative_to(root).as_posix()}: '{match[0]}': say '{instead}'"


def check_sources(root):
    paths = {path for pattern in SOURCES for path in root.glob(pattern)}
    for path in sorted(paths - {root / OLD_FORMAT}):
        yield from check_literals(path.relative_to(root).as_posix(),
                                  path.read_text(encoding="utf-8"))


def check(source_dir):
    root = pathlib.Path(source_dir).resolve()
    pages = sorted({path for pattern in PAGES for path in root.glob(pattern)})
    messages = []
    for path in pages:
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        for number, line, code in prose(text):
            for match in [] if code else LINK.finditer(line):
                problem = link_problem(path, match[1], root)
                if problem:
                    messages.append(f"{name}:{number}: {problem}")
        messages += check_words(name, text)
    messages += check_sources(root)
    messages += check_texts(root)
    return messages, len(pages)


def self_test():
    """Plants one page per rule and compares what is found with what must be found."""
    cases = {
        "docs/good.md": ("# A page, with *words*\nSee [it](#a-page-with-words), `draws`.\n"
                         "```\ndraws\n```\n| " + "x" * 130 + " |\n", None),
        "docs/long.md": ("x" * 121 + "\n", "121 characters"),
        "docs/url.md": ("https://" + "x" * 121 + "\n", None),
        "docs/word.md": ("Ten draws\n", "say 'samples'"),
        "docs/wrapped.md": ("what would\ndo\n", "'would do'"),
        "docs/part.md": ("drawstring, always, measure\n", None),
        "docs/link.md": ("[gone](gone.md)\n", "'gone.md' does not exist"),
        "docs/anchor.md": ("[no](good.md#gone)\n", "has no heading 'gone'"),
        "docs/name.md": ("```\ncroco explain --options 3\n```\n", "is now '--alternatives'"),
        "croco/report/said.cpp": ('auto a = "ten "\n    "draws";\n', "in a message: say 'samples'"),
        "croco/report/quiet.cpp": ('auto a = "draws"; // ten draws\nauto b = "x", c = "y z";\n',
                                   None),
        "include/croco/said.hpp": ("/// Ten draws.\n", "say 'samples'"),
        "include/croco/quiet.hpp": ("int draws;  ///< `draws`\n", None),
        "experiments/said.py": ('"""Ten draws."""\n', "say 'samples'"),
        "CHANGELOG.md": ("`--alternatives` was `--options`\nTen draws\n", "say 'samples'"),
    }
    with tempfile.TemporaryDirectory() as root:
        for name, (text, _) in cases.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        messages, _ = check(root)
    failures = []
    for name, (_, expected) in cases.items():
        found = [message for message in messages if message.startswith(f"{name}:")]
        if expected is None:
            failures += [f"false alarm: {message}" for message in found]
        elif len(found) != 1 or expected not in found[0]:
            failures.append(f"{name}: expected '{expected}', found {found}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source_dir", nargs="?", default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--self-test", action="store_true", help="check the checker itself first")
    arguments = parser.parse_args()
    messages = [f"self-test: {failure}" for failure in self_test()] if arguments.self_test else []
    found, count = check(arguments.source_dir)
    messages += found
    if count < 10:
        messages.append(f"{arguments.source_dir} holds {count} pages; the documents are missing")
    for message in messages:
        print(message, file=sys.stderr)
    if not messages:
        print(f"{count} pages read well")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
