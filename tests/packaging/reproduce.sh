#!/usr/bin/env bash
# Builds the last commit and its package twice, without a cache: in two places, at two times, in two languages, with another umask and another
# number of jobs. Says which bytes differ. Twice as long as a release build.
#   tests/packaging/reproduce.sh [CMAKE_OPTION...]     -DCMAKE_CXX_FLAGS_RELEASE=-O0 is the same in a third of the time
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d /tmp/headgate-reproduce-XXXXXX)
trap 'rm -rf "$place"' EXIT
SOURCE_DATE_EPOCH=$(git -C "$repository" log -1 --format=%ct)
commit=$(git -C "$repository" rev-parse --short=12 HEAD)
export SOURCE_DATE_EPOCH CCACHE_DISABLE=1

one() { # DIRECTORY JOBS
  mkdir -p "$1"
  git -C "$repository" archive HEAD | tar -C "$1" -xf -
  (cd "$1" && cmake --preset release -DHEADGATE_TESTS=OFF -DHEADGATE_COMMIT="$commit" "${options[@]}" && cmake --build build/release -j "$2" --target headgate &&
    cd build/release && cpack) >"$1.log" 2>&1 || { tail -n 20 "$1.log"; exit 1; }
}

options=("$@")
(umask 022 && TZ=UTC LC_ALL=C one "$place/a" "$(nproc)")
(umask 027 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 one "$place/another/and/a/longer/one" 1)
cd "$place"
result=0
for file in a/build/release/headgate a/build/release/*.deb; do
  other=another/and/a/longer/one/${file#a/}
  if cmp "$file" "$other"; then sha256sum "$file" | sed 's|a/build/release/||'; else result=1; fi
done
if ((result)); then
  for each in a another/and/a/longer/one; do
    rm -rf "$each.deb" && dpkg-deb -R "$each"/build/release/*.deb "$each.deb"
    (cd "$each.deb" && find . -type f -exec sha256sum {} + | sort -k 2) >"$(basename "$each").list"
  done
  diff a.list one.list || true
fi
exit $result
