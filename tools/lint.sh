#!/usr/bin/env bash
# Checks the sources without building them: format, licence lines, layers, clang-tidy.
# Usage: tools/lint.sh BUILD_DIR [JOBS]   checks; BUILD_DIR holds compile_commands.json
#        tools/lint.sh --fast             the checks that need no compiler: a few seconds
#        tools/lint.sh --format           formats the C++ files in place
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folders=()
for folder in include croco apps python tests benchmarks examples; do
  [[ -d $folder ]] && folders+=("$folder")
done
mapfile -d '' -t sources < <(
  find "${folders[@]}" -type f \( -name '*.cpp' -o -name '*.hpp' \) -print0 | sort -z)

if [[ ${1:-} == --format ]]; then
  exec clang-format-19 -i "${sources[@]}"
fi

build=${1:?usage: tools/lint.sh BUILD_DIR [JOBS], or tools/lint.sh --fast, or tools/lint.sh --format}
jobs=${2:-$(nproc)}
if [[ $build != --fast && ! -f $build/compile_commands.json ]]; then
  printf 'lint.sh: %s/compile_commands.json is missing; run: cmake --preset release\n' "$build" >&2
  exit 1
fi

failed=()
check() {
  local name=$1
  shift
  printf '== %s\n' "$name"
  "$@" || failed+=("$name")
}

licence_lines() {
  local file bad=0
  for file in "${sources[@]}"; do
    if [[ $(head -n 1 "$file") != '// SPDX-License-Identifier: Apache-2.0' ]]; then
      printf '%s:1: the first line must be "// SPDX-License-Identifier: Apache-2.0"\n' "$file" >&2
      bad=1
    fi
  done
  return $bad
}

# As many files at a time as there are processors: half of the time of the fast checks is this one.
format() {
  printf '%s\0' "${sources[@]}" | xargs -0 -n 64 -P "$jobs" clang-format-19 --dry-run -Werror
}

check licences licence_lines
check layers tools/check_layers.py
check words tests/docs/prose_test.py --self-test .
if command -v clang-format-19 >/dev/null; then
  check format format
elif [[ $build == --fast ]]; then
  printf 'lint: clang-format-19 is not installed, so the format was not checked (tools/install_packages.sh lint)\n' >&2
else
  failed+=(format)
fi
[[ $build == --fast ]] || check clang-tidy tools/tidy.py --jobs "$jobs" "$build"

if [[ ${#failed[@]} -gt 0 ]]; then
  printf 'lint: failed: %s\n' "${failed[*]}" >&2
  exit 1
fi
printf 'lint: %d files are clean\n' "${#sources[@]}"
