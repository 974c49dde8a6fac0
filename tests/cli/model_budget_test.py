# SPDX-License-Identifier: Apache-2.0
"""Model files that ask for far more than they hold: croco reads or refuses each of them at once."""
import multiprocessing
import os
import pathlib
import resource
import tempfile
import unittest

import hostile_models
import world

# What refusing a file may take, and where a runaway process is stopped.
SECONDS = 2.0
MEGABYTES = 200
STOP_SECONDS = 30
STOP_BYTES = 6 << 30


def run_on(folder, program, words):
    """Exit code, seconds of the processor, megabytes at the peak, and what was said."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (STOP_SECONDS, STOP_SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (STOP_BYTES, STOP_BYTES))
            os.dup2(write, 1)
            os.dup2(write, 2)
            os.chdir(folder)
            os.execv(program, [program, *words])
        finally:
            os._exit(126)
    os.close(write)
    with open(read, errors="replace") as stream:
        said = stream.read()
    _, status, used = os.wait4(child, 0)
    return (os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime,
            used.ru_maxrss / 1024, said)


class ModelBudget(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="croco-budget-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        # The peak of a program is never below that of the process that it was forked from. These
        # are forked while this one is small, and never see what the files are made of.
        cls.workers = multiprocessing.get_context("fork").Pool(min(os.cpu_count() or 1, 4))
        cls.addClassCleanup(cls.workers.terminate)
        (cls.folder / "people.csv").write_text("c0,c1\n0.1,0.2\n0.7,0.4\n")
        (cls.folder / "train.csv").write_text(
            "c0,c1,good\n" + "".join(f"0.{i}1,0.{9 - i}3,{i % 2}\n" for i in range(9)))
        code, _, _, said = run_on(cls.folder, str(world.PROGRAM),
                                  ["inspect", "train.csv", "--label", "good", "--output",
                                   "schema.json"])
        if code != 0:
            raise AssertionError(said)

    def commands(self, path, own):
        explain = ["explain", "--model", path.name, "--data", "people.csv", "--output",
                   path.stem + ".csv", "--max-samples", "1000", "--reasons", "off"]
        explain += ["--encoded"] if own else ["--schema", "schema.json", "--training", "train.csv"]
        return ["model", "inspect", path.name], explain

    def check(self, files, suffix):
        own = suffix == ".json"
        started = []
        for index, (name, content) in enumerate(files):
            path = self.folder / f"model{index}{suffix}"
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            for words in self.commands(path, own):
                started.append((name, path, words, self.workers.apply_async(
                    run_on, (str(self.folder), str(world.PROGRAM), words))))
        for name, path, words, result in started:
            size = path.stat().st_size
            with self.subTest(name=name, bytes=size, command=words[0:2]):
                code, seconds, megabytes, said = result.get()
                shown = f"{code} {seconds:.2f} s {megabytes:.0f} MB {said[:300]}"
                if os.environ.get("CROCO_SHOW_BUDGET"):
                    print(f"{name}: {words[0]} {size} bytes: {shown}", flush=True)
                # Networks may ask for columns that the people do not have.
                # 7: the model was read, and nobody was helped.
                self.assertIn(code, (0, 3, 4, 7) if own else (0, 4, 7), shown)
                if code == 4:
                    self.assertIn(path.name, said)
                self.assertLess(seconds, SECONDS, shown)
                self.assertLess(megabytes, MEGABYTES, shown)

    def test_graphs(self):
        self.check(hostile_models.onnx_files(), ".onnx")

    def test_trees(self):
        self.check([*hostile_models.tree_files(), *hostile_models.catboost_files()], ".bin")

    def test_networks(self):
        self.check(hostile_models.network_files(), ".json")


if __name__ == "__main__":
    world.main()
