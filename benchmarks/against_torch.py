#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""croco against a plain PyTorch loop, on the same people, in one run.

Usage: benchmarks/against_torch.py --reference DIR [--program build/bench/benchmarks/tools/batch_time]
           [--people 12] [--datasets adult ...] [--instructions AVX3 AVX2]

The loop is CROCO as its authors run it: 200 Adam steps with amsgrad, K = 500 fresh samples a step, one
person after the other, written as anybody would with autograd. Needs Debian's python3-torch and
libopenblas0-pthread (tools/install_packages.sh torch). DIR holds models/*.json and factuals/*.csv.
Times are processor time of one thread; the machine is noisy, so only the ratios mean anything.
Each instruction set is measured in a process of its own, in which PyTorch and its BLAS are held to it
too; sets that the processor does not have are left out.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import time

# Before torch loads them: threads that only wait would be counted as processor time.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")

import torch  # noqa: E402

# Highway's names of instruction sets, and what holds PyTorch and OpenBLAS to them.
LIBRARIES = {
    "AVX3": {"ATEN_CPU_CAPABILITY": "avx512", "OPENBLAS_CORETYPE": "SkylakeX"},
    "AVX2": {"ATEN_CPU_CAPABILITY": "avx2", "OPENBLAS_CORETYPE": "Haswell"},
}
FLAGS = {"AVX3": "avx512f", "AVX2": "avx2"}
STEPS, SAMPLES, MARGIN, THRESHOLD, RATE, LAMBDA = 200, 500, .1, .5, .01, 1.


class Network(torch.nn.Module):
    """One hidden layer of ReLU units and a softmax of two, as published."""

    def __init__(self, description):
        super().__init__()
        first, last = description["layers"]
        self.w1 = torch.tensor(first["weight"])
        self.b1 = torch.tensor(first["bias"])
        self.w2 = torch.tensor(last["weight"])
        self.b2 = torch.tensor(last["bias"])

    def forward(self, x):
        hidden = torch.relu(x @ self.w1.T + self.b1)
        return torch.softmax(hidden @ self.w2.T + self.b2, dim=-1)[..., 1]


def counterfactual(model, person, movable, deviation, target):
    """CROCO's loop for one person."""
    delta = torch.zeros_like(person, requires_grad=True)
    optimiser = torch.optim.Adam([delta], lr=RATE, amsgrad=True)
    for _ in range(STEPS):
        optimiser.zero_grad()
        point = person + delta * movable
        noise = torch.randn(SAMPLES, len(person)) * deviation
        soft = (1 - model(point + noise)).mean()
        bound = (MARGIN + soft) / (1 - THRESHOLD)
        loss = (bound - target) ** 2 + (1 - model(point)) ** 2 + LAMBDA * delta.abs().sum()
        loss.backward()
        optimiser.step()
    return (person + delta * movable).detach()


def torch_ms(reference, dataset, people, target=.1, variance=.01):
    """Milliseconds a person, and how many were accepted in the end."""
    description = json.loads((reference / "models" / f"{dataset}.json").read_text())
    names = description["feature_names"]
    movable = torch.tensor([float(name in description["continuous"]) for name in names])
    model = Network(description)
    rows = []
    with open(reference / "factuals" / f"{dataset}.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            point = torch.tensor([float(row[name]) for name in names])
            if model(point) <= .5:
                rows.append(point)
    counterfactual(model, rows[0], movable, variance ** .5, target)  # warm up
    start = time.process_time()
    accepted = sum(bool(model(counterfactual(model, row, movable, variance ** .5, target)) > .5)
                   for row in rows[:people])
    return 1000 * (time.process_time() - start) / people, accepted


def croco_ms(program, reference, dataset, method, threads, instructions):
    """People, processor and elapsed milliseconds a person, the better of three batches."""
    runs = []
    for _ in range(3):
        out = subprocess.run([program, reference, dataset, method, str(threads), instructions],
                             check=True, capture_output=True, text=True).stdout.split()
        runs.append((float(out[1]), float(out[2]), int(out[0])))
    return min(runs)[0], min(run[1] for run in runs), runs[0][2]


def processor_flags():
    """What the processor says it can do."""
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("flags"):
            return set(line.split())
    return set()


def measure_alone(instructions):
    """This script again, for one instruction set."""
    # The last value of an option counts.
    command = [sys.executable, __file__, *sys.argv[1:], "--instructions", instructions]
    subprocess.run(command, check=True, env={**os.environ, **LIBRARIES[instructions]})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", type=pathlib.Path, required=True)
    parser.add_argument("--program", default="build/bench/benchmarks/tools/batch_time")
    parser.add_argument("--people", type=int, default=12, help="that PyTorch solves")
    parser.add_argument("--datasets", nargs="+",
                        default=["adult", "compas", "give_me_some_credit"])
    parser.add_argument("--instructions", nargs="+", default=list(LIBRARIES), choices=LIBRARIES)
    options = parser.parse_args()
    if len(options.instructions) > 1:
        for name in options.instructions:
            if FLAGS[name] in processor_flags():
                measure_alone(name)
        return
    instructions = options.instructions[0]
    print(f"== {instructions}")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    blas = subprocess.run(["readlink", "-f", "/etc/alternatives/libblas.so.3-x86_64-linux-gnu"],
                          capture_output=True, text=True, check=False).stdout.strip()
    print(f"torch {torch.__version__}, BLAS {pathlib.Path(blas).parent.name or 'unknown'}")
    print("dataset", "people", "torch_ms", "croco_ms", "torch/croco", "certified_ms",
          "torch/certified", "threads_2_speedup", sep="\t")
    for dataset in options.datasets:
        plain, _ = torch_ms(options.reference, dataset, options.people)
        croco, _, _ = croco_ms(options.program, options.reference, dataset, "croco", 1,
                               instructions)
        certified, alone, people = croco_ms(options.program, options.reference, dataset,
                                            "certified", 1, instructions)
        _, together, _ = croco_ms(options.program, options.reference, dataset, "certified", 2,
                                  instructions)
        print(dataset, people, f"{plain:.1f}", f"{croco:.3f}", f"{plain / croco:.0f}",
              f"{certified:.3f}", f"{plain / certified:.0f}", f"{alone / together:.2f}", sep="\t",
              flush=True)


if __name__ == "__main__":
    main()
