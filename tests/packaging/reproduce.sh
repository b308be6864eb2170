#!/usr/bin/env bash
# Builds the last commit and its package twice, without a cache: in two places, at two times, in two languages, with another umask and another
# number of jobs. Says which bytes differ. Twice as long as a release build.
#   tests/packaging/reproduce.sh [--against DIRECTORY] [CMAKE_OPTION...]
# --against: a build of this commit with its package, made wherever it was, stands for the first of the two.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d /tmp/headgate-reproduce-XXXXXX)
trap 'rm -rf "$place"' EXIT
SOURCE_DATE_EPOCH=$(git -C "$repository" log -1 --format=%ct)
commit=$(git -C "$repository" rev-parse --short=12 HEAD)
export SOURCE_DATE_EPOCH CCACHE_DISABLE=1

# CPack writes the modes that its own files get into the archive, so ./dev deb has one umask, too.
one() { # DIRECTORY JOBS
  mkdir -p "$1"
  git -C "$repository" archive HEAD | tar -C "$1" -xf -
  (cd "$1" && cmake --preset release -DHEADGATE_TESTS=OFF -DHEADGATE_COMMIT="$commit" "${options[@]}" && cmake --build build/release -j "$2" --target headgate &&
    cd build/release && umask 022 && cpack) >"$1.log" 2>&1 || { tail -n 20 "$1.log"; exit 1; }
}

first=''
if [ "${1:-}" = --against ]; then first=$(realpath "$2") && shift 2; fi
options=("$@")
[ -n "$first" ] || (umask 022 && TZ=UTC LC_ALL=C one "$place/a" "$(nproc)")
first=${first:-$place/a/build/release}
(umask 027 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 one "$place/another/and/a/longer/one" $(($(nproc) + 2)))
second=$place/another/and/a/longer/one/build/release
result=0
cd "$second"
for file in headgate *.deb; do
  if cmp "$first/$file" "$file"; then sha256sum "$file"; else result=1; fi
done
contents() { # DIRECTORY: of the package in it
  local unpacked
  unpacked=$(mktemp -d "$place/XXXXXX") && dpkg-deb -R "$1"/*.deb "$unpacked"
  (cd "$unpacked" && find . -type f -exec sha256sum {} + | sort -k 2)
}
if ((result)); then diff <(contents "$first") <(contents "$second") || true; fi
exit $result
