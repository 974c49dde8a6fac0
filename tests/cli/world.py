# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: a model, people, and running commands on them."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = None


def income(i):
    return i * 37 % 101


def debt(i):
    return i * 53 % 51


def people(count):
    """A CSV of people; about half of them are accepted."""
    lines = ["income,debt,home,accepted"]
    for i in range(count):
        accepted = "yes" if income(i) > debt(i) + 20 else "no"
        lines.append(f"{income(i)},{debt(i)},{'own' if i % 3 == 0 else 'rent'},{accepted}")
    return "\n".join(lines) + "\n"


class ProgramTest(unittest.TestCase):
    """Has a folder of its own with people.csv and model.json in it."""

    PEOPLE = 400

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="croco-cli-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "people.csv").write_text(people(cls.PEOPLE))
        cls.croco("train", "--data", "people.csv", "--label", "accepted", "--favourable", "yes",
                  "--hidden", "8", "--epochs", "100", "--output", "model.json")

    @classmethod
    def command(cls, *words):
        return [str(PROGRAM), *map(str, words)]

    @classmethod
    def croco(cls, *words, codes=(0,)):
        """Runs the program to its end, which must be a success, or one of the codes."""
        done = subprocess.run(cls.command(*words), cwd=cls.folder, capture_output=True, text=True,
                              timeout=300, check=False)
        if done.returncode not in codes:
            raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stderr}")
        return done

    def start(self, *words):
        process = subprocess.Popen(self.command(*words), cwd=self.folder, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def has_answers(self, process):
        """Whether a file that the program is writing in the folder, with or without a name, has some
        answers in it. The people, which it reads meanwhile, are no answers."""
        folder = str(self.folder.resolve())
        for place in pathlib.Path("/proc", str(process.pid), "fd").iterdir():
            try:
                if not os.readlink(place).startswith(folder) or place.stat().st_size <= 2000:
                    continue
                about = place.parent.with_name("fdinfo") / place.name
                flags = re.search(r"^flags:\s*([0-7]+)$", about.read_text(), re.MULTILINE)
                if int(flags[1], 8) & os.O_ACCMODE != os.O_RDONLY:
                    return True
            except FileNotFoundError:
                continue  # closed meanwhile
        return False

    def wait_until(self, holds):
        deadline = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), deadline, "it did not happen within a minute")
            time.sleep(0.02)

    def left_behind(self, *known):
        """The files in the folder, hidden ones too, apart from the known."""
        return sorted(set(os.listdir(self.folder)) - {"people.csv", "model.json", *known})


def main():
    global PROGRAM
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    arguments, rest = parser.parse_known_args()
    PROGRAM = arguments.program.resolve()
    unittest.main(module="__main__", argv=[sys.argv[0], *rest], verbosity=2)
