#!/usr/bin/env bash
# Runs every command of README.md and compares what it prints with what the page says it prints.
#   tests/readme/run.sh HEADGATE [PAGE]
#
# ```console blocks: lines that begin with "$ " are typed, in one shell for the whole page; what stands below is what they print,
#   where … stands for any text, over lines too.
# ```sh blocks: commands that other tests run (tests/packaging); only those listed in elsewhere() may stand there.
# ```jsonc and ```python blocks after <!-- file: NAME --> are written to NAME first. Other fences (text, http, lua, cpp) are
#   read by people only.
# <!-- needs: COMMAND -->: the page is skipped if COMMAND fails.
# The page begins after ./dev run, so what that starts is running here: headgate on :8080, the demo upstream on :3000.
set -uo pipefail

elsewhere() {
  case "$1" in
    ./dev\ run | ./dev\ test | ./dev\ test\ * | ./dev\ bench* | ./dev\ demo* | ./dev\ lint | ./dev\ format) return 0 ;;
    'docker compose up -d --build' | 'docker compose down' | tests/packaging/*.sh) return 0 ;;
    *) return 1 ;;
  esac
}

# The page's ports are 8080 and 3000: in a network namespace of its own they are free.
if [ "${1:-}" != --inside ]; then
  binary=$(realpath "$1")
  page=$(realpath "${2:-$(dirname "${BASH_SOURCE[0]}")/../../README.md}")
  for way in -n -rn; do # as root, else as root of a user namespace
    if unshare $way true 2>/dev/null; then exec unshare $way "$0" --inside "$binary" "$page"; fi
  done
  exec "$0" --inside "$binary" "$page"
fi
binary=$2
page=$3
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v ip >/dev/null && ip link set lo up 2>/dev/null

listening() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
for port in 8080 3000; do
  if listening $port; then echo "port $port is taken, and no namespace of its own is allowed: not run" && exit 77; fi
done

place=$(mktemp -d /tmp/headgate-readme-XXXXXX)
trap 'jobs -p | xargs -r kill 2>/dev/null; wait 2>/dev/null; rm -rf "$place"' EXIT
for entry in "$repository"/*; do ln -s "$entry" "$place/"; done
rm -f "$place/build"
mkdir -p "$place/build" && ln -s "$(dirname "$binary")" "$place/build/release"
cd "$place" || exit 1
PATH=$(dirname "$binary"):$PATH
curl() { command curl --no-progress-meter "$@"; } # on a terminal it shows none either

wait_for() { # PORT
  for ((i = 0; i < 200; i++)); do
    listening "$1" && return
    sleep 0.05
  done
  echo "nothing listens on $1 after ten seconds" && exit 1
}

failures=0
commands=0
status=0 # of the last command, for a $? on the page

# Runs what was typed, and compares. Runs in this shell, so that what one command sets or starts is there for the next.
type_it() { # COMMAND EXPECTED LINE
  local command=$1 pattern=$2 line=$3 printed
  ((++commands))
  if [[ $command == *'&' ]]; then
    eval "$command" >"$place/.background" 2>&1 3<&-
    if [[ $command =~ --listen\ [^\ ]*:([0-9]+) ]]; then wait_for "${BASH_REMATCH[1]}"; fi
    if [[ $command =~ -c\ ([^\ ]+) && $(<"${BASH_REMATCH[1]}") =~ \"(listen|address)\":\ *\"[^\"]*:([0-9]+) ]]; then
      wait_for "${BASH_REMATCH[2]}"
    fi
    if [[ $command =~ ^LISTEN=[^\ ]*:([0-9]+) ]]; then wait_for "${BASH_REMATCH[1]}"; fi
    return
  fi
  (exit $status)
  eval "$command" >"$place/.printed" 2>&1 3<&-
  status=$?
  printed=$(tr -d '\r' <"$place/.printed")
  pattern=$(sed 's/[][*?\\]/\\&/g; s/…/*/g' <<<"$pattern")
  # Spaces at the end of a line say nothing and are cut by editors.
  printed=$(sed 's/ *$//' <<<"$printed")
  # shellcheck disable=SC2053 # a pattern it is
  if [[ $printed == $pattern ]]; then return; fi
  ((++failures))
  printf '%s:%s: $ %s\n--- the page says:\n%s\n--- it prints:\n%s\n\n' "$page" "$line" "$command" "$2" "$printed"
}

headgate echo --listen 127.0.0.1:3000 >"$place/.echo" 2>&1 &
headgate run -c conf/headgate.json >"$place/.run" 2>&1 &
wait_for 3000
wait_for 8080

number=0
fence=''
file=''
command=''
expected=''
at=0
flush() {
  [ -z "$command" ] || type_it "$command" "${expected%$'\n'}" "$at"
  command=''
  expected=''
}
while IFS= read -r line <&3; do
  ((++number))
  case "$fence:$line" in
    :'```'*)
      fence=${line#'```'}
      case "$fence" in
        console | sh | text | http | lua | cpp) file='' ;;
        jsonc | python) if [ -n "$file" ]; then : >"$place/$file"; fi ;;
        *) echo "$page:$number: a fence marked \"$fence\" is not known here" && exit 1 ;;
      esac
      ;;
    :'<!-- file: '*) file=${line#'<!-- file: '} && file=${file%' -->'} ;;
    :'<!-- needs: '*)
      needed=${line#'<!-- needs: '} && needed=${needed%' -->'}
      if ! eval "$needed" >/dev/null 2>&1; then echo "$page needs \"$needed\": not run" && exit 77; fi
      ;;
    :*) ;;
    *:'```')
      flush
      fence=''
      file=''
      ;;
    console:'$ '*)
      flush
      command=${line#'$ '}
      at=$number
      ;;
    console:*) expected+=$line$'\n' ;;
    sh:*)
      typed=$(sed 's/ *#.*//' <<<"$line")
      if [ -n "$typed" ] && ! elsewhere "$typed"; then
        echo "$page:$number: no test runs \"$typed\"; make it a console block"
        ((++failures))
      fi
      ;;
    jsonc:* | python:*) if [ -n "$file" ]; then printf '%s\n' "$line" >>"$place/$file"; fi ;;
  esac
done 3<"$page"

((commands > 0)) || { echo "no command found in $page" && exit 1; }
echo "$commands commands run, $failures differ from the page"
((failures == 0))
