#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows every link inside a built site, to the anchor, and finds what would be loaded from outside.

Usage: check_site.py [--self-test] HTML_DIR
"""
import argparse
import html.parser
import pathlib
import re
import sys
import tempfile
import urllib.parse

# What a browser fetches by itself, in contrast to what a reader may click.
LOADED = {"link": "href", "script": "src", "img": "src", "source": "src", "iframe": "src",
          "object": "data", "video": "src", "audio": "src"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids.update(values[key] for key in ("id", "name") if values.get(key))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in LOADED and values.get(LOADED[tag]):
            self.loaded.append(values[LOADED[tag]])


def check(root):
    root = pathlib.Path(root).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.html"))}
    faults = []
    for path, page in pages.items():
        name = path.relative_to(root).as_posix()
        for target in page.loaded:
            if re.match(r"(https?:)?//", target):
                faults.append(f"{name}: loads '{target}' from outside")
        for target in page.links + page.loaded:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            aim = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if aim.is_dir():
                aim = aim / "index.html"
            if not aim.is_file() or not aim.is_relative_to(root):
                faults.append(f"{name}: '{target}' does not exist")
            elif parts.fragment and aim in pages and \
                    urllib.parse.unquote(parts.fragment) not in pages[aim].ids:
                faults.append(f"{name}: '{target}' has no such anchor")
    for path in sorted(root.rglob("*.css")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"(?:url\(|@import )\s*['\"]?((?:https?:)?//[^'\")]+)", text):
            faults.append(f"{path.relative_to(root).as_posix()}: loads '{target}' from outside")
    return faults, len(pages), sum(len(page.links) for page in pages.values())


def self_test():
    """Plants one fault of each kind, and a page without any."""
    pages = {"a.html": '<h1 id="top">x</h1><a href="b.html#c">y</a><a href="https://example.org">z</a>',
             "b.html": '<p id="c">x</p><a href="gone.html">y</a><a href="a.html#gone">z</a>'
                       '<img src="//example.org/x.png"><a href="#gone">w</a>',
             "c.css": "a { background: url(https://example.org/x.png) } /* url(//example.org) */"}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in pages.items():
            pathlib.Path(folder, name).write_text(text, encoding="utf-8")
        faults, _, _ = check(folder)
    wanted = ["b.html: loads '//example.org/x.png' from outside", "b.html: 'gone.html' does not exist",
              "b.html: 'a.html#gone' has no such anchor", "b.html: '#gone' has no such anchor",
              "c.css: loads 'https://example.org/x.png' from outside"]
    return [] if sorted(faults) == sorted(wanted) else [f"self-test: found {faults}, not {wanted}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--self-test", action="store_true", help="check the checker itself")
    arguments = parser.parse_args()
    faults = self_test() if arguments.self_test else []
    if arguments.folder:
        found, pages, links = check(arguments.folder)
        faults += found
        if pages < 20:
            faults.append(f"{arguments.folder} holds {pages} pages; the site is missing")
        if not faults:
            print(f"{pages} pages, {links} links: all lead somewhere, and nothing is loaded from outside")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
