#!/usr/bin/env bash
# The main job on the embedded German Credit data: train a model, explain rejected applicants, and
# compare the methods. Usage: tools/demo.sh [FOLDER]   (default: build/demo)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

croco=build/release/apps/cli/croco
folder=${1:-build/demo}
mkdir -p "$folder"

say() { printf '\n== %s\n' "$*"; }
run() {
  printf '$ croco'
  printf ' %s' "$@"
  printf '\n'
  "$croco" "$@"
}

say 'Train a network on the embedded German Credit data'
run train --data german --seed 1 --output "$folder/german.json"

say 'Explain the rejected among the first 40 applicants; what people get wrong is in the schema'
run explain --model "$folder/german.json" --data german --rows 0:40 --target 0.05 \
  --print --output "$folder/advice.csv" --output "$folder/advice.jsonl" \
  --output "$folder/advice.html"

say 'Check that advice again, as if another tool had made it'
run certify --model "$folder/german.json" --data german --counterfactuals "$folder/advice.csv" \
  --target 0.05 --seed 7 --output "$folder/checked.csv"

say 'Verify one certificate: make its draws again, and others; keep it to hand over'
run verify "$folder/advice.jsonl" --model "$folder/german.json" --row 35 --seed 90210 \
  --extract "$folder/certificate.json"

say 'Compare the methods on the first 200 applicants'
run evaluate --model "$folder/german.json" --data german --rows 0:200 \
  --method certified,croco,probe,wachter --target 0.2 --output "$folder/methods.csv"

say 'Run a small experiment, and draw its report'
rm -rf "$folder/experiment"  # of an earlier demo, maybe with another model
run reproduce --experiment examples/german_experiment.json --people 12 --output "$folder/experiment"

say "Written to $folder: $(cd "$folder" && echo *)"
