#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the bill of materials of the program (CycloneDX 1.5) and the licences of what is inside.

Usage: sbom.py --version V --program PROGRAM --web WEB_DIR --modules NODE_MODULES
               --sbom FILE.cdx.json --licences FILE.txt

Listed are the libraries that the program loads and the headers that it is compiled with, as Debian
packages, and the npm packages of the pages that are part of the program.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import uuid

# Compiled into the program from headers alone; no loader can tell.
HEADER_ONLY = ("libboost1.74-dev", "libcli11-dev", "libtomlplusplus-dev", "nlohmann-json3-dev",
               "librandom123-dev", "libhwy-dev", "libfmt-dev", "libtbb-dev")
# Parts of every Debian, not of this program.
SYSTEM = ("libc6", "libgcc-s1", "libstdc++6")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def loaded_libraries(program):
    """The libraries that the program itself names, with the files that the loader finds."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "--dynamic", "--wide", program))
    found = dict(re.findall(r"^\s*(\S+) => (\S+)", output_of("ldd", program), re.MULTILINE))
    return [os.path.realpath(found[name]) for name in needed if name in found]


def debian_package(path):
    """The package that a file belongs to. /lib is a link to /usr/lib on merged systems."""
    for name in (path, path.removeprefix("/usr")):
        done = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    sys.exit(f"sbom.py: {path} belongs to no Debian package")


def debian_component(name, scope):
    version = output_of("dpkg-query", "--show", "--showformat=${Version}", name)
    licence = pathlib.Path("/usr/share/doc", name, "copyright").read_text(encoding="utf-8", errors="replace")
    ids = sorted(set(re.findall(r"^License: *(\S.*)$", licence, re.MULTILINE)))
    return {"type": "library", "name": name, "version": version, "scope": scope,
            "purl": f"pkg:deb/debian/{name}@{version}",
            "licenses": [{"license": {"name": one}} for one in ids or ["see its copyright file"]]}, licence


def npm_components(web, modules):
    """The packages that the pages are bundled from: those that are not for development."""
    lock = json.loads((web / "package-lock.json").read_text(encoding="utf-8"))
    for path, entry in sorted(lock["packages"].items()):
        if not path or entry.get("dev") or entry.get("optional"):
            continue
        folder = modules.parent / path
        if not folder.is_dir():
            sys.exit(f"sbom.py: {folder} is not there; build the program with its pages first")
        described = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        name = path.split("node_modules/")[-1]
        texts = [file.read_text(encoding="utf-8", errors="replace") for file in sorted(folder.iterdir())
                 if re.match(r"(licen[cs]e|copying|notice)", file.name, re.IGNORECASE) and file.is_file()]
        licence = str(described.get("license", "not stated"))
        yield {"type": "library", "name": name, "version": entry["version"], "scope": "required",
               "purl": f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}",
               "licenses": [{"license": {"name": licence}}]}, "\n".join(texts) or f"Licence: {licence}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("program", "web", "modules", "sbom", "licences"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    arguments = parser.parse_args()
    linked = {debian_package(path) for path in loaded_libraries(arguments.program)} - set(SYSTEM)
    parts = [debian_component(name, "required") for name in sorted(linked)]
    parts += [debian_component(name, "required") for name in HEADER_ONLY]
    parts += list(npm_components(arguments.web, arguments.modules))
    when = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'croco-{arguments.version}-{when}')}",
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when)),
            "component": {"type": "application", "name": "croco", "version": arguments.version,
                          "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": [component for component, _ in parts]}
    arguments.sbom.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    with arguments.licences.open("w", encoding="utf-8") as file:
        file.write("croco is licensed under the Apache License 2.0. It is linked with, compiled with or carries\n"
                   "what follows, each under its own licence.\n")
        for component, text in parts:
            file.write(f"\n{'=' * 80}\n{component['name']} {component['version']}\n{'=' * 80}\n\n{text.strip()}\n")
    print(f"{len(parts)} components")


if __name__ == "__main__":
    main()
