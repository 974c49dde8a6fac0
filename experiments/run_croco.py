# SPDX-License-Identifier: Apache-2.0
"""Runs croco for the experiments of this folder."""
import subprocess

# People needed advice and nobody got any: an answer of the experiment, not a failure of the run.
NOBODY_HELPED = 7


def run_croco(command, **options):
    """`subprocess.run` of words of any type; raises CalledProcessError when croco failed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, check=False, **options)
    if done.returncode not in (0, NOBODY_HELPED):
        raise subprocess.CalledProcessError(done.returncode, words, done.stdout, done.stderr)
    return done
