#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs declarative command-line cases and prints TAP.

Usage: run_cases.py --program build/release/apps/cli/croco --source-dir . [--filter text]
                    [--update] [--time-limit seconds] file.case...

    # A line that starts with '#' is a comment; blank lines mean nothing.
    case: target out of range
    file bad.csv:
      | age,good
      | 1,0
    run: croco explain --model {models}/tiny.json --data bad.csv --target 1.5
    exit: 2
    stderr: target is 1.5; it must be greater than 0 and less than 1
    no-file: out.csv

Before a run
    file NAME:         writes a file; its lines follow, each behind '|' and one blank
    setup: LINE        a line for /bin/sh, for odd bytes (printf), links or permissions
    run: WORDS         split and quoted like a shell's words, but no shell: no $, *, > or |;
                       NAME=VALUE words in front set environment variables
After a run (a case may have several runs, each with expectations of its own)
    exit: N            the exit code; 0 when not given
    stdout: TEXT       holds the text          stdout!: TEXT   does not hold it
    stdout~: REGEX     is matched somewhere; ^ and $ match at lines (Python's re)
    stdout:            with '|' lines below: is exactly these lines
    stderr...          the same for stderr
    file NAME~: REGEX  the same for a file that the run wrote (also NAME: TEXT and NAME!: TEXT)
    no-file: NAME      no such file is there

There are no escapes: text is what follows ': ', to the end of the line, without blanks at the end
('|' lines keep theirs). Known placeholders are replaced everywhere, other braces stay as they are:
{source} the source folder, {cases} the folder of the case file, {models} = {cases}/models, {work}
the case's own folder, {data} = $CROCO_TEST_DATA_DIR. A case that mentions {data} is skipped, and
counted, when that is unset; when every case was skipped the exit code is 77.

Every case runs in a fresh folder that is also HOME, without CROCO_DATA_DIR, and `croco` is found on
PATH (so `run: sh -c 'croco ... | head -1'` works). A run that is killed by a signal or exceeds the
time limit fails whatever is expected. --update rewrites the '|' lines of stdout and stderr from
what the program printed; read the difference before committing it. Exit codes: 0 all hold, 1 some
fail, 2 a mistake in a case file or on the command line.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

SKIPPED = 77
SHOWN_LINES = 30
KEY = re.compile(r"(case|setup|run|exit|no-file|stdout|stderr|file (?P<name>\S.*?))(?P<how>[~!]?):")


class CaseError(Exception):
    """A mistake in a case file or on the command line."""


class RunError(Exception):
    """A command that could not be started, crashed or took too long."""


@dataclasses.dataclass
class Entry:
    """One line of a case and the '|' lines below it."""

    number: int
    key: str
    name: str  # of a file
    how: str  # "", "~" or "!"
    text: str
    block: list = dataclasses.field(default_factory=list)
    block_numbers: list = dataclasses.field(default_factory=list)

    @property
    def prepares(self):
        return self.key == "setup" or (self.key == "file" and not self.text)

    @property
    def exact(self):
        return self.key in ("stdout", "stderr") and not self.text


@dataclasses.dataclass
class Case:
    name: str
    path: pathlib.Path
    number: int
    entries: list = dataclasses.field(default_factory=list)

    @property
    def needs_data(self):
        return any("{data}" in text for entry in self.entries
                   for text in (entry.name, entry.text, *entry.block))


@dataclasses.dataclass
class Setting:
    """What all cases share."""

    programs: str  # the folder that holds `croco`
    source: pathlib.Path
    data: pathlib.Path | None
    time_limit: float

    def places(self, case, work):
        """What the placeholders of a case stand for."""
        cases = case.path.resolve().parent
        places = {"work": work, "models": cases / "models", "cases": cases,
                  "source": self.source, "data": self.data}
        return {name: str(place) for name, place in places.items() if place is not None}


def read_lines(path):
    """The lines of a case file; nothing but LF ends one."""
    try:
        return path.read_bytes().decode("utf-8").split("\n")
    except OSError as error:
        raise CaseError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CaseError(f"{path}: byte {error.start} is not UTF-8") from None


def parse(path):
    """The cases of a file, checked. Throws CaseError naming the file and the line."""
    cases = []
    for number, raw in enumerate(read_lines(path), start=1):
        where = f"{path}:{number}"
        if raw.lstrip().startswith("|"):
            entry = cases[-1].entries[-1] if cases and cases[-1].entries else None
            if entry is None or entry.text or entry.key not in ("file", "stdout", "stderr"):
                raise CaseError(f"{where}: '|' lines follow 'file NAME:', 'stdout:' or 'stderr:' "
                                "without a text of their own")
            entry.block.append(raw.lstrip()[1:].removeprefix(" "))
            entry.block_numbers.append(number)
            continue
        if not raw.strip() or raw.startswith("#"):
            continue
        match = KEY.match(raw)
        if not match:
            raise CaseError(f"{where}: '{raw.strip()}' is none of case, file NAME, setup, run, "
                            "exit, stdout, stderr and no-file, followed by a colon")
        key, how, text = match[1].split(" ")[0], match["how"], raw[match.end():].strip()
        if how and key not in ("stdout", "stderr", "file"):
            raise CaseError(f"{where}: '{key}{how}' is unknown; only stdout, stderr and file take "
                            "~ and !")
        if not text and (how or key not in ("stdout", "stderr", "file")):
            raise CaseError(f"{where}: nothing follows '{raw.strip()}'")
        if key == "case":
            if any(case.name == text for case in cases):
                raise CaseError(f"{where}: there is a case '{text}' already")
            cases.append(Case(text, path, number))
        elif not cases:
            raise CaseError(f"{where}: '{key}' stands before the first 'case:'")
        else:
            cases[-1].entries.append(Entry(number, key, match["name"] or "", how, text))
    if not cases:
        raise CaseError(f"{path}: there is no case in this file")
    for case in cases:
        check(case)
    return cases


def check(case):
    """Refuses what could never run, and expectations that could never fail."""
    below_run = False
    for entry in case.entries:
        where = f"{case.path}:{entry.number}"
        if entry.key == "run" or entry.prepares:
            below_run = entry.key == "run"
        elif not below_run:
            raise CaseError(f"{where}: '{entry.key}' expects something of a run, but no 'run:' "
                            "stands above it")
        if entry.key == "exit" and not re.fullmatch(r"\d{1,3}", entry.text):
            raise CaseError(f"{where}: exit is '{entry.text}'; it must be a whole number")
        try:
            if entry.how == "~":
                re.compile(entry.text)
            elif entry.key == "run":
                shlex.split(entry.text)
        except (re.error, ValueError) as error:
            raise CaseError(f"{where}: '{entry.text}': {error}") from None
    if not below_run:
        raise CaseError(f"{case.path}:{case.number}: case '{case.name}' does not end with a 'run:'")


def fill(text, places, quote=lambda place: place):
    """The text with its placeholders replaced."""
    for name, place in places.items():
        text = text.replace("{" + name + "}", quote(place))
    return text


def decode(data):
    return data.decode("utf-8", "backslashreplace")


def execute(words, work, setting):
    """Runs a command in the case's folder; its exit code and what it printed."""
    environment = {key: value for key, value in os.environ.items()
                   if key != "CROCO_DATA_DIR" and not key.startswith("XDG_")}
    environment["HOME"] = str(work)
    environment["PATH"] = setting.programs + os.pathsep + environment.get("PATH", os.defpath)
    # Popen looks a program up on the PATH of this process, env on that of the case.
    try:
        process = subprocess.Popen(["/usr/bin/env", "--", *words], cwd=work, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
    except OSError as error:
        raise RunError(f"'{words[0]}' cannot be started: {error.strerror}") from None
    late = False
    try:
        output, errors = process.communicate(timeout=setting.time_limit)
    except subprocess.TimeoutExpired:
        late = True
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
    streams = {"stdout": decode(output), "stderr": decode(errors)}
    if late:
        raise RunError(f"not done after {setting.time_limit:g} s\n{shown(streams)}")
    # A shell reports a child that died of signal n as 128 + n.
    killer = -process.returncode if process.returncode < 0 else process.returncode - 128
    if killer > 0:
        known = killer in list(signal.Signals)
        name = signal.Signals(killer).name if known else f"signal {killer}"
        raise RunError(f"killed by {name}\n{shown(streams)}")
    return process.returncode, streams


def shown(streams):
    """What a run printed, for the reader of a failure."""
    lines = []
    for name, text in streams.items():
        printed = text.splitlines()
        lines += [f"{name}: {line}" for line in printed[:SHOWN_LINES]]
        if len(printed) > SHOWN_LINES:
            lines.append(f"{name}: ... and {len(printed) - SHOWN_LINES} lines more")
    return "\n".join(lines) or "nothing was printed"


def violation(entry, code, streams, work, places):
    """Why an expectation does not hold; None when it does."""
    if entry.key == "exit":
        return None if code == int(entry.text) else f"the exit code is {code}, not {entry.text}"
    if entry.key == "no-file":
        name = fill(entry.text, places)
        return f"file {name} is there" if os.path.lexists(work / name) else None
    subject = entry.key
    if entry.key == "file":
        subject = f"file {fill(entry.name, places)}"
        path = work / fill(entry.name, places)
        if not path.is_file():
            return f"{subject} is not there"
        actual = decode(path.read_bytes())
    else:
        actual = streams[entry.key]
    if entry.exact:
        expected = "".join(fill(line, places) + "\n" for line in entry.block)
        return None if actual == expected else f"{subject} is not what the '|' lines say"
    if entry.how == "~":
        pattern = fill(entry.text, places, re.escape)
        found = re.search(pattern, actual, re.MULTILINE)
        return None if found else f"{subject} does not match '{entry.text}'"
    if entry.how == "!":
        found = fill(entry.text, places) in actual
        return f"{subject} holds '{entry.text}'" if found else None
    return None if fill(entry.text, places) in actual else f"{subject} lacks '{entry.text}'"


def prepare(entry, work, places, setting):
    """Writes a file or runs a line of set-up."""
    if entry.key == "file":
        path = work / fill(entry.name, places)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = "".join(fill(line, places) + "\n" for line in entry.block)
        path.write_bytes(content.encode("utf-8"))
        return
    code, streams = execute(["/bin/sh", "-ec", fill(entry.text, places)], work, setting)
    if code != 0:
        raise RunError(f"the set-up ended with {code}\n{shown(streams)}")


def updated_block(entry, streams, places):
    """The lines that an exact expectation should have, with placeholders for paths."""
    actual = streams[entry.key]
    if actual and not actual.endswith("\n"):
        raise RunError(f"{entry.key} does not end with a line break, which '|' lines cannot say")
    for name, place in sorted(places.items(), key=lambda item: -len(item[1])):
        actual = actual.replace(place, "{" + name + "}")
    return actual.split("\n")[:-1]


def run_case(case, setting, update):
    """What is wrong with a case, as text; "" when it holds. With `update`, sets exact blocks."""
    with tempfile.TemporaryDirectory(prefix="croco-case-") as folder:
        work = pathlib.Path(folder).resolve()
        places = setting.places(case, work)
        entries = list(case.entries)
        while entries:
            entry = entries.pop(0)
            complaints = []
            try:
                if entry.prepares:
                    prepare(entry, work, places, setting)
                    continue
                code, streams = execute(shlex.split(fill(entry.text, places)), work, setting)
                exit_is_given = False
                while entries and not entries[0].prepares and entries[0].key != "run":
                    expected = entries.pop(0)
                    exit_is_given |= expected.key == "exit"
                    if update and expected.exact:
                        expected.block = updated_block(expected, streams, places)
                    complaint = violation(expected, code, streams, work, places)
                    if complaint:
                        complaints.append(f"{case.path}:{expected.number}: {complaint}")
                if code != 0 and not exit_is_given:
                    complaints.append(f"{case.path}:{entry.number}: the exit code is {code}, not 0")
                if complaints:
                    complaints += [f"after {entry.text}", shown(streams)]
            except (RunError, OSError) as error:
                complaints = [f"{case.path}:{entry.number}: {entry.text or entry.name}: {error}"]
            if complaints:
                return "\n".join(complaints)
    return ""


def rewrite(path, cases):
    """Puts the exact blocks of the cases back into their file."""
    lines = read_lines(path)
    exact = [entry for case in cases for entry in case.entries if entry.exact]
    for entry in sorted(exact, key=lambda entry: -entry.number):
        for number in reversed(entry.block_numbers):
            del lines[number - 1]
        block = [f"  | {line}" if line else "  |" for line in entry.block]
        lines[entry.number:entry.number] = block
    path.write_bytes("\n".join(lines).encode("utf-8"))


def run_files(paths, setting, only, update):
    """Runs the cases of the files, prints TAP, and gives the exit code."""
    files = {path: parse(path) for path in paths}
    chosen = [case for cases in files.values() for case in cases if only in case.name]
    if not chosen:
        raise CaseError(f"no case has '{only}' in its name")
    print(f"1..{len(chosen)}")
    failed = skipped = 0
    for index, case in enumerate(chosen, start=1):
        if case.needs_data and setting.data is None:
            skipped += 1
            print(f"ok {index} - {case.name} # SKIP CROCO_TEST_DATA_DIR is not set")
            continue
        trouble = run_case(case, setting, update)
        failed += bool(trouble)
        print(f"{'not ok' if trouble else 'ok'} {index} - {case.name}")
        for line in trouble.splitlines():
            print(f"# {line}")
        sys.stdout.flush()
    if update:
        for path, cases in files.items():
            rewrite(path, cases)
    passed = len(chosen) - failed - skipped
    print(f"# {len(chosen)} cases: {passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else SKIPPED if skipped == len(chosen) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--source-dir", type=pathlib.Path, required=True)
    parser.add_argument("--filter", default="", help="only cases whose name holds this text")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds for one run")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    data = os.environ.get("CROCO_TEST_DATA_DIR")
    try:
        if not os.access(arguments.program, os.X_OK) or not arguments.program.is_file():
            raise CaseError(f"--program is '{arguments.program}', which is no program")
        if data and not pathlib.Path(data).is_dir():
            raise CaseError(f"CROCO_TEST_DATA_DIR is '{data}', which is no folder")
        with tempfile.TemporaryDirectory(prefix="croco-bin-") as programs:
            os.symlink(arguments.program.resolve(), os.path.join(programs, "croco"))
            setting = Setting(programs, arguments.source_dir.resolve(),
                              pathlib.Path(data).resolve() if data else None, arguments.time_limit)
            return run_files(arguments.files, setting, arguments.filter, arguments.update)
    except CaseError as error:
        print(f"run_cases.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
