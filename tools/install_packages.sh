#!/usr/bin/env bash
# Installs the Debian packages that croco is built from, and only those that are missing.
# Usage: tools/install_packages.sh [GROUP]...   (default: build web)
# Groups: build web python browser lint bench fuzz torch docs package
# CROCO_SKIP_PACKAGES=1 skips the check, for systems whose libraries have another source.
set -euo pipefail

build=(build-essential cmake ninja-build pkg-config libtbb-dev libhwy-dev librandom123-dev
  libboost-dev libboost-math-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libcurl4-openssl-dev
  libssl-dev libfmt-dev zlib1g-dev libzstd-dev libgtest-dev libgmock-dev python3 openssl ca-certificates curl)
lint=(clang-format-19 clang-tidy-19)
bench=(libbenchmark-dev)
fuzz=(clang-19 libclang-rt-19-dev llvm-19)
web=(nodejs npm)
python=(python3-dev python3-venv python3-pip python3-numpy python3-pandas python3-sklearn
  python3-pytest python3-matplotlib python3-tqdm)
browser=(chromium)
torch=(python3-torch libopenblas0-pthread)
docs=(doxygen python3-venv)
package=(dpkg-dev fakeroot file lintian man-db mmdebstrap git)

fail() {
  printf 'install_packages.sh: %s\n' "$1" >&2
  exit 1
}

[[ ${CROCO_SKIP_PACKAGES:-} == 1 ]] && exit 0
[[ $# -gt 0 ]] || set -- build web

# Node.js and Chromium often have another source; Debian's npm would even conflict with such a
# Node.js, which carries its own.
have_web() {
  command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' 2>/dev/null
}
have_browser() {
  local name
  for name in "${CHROMIUM:-chromium}" chromium-browser google-chrome-stable google-chrome; do
    if command -v "$name" >/dev/null; then return 0; fi
  done
  return 1
}

wanted=()
for group in "$@"; do
  case $group in
    build) wanted+=("${build[@]}") ;;
    web) have_web || wanted+=("${web[@]}") ;;
    python) wanted+=("${python[@]}") ;;
    browser) have_browser || wanted+=("${browser[@]}") ;;
    lint) wanted+=("${lint[@]}") ;;
    bench) wanted+=("${bench[@]}") ;;
    fuzz) wanted+=("${fuzz[@]}") ;;
    torch) wanted+=("${torch[@]}") ;;
    docs) wanted+=("${docs[@]}") ;;
    package) wanted+=("${package[@]}") ;;
    *) fail "no group of packages is called '$group'; there are build, web, python, browser, lint, \
bench, fuzz, torch, docs and package" ;;
  esac
done
[[ ${#wanted[@]} -gt 0 ]] || exit 0

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail "this is not a Debian system; install the equivalents of '${wanted[*]}' and run again \
with CROCO_SKIP_PACKAGES=1"
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

if [[ $(id -u) -eq 0 ]]; then
  root=()
elif command -v sudo >/dev/null; then
  root=(sudo)
else
  fail "packages are missing, and installing them needs root; run as root: \
apt-get install ${missing[*]}"
fi

apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet)
printf 'Installing %s\n' "${missing[*]}"
"${apt[@]}" update || fail "'apt-get update' failed; missing are: ${missing[*]}"
"${apt[@]}" install --yes --no-install-recommends "${missing[@]}" ||
  fail "'apt-get install' failed; missing are: ${missing[*]}"
