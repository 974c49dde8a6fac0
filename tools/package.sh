#!/usr/bin/env bash
# Makes what others install: a Debian package, an archive of the program that needs few libraries, the
# sources, a bill of materials, the licences of what is inside, and checksums of all of it.
# Usage: tools/package.sh OUTPUT_DIR [JOBS]
set -euo pipefail
mkdir -p "$1"
output=$(realpath "$1")
jobs=${2:-$(nproc)}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$PWD/build/release
version=$(sed -n 's/^project(croco VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
# The time of the last change is that of every file, so that the same sources give the same packages.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
rm -rf "$output"/croco* "$output"/SHA256SUMS "$output"/THIRD-PARTY-LICENSES.txt

[[ -f $build/build.ninja ]] || cmake --preset release -DCROCO_BUILD_PYTHON=OFF
cmake --build --preset release --parallel "$jobs" --target croco_cli

echo "== the Debian package"
# Folders of packages are readable by everybody, whatever this shell's umask is.
(umask 022 && cd "$build" && cpack -G DEB -B "$output/cpack" >"$output/cpack.log" 2>&1) ||
  { tail -20 "$output/cpack.log" >&2; exit 1; }
cp "$output"/cpack/croco_*.deb "$output"

echo "== the archive of the program"
# The same library, linked again: OpenSSL inside, libcurl looked for when a URL is first used, and the
# libraries that Debian has in no other form, or that are small, beside the program.
cmake -S . -B "$output/program" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCROCO_BUILD_TESTS=OFF \
  -DCROCO_PREBUILT="$build" -DCROCO_CURL_AT_RUN_TIME=ON -DOPENSSL_USE_STATIC_LIBS=ON \
  -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON '-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib' >"$output/program.log"
cmake --build "$output/program" --parallel "$jobs" --target croco_cli >>"$output/program.log" ||
  { tail -20 "$output/program.log" >&2; exit 1; }
name=croco-$version-linux-$(uname -m)
root=$output/$name
mkdir -p "$root/bin" "$root/lib" "$root/share/doc"
cp "$output/program/apps/cli/croco" "$root/bin"
strip "$root/bin/croco"
readelf --dynamic "$root/bin/croco" | grep --fixed-strings 'runpath: [$ORIGIN/../lib]' >/dev/null ||
  { echo "package.sh: the program would not find the libraries beside it" >&2; exit 1; }
for library in libfmt libhwy libtbb libz libzstd; do
  cp "$(ldd "$root/bin/croco" | awk -v name="$library.so" 'index($1, name) == 1 { print $3 }')" "$root/lib"
done
for kind in man1:croco.1 completions:croco.bash completions:_croco completions:croco.fish; do
  mkdir -p "$root/share/${kind%%:*}"
  cp "$build/generated/${kind##*:}" "$root/share/${kind%%:*}"
done
cp LICENSE README.md CHANGELOG.md "$root/share/doc"

echo "== bill of materials and licences"
python3 tools/sbom.py --version "$version" --program "$build/apps/cli/croco" --web web \
  --modules "$build/web/pages/node_modules" --sbom "$output/croco-$version.cdx.json" \
  --licences "$output/THIRD-PARTY-LICENSES.txt"
cp "$output/THIRD-PARTY-LICENSES.txt" "$root/share/doc"

archive() {  # FOLDER: the same bytes for the same files
  tar --create --directory "$output" --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime="@$SOURCE_DATE_EPOCH" "$1" | gzip --no-name --best >"$output/$1.tar.gz"
  rm -rf "${output:?}/$1"
}
archive "$name"

echo "== the sources"
git archive --prefix="croco-$version/" HEAD | gzip --no-name --best >"$output/croco-$version.tar.gz"

if command -v lintian >/dev/null; then
  echo "== lintian"
  lintian --allow-root --fail-on error "$output"/croco_*.deb
fi
(cd "$output" && sha256sum croco_*.deb croco-*.tar.gz croco-*.cdx.json THIRD-PARTY-LICENSES.txt >SHA256SUMS)
(cd "$output" && ls -l croco_*.deb croco-*.tar.gz croco-*.cdx.json THIRD-PARTY-LICENSES.txt SHA256SUMS |
  awk '{ print $9 ": " $5 " bytes" }')
