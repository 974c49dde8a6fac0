#!/usr/bin/env bash
# Makes the virtual environment that the documentation site is built in, from docs/requirements.txt.
# Usage: tools/docs_env.sh FOLDER
set -euo pipefail
folder=$1
requirements=$(dirname "${BASH_SOURCE[0]}")/../docs/requirements.txt
if [[ -f $folder/requirements.txt ]] && cmp --silent "$requirements" "$folder/requirements.txt"; then
  exit 0
fi
rm -rf "$folder"
"${CROCO_PYTHON:-/usr/bin/python3}" -m venv "$folder"
"$folder/bin/pip" --quiet --disable-pip-version-check install --requirement "$requirements"
cp "$requirements" "$folder/requirements.txt"  # last: a folder that has it is complete
