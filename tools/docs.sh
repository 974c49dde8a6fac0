#!/usr/bin/env bash
# Builds the documentation site: generated pages, pictures, Doxygen's XML, then Sphinx, whose warnings
# are errors; afterwards every link inside the site is followed. Nothing is written into the sources.
# Usage: tools/docs.sh PROGRAM ENVIRONMENT OUTPUT_DIR
#   PROGRAM      the croco whose help becomes the reference of the command line
#   ENVIRONMENT  what tools/docs_env.sh made
set -euo pipefail
program=$(realpath "$1")
environment=$(realpath "$2")
mkdir -p "$3"
output=$(realpath "$3")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$environment/bin/python

# A copy of the pages beside what they link to, so that links lead to the same files as in the
# repository, and generated pages stand beside written ones.
tree=$output/tree
rm -rf "$tree"
mkdir -p "$tree"
for name in *; do
  case $name in
    docs | build) ;;
    *) ln -s "$PWD/$name" "$tree/$name" ;;
  esac
done
cp -r docs "$tree/docs"

"$python" tools/root_pages.py . "$tree/docs"
"$python" tools/cli_reference.py "$program" "$tree/docs/reference/cli"
"$python" tools/cpp_reference.py include "$tree/docs/reference/cpp-api"
mkdir -p "$output/doxygen"
doxygen - <<END
@INCLUDE = docs/Doxyfile
INPUT = include/croco
OUTPUT_DIRECTORY = $output/doxygen
STRIP_FROM_PATH = include
END

export CROCO_VERSION CROCO_XML=$output/doxygen/xml CROCO_PYTHON_SOURCE=$PWD/python
CROCO_VERSION=$("$program" --version)
export PYTHONDONTWRITEBYTECODE=1
"$python" -m sphinx --builder html --fail-on-warning --keep-going --quiet \
  --doctree-dir "$output/doctrees" "$tree/docs" "$output/html"
"$python" tools/check_site.py "$output/html"
