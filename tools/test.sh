#!/usr/bin/env bash
# Runs the tests of a preset, passing on further arguments to ctest, and says at the end which tests
# were skipped for want of something, and how to get it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
ctest --preset "$preset" --output-on-failure "$@" | tee "$log" || status=$?

# ctest lists them at the end: "	 12 - cases.data (Skipped)"
skipped=$(grep -cE '^[[:space:]]+[0-9]+ - .* \(Skipped\)$' "$log" || true)
# GoogleTest's programs skip some of their tests and pass: "[  SKIPPED ] 2 tests, listed below:"
inner=$(cat "build/${preset%-fast}/Testing/Temporary/LastTest.log" 2>/dev/null |
  awk '/^\[  SKIPPED \] [0-9]+ tests?(, listed below:|\.)$/ { n += $4 } END { print n + 0 }' || true)
skipped=$((skipped + inner))
if [ "$skipped" -eq 0 ]; then
  exit "$status"
fi

# Where the tests look: the variables, or folders that were there when CMake ran.
shared=$(sed -n 's/^CROCO_SHARED_DIR:PATH=//p' "build/${preset%-fast}/CMakeCache.txt" 2>/dev/null || true)
echo
echo "$skipped tests were skipped:"
if [ -z "${CROCO_TEST_DATA_DIR:-}" ] && [ ! -d "$shared/data" ]; then
  cat <<'END'
- Some need the large data sets. To fetch them into a folder and test with them:
    for name in adult compas give-me-some-credit; do
      build/release/apps/cli/croco data fetch $name --data-dir "$HOME/croco-data"
    done
    CROCO_TEST_DATA_DIR="$HOME/croco-data" make test
END
fi
if [ -z "${CROCO_TEST_REFERENCE_DIR:-}" ] && [ ! -d "$shared/reference" ]; then
  echo "- Some compare with the published models: CROCO_TEST_REFERENCE_DIR names their folder."
fi
if [ ! -x build/python-env/bin/python ]; then
  echo "- The Python package was left out: it is built with nanobind, which tools/python_env.sh"
  echo "  fetches from PyPI. With a connection: rm build/.python-env && make test"
fi
echo "- 'ctest --preset $preset -R NAME --verbose' says what one of them lacks."
exit "$status"
