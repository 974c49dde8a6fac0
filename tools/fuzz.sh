#!/usr/bin/env bash
# Runs the fuzz targets one after the other; fails when one of them found something.
# Usage: tools/fuzz.sh BUILD_DIR SECONDS TARGET...   (targets: onnx xgboost lightgbm catboost network bundle schema csv)
# What was learnt stays in BUILD_DIR/corpus/TARGET and serves the next run; inputs that broke something
# are in BUILD_DIR/found/TARGET: run the program on one of them to see it again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${1:?usage: tools/fuzz.sh BUILD_DIR SECONDS TARGET...}
seconds=${2:?usage: tools/fuzz.sh BUILD_DIR SECONDS TARGET...}
shift 2

# Seeds are what the libraries themselves saved, used in place.
seeds() {
  case $1 in
    onnx) find tests/golden/onnx -name '*.onnx' ;;
    xgboost) find tests/golden/trees -name 'xgb_*' ;;
    lightgbm) find tests/golden/trees -name 'lgb_*' ;;
    catboost) find tests/golden/trees -name 'cat_*' ;;
    network) find tests/cases/models -name '*.json' ;;
    bundle) find tests/cases/models -name '*.croco' ;;
    schema) find data/schemas -name '*.json' ;;
    csv) find tests/cases/models -name '*.csv' ;;
    *) return 1 ;;
  esac
}

# Names of functions in what the sanitizers report.
export ASAN_SYMBOLIZER_PATH=/usr/lib/llvm-19/bin/llvm-symbolizer

failed=()
for name in "$@"; do
  if ! files=$(seeds "$name"); then
    printf 'fuzz.sh: there is no target %s; there are onnx, xgboost, lightgbm, catboost, network, bundle, schema, csv\n' "$name" >&2
    exit 2
  fi
  corpus=$build/corpus/$name
  found=$build/found/$name
  mkdir -p "$corpus" "$found" "$build/seeds/$name"
  rm -f "$build/seeds/$name"/*
  while read -r file; do ln -s "$PWD/$file" "$build/seeds/$name/"; done <<<"$files"
  words=()
  [[ -f tests/fuzz/$name.dict ]] && words=(-dict="tests/fuzz/$name.dict")
  printf '== %s, %s seconds\n' "$name" "$seconds"
  # A model that takes longer than 20 s or more than 2 GB under the sanitizers is a finding too.
  "$build/tests/fuzz/croco_${name}_fuzz" "${words[@]}" -max_total_time="$seconds" -timeout="${CROCO_FUZZ_TIMEOUT:-20}" \
    -rss_limit_mb=2048 -malloc_limit_mb=1024 -max_len=65536 -use_value_profile=1 \
    -print_final_stats=1 -artifact_prefix="$found/" "$corpus" "$build/seeds/$name" \
    2>"$build/$name.log" || failed+=("$name")
  grep -E '^stat::|ERROR|SUMMARY|runtime error|broken promise' "$build/$name.log" || true
done

if [[ ${#failed[@]} -gt 0 ]]; then
  printf 'fuzz: something was found by: %s (see %s/found, %s/*.log)\n' "${failed[*]}" "$build" "$build" >&2
  exit 1
fi
