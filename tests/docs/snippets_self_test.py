# SPDX-License-Identifier: Apache-2.0
"""Plants faults in pages; tests/docs/snippets_test.py must find each of them."""
import argparse
import pathlib
import socket
import tempfile

from snippet_reader import check
from snippet_runner import Page

# What a page holds, and what is then said about it; None when nothing is wrong.
READ = {
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


def run_cases(taken):
    """The same for pages whose blocks are run; `taken` is a port that somebody else listens on."""
    return {
        "```sh\nfalse\n```\n": "ended with 1, not 0",
        "```sh\nfalse | true\n```\n": "ended with 1, not 0",
        "<!-- snippet: exit 3 -->\n```sh\nexit 4\n```\n": "ended with 4, not 3",
        "```sh\necho a b c\n```\n```output\na c\n```\n": "this was printed",
        "```sh\nprintf 'a\\nb\\nc\\n'\n```\n```output\na\nc\n```\n": "this was printed",
        "<!-- snippet: background 8420 -->\n```sh\nfalse\n```\n": "nothing listens",
        # The port of a page may be taken: another one is used, and nobody sees it.
        f"<!-- snippet: background {taken} -->\n```sh\npython3 -m http.server --bind 127.0.0.1 {taken}\n```\n"
        f"```sh\necho {taken}; exec 3<>/dev/tcp/127.0.0.1/{taken}; printf 'GET /x HTTP/1.0\\r\\n\\r\\n' >&3; "
        f"head -1 <&3\n```\n```output\n{taken}\nHTTP/1.0 404 File not found\n```\n": None,
        "<!-- setup\necho 1 > x\n-->\n```sh\ncat x; croco --version; printf 'a b c\\nd\\n'\n```\n"
        "```output\n1\n...\na ... c\n...\n```\n": None,
    }


def self_test(program):
    """Plants a page per rule; each must be found, when reading or when running."""
    faults = []
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as other:
        source = pathlib.Path(folder)
        page = source / "docs" / "page.md"
        page.parent.mkdir()
        (source / "README.md").write_text("x\n", encoding="utf-8")
        arguments = argparse.Namespace(program=program, source=source, python=None)
        for cases, running in ((READ, False), (run_cases(other.getsockname()[1]), True)):
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
