#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a page per command of the program, from what `croco COMMAND --help-all` prints.

Usage: cli_reference.py PROGRAM OUTPUT_DIR
"""
import dataclasses
import pathlib
import re
import subprocess
import sys


@dataclasses.dataclass
class Section:
    """A part of a help text: its title and its entries, each a name and a description."""

    title: str
    entries: list = dataclasses.field(default_factory=list)


def help_of(program, words):
    return subprocess.run([program, *words, "--help-all"], check=True, capture_output=True,
                          text=True).stdout


def parse(text):
    """The description, the usage, the sections and the footer of a help text. Entries begin with two
    blanks; what they mean follows in the same line, or in the next one behind more blanks."""
    description, _, rest = text.partition("\nUsage: ")
    usage, _, rest = rest.partition("\n")
    sections, footer = [], []
    for line in rest.splitlines():
        entry = re.match(r"  (\S.*?)(?:  +(\S.*))?$", line)
        more = re.match(r" {6,}(\S.*)$", line)
        if footer or line.startswith(("Example:", "`croco")):
            footer.append(line)
        elif re.match(r"\S.*:$", line):
            sections.append(Section(line[:-1]))
        elif more and sections and sections[-1].entries:
            name, said = sections[-1].entries[-1]
            sections[-1].entries[-1] = (name, f"{said} {more[1]}".strip())
        elif entry and sections:
            sections[-1].entries.append((entry[1], entry[2] or ""))
        elif line.strip():
            footer.append(line)
    return description.strip(), usage.strip(), sections, footer


def escaped(text):
    """Text in which Markdown finds no marks; paths of pages become links."""
    text = re.sub(r"([*_<>\[\]|])", r"\\\1", text)
    text = re.sub(r"(?<![\w`-])(--[a-z][a-z-]*)", r"`\1`", text)
    return re.sub(r"docs/((?:reference|howto|concepts)/[\w-]+\.md)", r"[\1](../../\1)", text)


def option_name(name):
    """What is typed: without the other options that CLI11 names behind it."""
    return re.sub(r" (Excludes|Needs): .*| REQUIRED| \.\.\.$", "", name)


def entry_lines(name, said, program):
    lines = []
    if name.startswith("-"):
        shown = option_name(name).replace(",", ", ")
        lines += ["```{option} " + shown, "```", ""]
        notes = []
        if " REQUIRED" in name:
            notes.append("Required.")
        if match := re.search(r" Excludes: (.*?)( Needs:| REQUIRED|$)", name):
            notes.append("Not together with " + ", ".join(f"`{one}`" for one in match[1].split()) + ".")
        lines += [": " + " ".join([escaped(said).rstrip(".") + ".", *notes])]
        # One directive: the description is its content.
        return ["```{option} " + shown, lines[-1][2:], "```", ""]
    return [f"`{name}`", f": {escaped(said)}", ""]


def command_page(program, words):
    description, usage, sections, footer = parse(help_of(program, words))
    name = "croco " + " ".join(words) if words else "croco"
    depth = "#" if len(words) < 2 else "##"
    lines = [f"{depth} {name}", "", description.rstrip(".") + ".", "", "```none", usage, "```", ""]
    if depth == "#":
        lines += ["```{program} " + name, "```", ""]
    else:
        lines += ["```{program} " + name, "```", ""]
    parts = []
    for section in sections:
        if section.title in ("Subcommands", "Commands"):
            parts = [entry for entry, _ in section.entries]
            continue
        lines += [f"{depth}# {section.title}", ""]
        for entry, said in section.entries:
            lines += entry_lines(entry, said, name)
    if footer:
        example = [line[2:] for line in footer if line.startswith("  ")]
        after = [line for line in footer if line.strip() and not line.startswith("  ") and line != "Example:"]
        if example:
            lines += [f"{depth}# Example", "", "```sh", *example, "```", ""]
        lines += [*after, ""]
    for part in parts if words else []:
        lines += command_page(program, [*words, part])
    return lines


def main():
    program, output = sys.argv[1], pathlib.Path(sys.argv[2])
    output.mkdir(parents=True, exist_ok=True)
    _, _, sections, _ = parse(help_of(program, []))
    commands = [entry for section in sections if section.title in ("Subcommands", "Commands")
                for entry in section.entries]
    if len(commands) < 10:
        sys.exit(f"cli_reference.py: {program} --help-all lists {len(commands)} commands only")
    for command, _ in commands:
        (output / f"{command}.md").write_text("\n".join(command_page(program, [command])),
                                              encoding="utf-8")
    index = (output / "index.md").read_text(encoding="utf-8")
    table = ["| command | purpose |", "|---|---|",
             *(f"| [`croco {command}`]({command}.md) | {escaped(said)} |" for command, said in commands)]
    if "<!-- commands -->" not in index:
        sys.exit("cli_reference.py: reference/cli/index.md has no line '<!-- commands -->'")
    index = index.replace("<!-- commands -->", "\n".join(table))
    toc = ["```{toctree}", ":hidden:", *(command for command, _ in commands), "```", ""]
    (output / "index.md").write_text(index + "\n" + "\n".join(toc), encoding="utf-8")


if __name__ == "__main__":
    main()
