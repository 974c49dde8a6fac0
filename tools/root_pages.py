#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the documents at the root of the repository on the site, and leads links to them there.

Usage: root_pages.py SOURCE_DIR STAGED_DOCS
  STAGED_DOCS is a copy of docs; its pages are rewritten in place.
"""
import os
import pathlib
import re
import sys

PAGES = {
    "CONTRIBUTING.md": "contributing.md", "ARCHITECTURE.md": "architecture.md",
    "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md", "data/README.md": "data.md",
    "README.md": "index.md", "docs/README.md": "index.md",
}
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def rewritten(text, before, after, root):
    """The text with its links, which were written for the path `before`, led to where they are from
    `after`; both are relative to the root. Folders and documents that are no pages become text."""
    def link(match):
        target, mark, anchor = match[2].partition("#")
        if re.match(r"[a-z]+:", match[2]) or not target:
            return match[0]
        aim = os.path.normpath(os.path.join(os.path.dirname(before), target))
        here = os.path.dirname(after)
        if aim in PAGES:
            return f"[{match[1]}]({os.path.relpath('docs/' + PAGES[aim], here)}{mark}{anchor})"
        if aim.startswith("docs/") and aim.endswith(".md"):
            return f"[{match[1]}]({os.path.relpath(aim, here)}{mark}{anchor})"
        if os.path.isdir(root / aim) or aim.endswith(".md"):
            return f"`{match[1]}`"
        return f"[{match[1]}]({os.path.relpath(aim, here)}{mark}{anchor})"

    parts = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def main():
    root, staged = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for path in staged.rglob("*.md"):
        name = "docs/" + path.relative_to(staged).as_posix()
        path.write_text(rewritten(path.read_text(encoding="utf-8"), name, name, root), encoding="utf-8")
    for before, after in PAGES.items():
        if after != "index.md":
            text = (root / before).read_text(encoding="utf-8")
            (staged / after).write_text(rewritten(text, before, "docs/" + after, root), encoding="utf-8")


if __name__ == "__main__":
    main()
