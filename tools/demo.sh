#!/usr/bin/env bash
# The main job on the embedded German Credit data: train a model, explain rejected applicants, check
# the advice, and compare the methods. Usage: tools/demo.sh [FOLDER]   (default: build/demo)
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

say 'Explain the rejected among the first 40 applicants: a table, then three of them in words'
run explain --model "$folder/german.json" --data german --rows 0:40 --target 0.05 --noise schema --table --words 3 \
  --output "$folder/advice.csv" --output "$folder/advice.jsonl" --output "$folder/advice.html"

say 'Verify one certificate: generate its samples again, and fresh ones; keep it to hand over'
run verify "$folder/advice.jsonl" --model "$folder/german.json" --row 35 --seed 90210 \
  --extract "$folder/certificate.json"

say 'Compare the methods on the first 200 applicants: how often does noise undo their advice?'
run evaluate --model "$folder/german.json" --data german --rows 0:200 \
  --method certified,croco,probe,wachter --target 0.2 --noise schema --output "$folder/methods.csv"

say 'Run a small experiment, and draw its report'
rm -rf "$folder/experiment"  # of an earlier demo, maybe with another model
run reproduce --experiment examples/german_experiment.json --people 12 --output "$folder/experiment"

say 'Where the files are'
cat <<FILES
  $folder/advice.html        the advice as a page, for people
  $folder/advice.csv         the same as a table, for spreadsheets
  $folder/advice.jsonl       the same with certificates, for programs; croco verify checks it
  $folder/certificate.json   one certificate to hand over
  $folder/experiment         the methods compared, as tables and as a page (report.html)
FILES

say 'What to try next'
cat <<NEXT
  $croco explain --model $folder/german.json --data german --rows 11 --alternatives 3
  $croco explain --model $folder/german.json --data german --rows 11 --max-changes 1 --prove
  $croco explain --model $folder/german.json --data german --rows 11 --noise-scale credit_amount=500
  $croco inspect your.csv --label COLUMN      # your own data: docs/index.md leads on
NEXT

say 'See it'
cat <<PAGE
  $croco serve --model $folder/german.json --data german
  Then open http://127.0.0.1:8420/ in a browser on this machine.
PAGE
