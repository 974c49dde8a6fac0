#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A system that allows no more threads, or only few of them.

Usage: limits_test.py --program build/release/apps/cli/croco
"""
import os
import resource
import subprocess
import unittest

import world

NOBODY = 65534
RUN = ("explain", "--model", "model.json", "--data", "people.csv", "--noise", "gaussian:sd=0.05",
       "--noise-on", "continuous", "--target", "0.1", "--rows", "0:20", "--samples", "5000")


def allow(processes):
    """Few processes and threads; the limit does not hold for the administrator."""
    def prepare():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        if processes is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    return prepare


class Limits(world.ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if os.geteuid() == 0:
            cls.folder.chmod(0o777)
            for path in (world.PROGRAM, *world.PROGRAM.parents):
                if not path.stat().st_mode & 0o001:
                    raise unittest.SkipTest(f"{path} is closed to other users")

    def run_limited(self, processes, *words):
        return subprocess.run(self.command(*words), cwd=self.folder, capture_output=True, text=True,
                              timeout=300, check=False, preexec_fn=allow(processes))

    def test_fewer_threads_give_the_same_file(self):
        self.croco(*RUN, "--threads", "1", "--output", "expected.csv")
        expected = (self.folder / "expected.csv").read_bytes()
        # One alone; the thread that waits for signals too; some; as many as are asked for.
        for processes in (1, 2, 3, 6, None):
            for threads in ("8", "0"):
                with self.subTest(processes=processes, threads=threads):
                    (self.folder / "out.csv").unlink(missing_ok=True)
                    done = self.run_limited(processes, *RUN, "--threads", threads, "--output",
                                            "out.csv")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual((self.folder / "out.csv").read_bytes(), expected)

    def test_a_limit_on_time_needs_a_thread(self):
        done = self.run_limited(1, *RUN, "--time-limit", "100")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("croco: a limit on time needs a thread, which cannot be made: Resource "
                      "temporarily unavailable", done.stderr)


if __name__ == "__main__":
    world.main()
