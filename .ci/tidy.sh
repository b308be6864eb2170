#!/usr/bin/env bash
# clang-tidy over one source of build/lint, called by ./dev lint. A joined source of CMake's includes the sources it joins, and some
# checks only look at the main file; so here it is made one file, and findings are told in the places of the sources.
#   .ci/tidy.sh CLANG_TIDY SOURCE
set -euo pipefail
tool=$1 source=$(realpath "$2")
places=()
if [[ $source == */Unity/* ]] && grep -q '^#include "/' "$source"; then
  # "beside.hpp" is looked for beside the source that includes it.
  while read -r folder; do places+=("--extra-arg=-iquote$folder"); done < <(
    sed -n 's|^#include "\(/.*\)/[^/]*"$|\1|p' "$source" | sort -u)
  awk -F'"' '
    /^#include "\// { print "//@ " $2; while ((getline line < $2) > 0) print line; close($2); next }
    { print }' "$source" >"$source.new"
  mv "$source.new" "$source"
fi
result=0
said=$("$tool" -p build/lint --quiet "${places[@]}" "$source" 2>&1) || result=$?
awk -v joined="$source" -v here="$PWD/" '
  BEGIN {
    while ((getline line < joined) > 0) {
      ++n
      if (line ~ /^\/\/@ /) { file = substr(line, 5); start = n }
      at[n] = file; first[n] = start
    }
  }
  / warnings? generated\.$/ { next }
  index($0, joined ":") == 1 {
    rest = substr($0, length(joined) + 2); number = rest + 0
    if (at[number] != "") { sub(/^[0-9]+/, number - first[number], rest); $0 = at[number] ":" rest }
  }
  index($0, here) == 1 { $0 = substr($0, length(here) + 1) }
  { print }' <<<"$said" | sed '/^$/d'
exit $result
