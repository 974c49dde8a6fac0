#!/usr/bin/env bash
# Installs the Debian package in a minimal Debian 12, uses it there without a network, and purges it:
# how README.md and docs/start/install.md say to install it. Then it runs the archive of the program and
# the commands of the Containerfile's second stage in roots of their own.
# Usage: tools/package_test.sh PACKAGE_DIR     as root, with mmdebstrap; says what it left out
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(realpath "$1")
if ! command -v mmdebstrap >/dev/null || [[ $(id -u) -ne 0 ]]; then
  echo "skipped: a minimal Debian needs mmdebstrap and the rights of root"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

(cd "$folder" && sha256sum --quiet --check SHA256SUMS)
echo "== a minimal Debian"
# Packages come from where the host has them; afterwards the root needs no connection.
mmdebstrap --quiet --variant=apt bookworm "$work/plain"

# ROOT COMMANDS: in the root, with /proc. With "offline" before them, without any network.
inside() {
  local net=()
  if [[ $1 == offline ]]; then
    net=(--net)
    shift
  fi
  unshare --mount "${net[@]}" sh -eu -c '
    mount -t proc proc "$1/proc"
    ip link set lo up 2>/dev/null || true
    exec chroot "$@"' sh "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive bash -euo pipefail -c "$2"
}
# Where the host gets packages from: its lists of sources, its proxy, its names.
prepare() {
  cp -a "$work/plain" "$1"
  cp /etc/resolv.conf "$1/etc/resolv.conf"
  rm -rf "$1/etc/apt/sources.list"*  # those that mmdebstrap wrote name the same places
  for part in sources.list sources.list.d apt.conf.d auth.conf.d trusted.gpg.d; do
    if [[ -e /etc/apt/$part ]]; then cp -rL "/etc/apt/$part" "$1/etc/apt/"; fi
  done
}
files_of() { (cd "$1" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./root \) -prune -o -print | sort); }

echo "== apt install ./croco_*.deb"
root=$work/installed
prepare "$root"
inside "$root" 'apt-get --quiet=2 update'
files_of "$root" >"$work/before"
cp "$folder"/croco_*.deb "$root/root"
inside "$root" 'cd /root && apt install --yes --no-install-recommends ./croco_*.deb' >"$work/apt.log" 2>&1 ||
  { tail -20 "$work/apt.log" >&2; exit 1; }

echo "== without a network"
# No grep -q: it ends before the program does, and the program would be killed by the closed pipe.
inside offline "$root" '
  cd /root
  croco --version
  croco doctor | grep "page of croco serve.*in the program"
  croco train --data german --seed 1 --output german.json >/dev/null
  croco explain --data german --model german.json --rows 11 --target 0.05 | grep "the answer stays"
  croco man | sed -n 1p | grep "^.TH CROCO 1"
  zcat /usr/share/man/man1/croco.1.gz | grep -c "croco explain"
  set +u  # as in an interactive shell
  source /usr/share/bash-completion/completions/croco
  COMP_WORDS=(croco expl) COMP_CWORD=1 && _croco && [[ ${COMPREPLY[0]} == explain ]]
  test -f /usr/share/zsh/vendor-completions/_croco
  test -f /usr/share/fish/vendor_completions.d/croco.fish
  test -f /usr/include/croco/croco.hpp -a -f /usr/lib/libcroco.a
  croco serve --port 8420 >/dev/null 2>serve.log & server=$!
  for i in $(seq 100); do
    if exec 3<>/dev/tcp/127.0.0.1/8420; then break; fi 2>/dev/null
    sleep 0.2
  done
  printf "GET / HTTP/1.1\r\nHost: 127.0.0.1:8420\r\nConnection: close\r\n\r\n" >&3
  grep -i -c "<!doctype html>" <&3
  kill $server && wait $server'

echo "== apt purge croco"
inside "$root" 'cd /root && rm -rf ./* && apt-get --quiet=2 --yes purge --autoremove croco' >"$work/apt.log" 2>&1 ||
  { tail -20 "$work/apt.log" >&2; exit 1; }
files_of "$root" >"$work/after"
left=$(comm -13 "$work/before" "$work/after" | grep -vE '^\./var/(log|cache/(apt|ldconfig|debconf))|^\./var/lib/(apt|dpkg)/' || true)
if [[ -n $left ]]; then
  printf 'package_test.sh: purge left\n%s\n' "$left" >&2
  exit 1
fi
rm -rf --one-file-system "$root"

echo "== the archive of the program"
root=$work/archive
cp -a "$work/plain" "$root"
tar --extract --gzip --file "$folder"/croco-*-linux-*.tar.gz --directory "$root/root" --strip-components=1
inside offline "$root" '
  cd /root
  bin/croco train --data german --seed 1 --output german.json >/dev/null
  bin/croco explain --data german --model german.json --rows 11 | grep "the answer stays"
  bin/croco doctor | grep "libcurl is not installed"'
rm -rf --one-file-system "$root"

echo "== the second stage of the Containerfile"
root=$work/container
prepare "$root"
cp "$folder"/croco_*.deb "$root/tmp"
sed -n '/^FROM debian:12-slim/,$ s/^RUN //p' Containerfile >"$work/commands"
[[ -s $work/commands ]] || { echo "package_test.sh: the Containerfile has no second stage" >&2; exit 1; }
while IFS= read -r command <&4; do
  inside "$root" "$command" >"$work/apt.log" 2>&1 || { tail -20 "$work/apt.log" >&2; exit 1; }
done 4<"$work/commands"
inside offline "$root" 'cd /home/croco && setpriv --reuid=croco --regid=croco --init-groups croco --version'
echo "the package installs, works without a network and purges cleanly"
