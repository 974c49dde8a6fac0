#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program shows on a terminal obeys nobody but the program; what it writes is as it was.

Usage: terminal_test.py --program build/release/apps/cli/croco
"""
import os
import pty
import re
import subprocess
import time

import servers
import world

# A title, a cleared screen, a C1 control and text that runs backwards.
HOSTILE = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e"
OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Terminal(world.ProgramTest):
    PEOPLE = 400

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        lines = world.people(cls.PEOPLE).replace("rent", f"rent {HOSTILE}").splitlines()
        lines[0] = lines[0].replace("debt", f"debt {HOSTILE}")
        (cls.folder / "hostile.csv").write_text("\n".join(lines) + "\n")
        cls.croco("train", "--data", "hostile.csv", "--label", "accepted", "--favourable", "yes",
                  "--hidden", "4", "--epochs", "60", "--output", "hostile.json")

    def on_terminal(self, *words, **variables):
        """What a terminal is sent, on both streams, and the exit code."""
        leader, follower = pty.openpty()
        process = subprocess.Popen(self.command(*words), cwd=self.folder, stdin=follower,
                                   stdout=follower, stderr=follower,
                                   env={**os.environ, "NO_COLOR": "1", **variables})
        os.close(follower)
        pieces = []
        try:
            while piece := os.read(leader, 65536):
                pieces.append(piece)
        except OSError:
            pass  # the other end is closed
        os.close(leader)
        return b"".join(pieces).decode(), process.wait(timeout=60)

    def check(self, text):
        # The progress bar's own: back to the beginning of the line, and wipe the rest of it.
        text = text.replace("\r\n", "\n").replace("\x1b[K", "").replace("\r", "")
        self.assertIsNone(OBEYED.search(text), repr(text[:2000]))
        self.assertIn("\\x1b]0;owned\\x07", text)

    def test_colours(self):
        """On a terminal that has any, and only where nobody objects."""
        words = ("explain", "--model", "gone.json", "--data", "hostile.csv")
        red = "\x1b[31mcroco:\x1b[0m "
        for variables, coloured in (({"TERM": "xterm", "NO_COLOR": ""}, True),
                                    ({"TERM": "xterm", "NO_COLOR": "1"}, False),
                                    ({"TERM": "dumb", "NO_COLOR": ""}, False)):
            text, code = self.on_terminal(*words, **variables)
            self.assertEqual(code, 5, text)
            self.assertEqual(text.startswith(red), coloured, (variables, text))
            self.assertEqual("\x1b[31m" in text, coloured, (variables, text))
        piped = subprocess.run(self.command(*words), cwd=self.folder, capture_output=True, text=True,
                               env={**os.environ, "TERM": "xterm"}, check=False)
        self.assertTrue(piped.stderr.startswith("croco: "), piped.stderr)

    def test_cells_and_names(self):
        words = ("explain", "--model", "hostile.json", "--data", "hostile.csv", "--noise",
                 "gaussian:sd=0.02", "--noise-on", "continuous", "--target", "0.3", "--rows", "0:20",
                 "--reasons", "off")
        text, code = self.on_terminal(*words)
        self.assertEqual(code, 0, text)
        self.check(text)
        # Into a file it goes as sentences, which are no data either.
        self.check(self.croco(*words).stdout)
        # Reports hold the values themselves.
        self.croco(*words, "--output", "out.csv")
        self.assertIn(HOSTILE, (self.folder / "out.csv").read_text())

    def test_messages(self):
        for words in (("explain", "--model", f"no {HOSTILE}.json", "--data", "people.csv"),
                      ("explain", "--data", "people.csv", f"--{HOSTILE}"), (f"{HOSTILE}",),
                      ("inspect", f"no {HOSTILE}.csv", "--label", "accepted"),
                      ("explain", "--model-url", f"http://{HOSTILE}/", "--data", "people.csv")):
            with self.subTest(words):
                text, code = self.on_terminal(*words)
                self.assertIn(code, (2, 3, 4, 5), text)
                self.check(text)

    def test_data_are_printed_as_they_are(self):
        # Standard output that is no terminal may be read by a program.
        done = subprocess.run(self.command("data", "show", "german"), capture_output=True,
                              cwd=self.folder, check=True)
        self.assertTrue(done.stdout.startswith(b"checking_status,"))

    def test_text_of_many_pieces(self):
        # Characters that lie across two buffers stay whole.
        name = "\u4e2d\u6587 \U0001f40a " * 4000
        text, code = self.on_terminal("explain", "--model", name, "--data", "people.csv")
        self.assertNotEqual(code, 0)
        self.assertIn(name.strip(), text)

    def test_progress_of_a_model_elsewhere(self):
        self.croco("inspect", "people.csv", "--label", "accepted")

        class Slow(servers.Model):
            pause = 0.1

        with servers.Server(Slow) as server:
            start = time.monotonic()
            text, code = self.on_terminal(
                "explain", "--model-url", server.url(), "--data", "people.csv", "--schema",
                "people.schema.json", "--noise", "gaussian:sd=0.02", "--noise-on", "continuous",
                "--target", "0.2", "--rows", "0:6", "--search-rows", "3000", "--max-samples", "1000",
                "--reasons", "off", "--output", "slow.csv")
            self.assertEqual(code, 0, text)
            self.assertGreater(time.monotonic() - start, 1)
        self.assertRegex(text, r"explaining \[#* *\] \d/6.* \d+ rows asked, \d+ rows/s")


if __name__ == "__main__":
    world.main()
