#!/usr/bin/env bash
# Compares the table of bytes per key in docs/algorithms.md with what limiter_bench measures; with --write, writes it.
# usage: limit_bytes.sh LIMITER_BENCH PAGE [--write]
set -euo pipefail
bench=$1 page=$2
command -v redis-server >/dev/null || { echo "no redis-server on this machine" >&2; exit 77; }
# Other versions keep the same values in other sizes.
redis=$(redis-server --version | sed -n 's/.* v=\([0-9]*\.[0-9]*\)\..*/Redis \1/p')
if [ "${3:-}" != --write ] && ! grep -q "^Measured with $redis\.$" "$page"; then
  echo "the table of $page was not measured with $redis, so it says nothing here" >&2
  exit 77
fi
measured="Measured with $redis.

$("$bench" --bytes)"
made=$(awk -v table="$measured" '
  /^<!-- bytes -->$/ { print; print table; skip = 1; next }
  /^<!-- \/bytes -->$/ { skip = 0 }
  !skip' "$page")
if [ "${3:-}" = --write ]; then
  printf '%s\n' "$made" >"$page"
elif [ "$made" != "$(cat "$page")" ]; then
  echo "the table of $page is not what is measured now; write it anew with ./dev docs" >&2
  diff <(printf '%s\n' "$made") "$page" >&2
  exit 1
fi
