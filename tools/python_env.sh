#!/usr/bin/env bash
# Makes the virtual environment that the Python package is built and tested in: Debian's interpreter
# and packages, and from PyPI what Debian does not have.
# Usage: tools/python_env.sh FOLDER
# Without a connection the folder is removed again, the package is left out of the build, and this
# script says so; it fails only when something else is wrong.
set -euo pipefail
folder=$1
python=${CROCO_PYTHON:-/usr/bin/python3}

if [[ -x $folder/bin/python ]] && "$folder/bin/python" -c 'import nanobind, nanobind_backend' 2>/dev/null; then
  exit 0
fi
rm -rf "$folder"
if ! "$python" -m venv --system-site-packages "$folder" >/dev/null; then
  rm -rf "$folder"
  echo "python_env.sh: $python cannot make a virtual environment (Debian: python3-venv); the Python package is left out" >&2
  exit 0
fi
if ! "$folder/bin/pip" --quiet --disable-pip-version-check install 'nanobind>=3.1,<4' 'nanobind-backend>=1,<2'; then
  rm -rf "$folder"
  echo "python_env.sh: nanobind cannot be had from PyPI; the Python package is left out" >&2
fi
