#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a page per folder of the public headers, on which Breathe puts what Doxygen read.

Usage: cpp_reference.py INCLUDE_DIR OUTPUT_DIR
"""
import pathlib
import sys

# In the order in which a program meets them.
FOLDERS = {
    "explain": "Explaining people", "loading": "Models and people", "methods": "Methods",
    "noise": "Noise", "robustness": "Certificates and goals", "verify": "Verification",
    "proof": "Proofs", "report": "Reports", "data": "Data and schemas", "models": "Own models",
    "remote": "Remote models", "space": "The encoded space", "service": "The service",
    "base": "Errors, types, version",
}
# They declare nothing of their own.
WITHOUT_CONTENT = {"croco.hpp", "base/export.hpp"}


def opening(path):
    """What a header says of itself, with its example, as Markdown."""
    lines = [line[3:].removeprefix(" ") for line in
             path.read_text(encoding="utf-8").split("#pragma once")[0].splitlines()
             if line.startswith("///")]
    formula = any("x'" in line for line in lines if line.startswith("    "))
    out, code = [], False
    for line in lines:
        if line.startswith("    ") != code and line.strip():
            code = not code
            out.append(("```none" if formula else "```cpp") if code else "```")
        out.append(line.removeprefix("    ") if code else line)
    return [*out, *(["```"] if code else []), ""]


def page(root, title, headers):
    lines = [f"# {title}", ""]
    for header in headers:
        name = header.split("/")[-1]
        lines += [f"## {name}", "", f"`#include <croco/{header}>`", "", *opening(root / header),
                  "```{doxygenfile} " + name, ":project: croco",
                  ":sections: detaileddescription briefdescription innernamespace innerclass func "
                  "public-func public-attrib public-static-func public-static-attrib public-type "
                  "enum typedef var", "```", ""]
    return "\n".join(lines)


def main():
    root, output = pathlib.Path(sys.argv[1]) / "croco", pathlib.Path(sys.argv[2])
    headers = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.hpp"))
    folders = {header.split("/")[0] for header in headers if "/" in header}
    if folders != set(FOLDERS):
        sys.exit(f"cpp_reference.py: folders without a title, or titles without a folder: "
                 f"{sorted(folders ^ set(FOLDERS))}")
    names = [header.split("/")[-1] for header in headers]
    if len(set(names)) < len(names):  # Breathe finds files by their names alone
        sys.exit(f"cpp_reference.py: two headers have the same name: "
                 f"{sorted({name for name in names if names.count(name) > 1})}")
    output.mkdir(parents=True, exist_ok=True)
    for folder, title in FOLDERS.items():
        shown = [name for name in headers
                 if name.startswith(f"{folder}/") and name not in WITHOUT_CONTENT]
        (output / f"{folder}.md").write_text(page(root, title, shown), encoding="utf-8")
    index = (output / "index.md").read_text(encoding="utf-8")
    toctree = "\n".join(["", "```{toctree}", *FOLDERS, "```", ""])
    (output / "index.md").write_text(index + toctree, encoding="utf-8")


if __name__ == "__main__":
    main()
