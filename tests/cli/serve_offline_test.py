#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`croco serve` on a machine without a network: the test runs itself in a network namespace that has the
loopback and nothing else. It is skipped where the system grants no such namespace."""
import fcntl
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

import world
from server import Server

INSIDE = "CROCO_TEST_OFFLINE"
#: Of CTest.
SKIPPED = 77
#: linux/sockios.h and linux/if.h
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def raise_loopback():
    """As `ip link set lo up` does; a new namespace may begin with it down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sh14x", b"lo", 0)
        _, flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, SIOCGIFFLAGS, asked))
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))


def interfaces():
    lines = pathlib.Path("/proc/self/net/dev").read_text(encoding="ascii").splitlines()[2:]
    return [line.split(":")[0].strip() for line in lines]


class Offline(unittest.TestCase):
    """The demonstration needs its own loopback alone."""

    def test_the_demonstration(self):
        self.assertEqual(interfaces(), ["lo"])
        with tempfile.TemporaryDirectory(prefix="croco-offline-") as folder:
            server = Server([str(world.PROGRAM), "serve", "--port", "0"], folder)
            self.addCleanup(server.process.kill)
            self.assertEqual(server.get("/").status, 200)
            refused = server.get("/api/v1/people?decision=rejected&limit=1").json["people"]
            answer = server.post("explain", {"person": {"row": refused[0]["row"]}, "target": 0.2})
            self.assertEqual(answer.status, 200)
            self.assertIn("certificate", answer.json["rows"][0])
            self.assertEqual(server.end(), 0)


def main():
    if os.environ.get(INSIDE) != "1":
        command = ["unshare", "--user", "--map-root-user", "--net"]
        if shutil.which("unshare") is None or subprocess.run([*command, "true"], check=False,
                                                             capture_output=True).returncode != 0:
            print("skipped: this system grants no network namespace")
            sys.exit(SKIPPED)
        os.execvpe(command[0], [*command, sys.executable, "-B", *sys.argv], {**os.environ, INSIDE: "1"})
    raise_loopback()
    world.main()


if __name__ == "__main__":
    main()
