#!/usr/bin/env bash
# Runs ./dev demo for some seconds and looks at it as somebody does who sees it for the first time: dashboards that show traffic,
# rejections, a suspension and a line, on both gateways; and nothing left of it behind Ctrl-C.
#   tests/packaging/demo.sh HEADGATE
set -euo pipefail
headgate=${1:?which headgate?}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command -v redis-server >/dev/null || { echo "SKIPPED: redis-server is not installed"; exit 77; }
command -v curl >/dev/null || { echo "SKIPPED: curl is not installed"; exit 77; }

# Other tests take the port of the admin interface meanwhile: in a network namespace of its own all are free.
if [ "${2:-}" != inside ]; then
  for way in -n -rn; do # as root, else as root of a user namespace
    if unshare $way true 2>/dev/null; then exec unshare $way tests/packaging/demo.sh "$headgate" inside; fi
  done
fi
command -v ip >/dev/null && ip link set lo up 2>/dev/null || true

place=$(mktemp -d /tmp/headgate-demo-test-XXXXXX)
demo=
finish() {
  if [ -n "$demo" ]; then kill -INT "$demo" 2>/dev/null || true; wait "$demo" 2>/dev/null || true; fi
  rm -rf "$place"
}
trap finish EXIT
fail() { echo "failed: $*"; cat "$place/out" "$place/err"; exit 1; }

# Waits until the words succeed.
comes() { # SECONDS WHAT COMMAND...
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    ((SECONDS < end)) || fail "waited in vain for $what"
    kill -0 "$demo" 2>/dev/null || fail "it ended before $what"
    sleep 0.2
  done
}

set -m # so that it does not ignore Ctrl-C, as what a script starts in the background does
TMPDIR=$place ./dev demo --headgate "$headgate" --for 3m >"$place/out" 2>"$place/err" &
demo=$!
set +m
comes 60 "its addresses" grep -q 'dashboards' "$place/out"
mapfile -t dashboards < <(grep 'dashboards' "$place/out" | grep -o 'http://[0-9.:]*/')
mapfile -t gateways < <(grep 'gateways' "$place/out" | grep -o 'http://[0-9.:]*/')
[ ${#dashboards[@]} = 2 ] && [ ${#gateways[@]} = 2 ] || fail "it names not two of each: ${dashboards[*]} ${gateways[*]}"

value() { # URL METRIC-WITH-LABELS, as a regular expression: the sum of its series
  curl -s --max-time 5 "$1metrics" | awk -v of="^$2" '$0 ~ of { sum += $NF } END { printf "%d\n", sum }'
}
above() { [ "$(value "$1" "$2")" -gt "$3" ]; } # URL METRIC NUMBER

has() { curl -s --max-time 5 "$1api/v1/$2" | grep -qE "$3"; } # URL CALL TEXT

shows() { [[ $(curl -sf --max-time 5 -H 'Accept: text/html' "$1") == *'<title>headgate'* ]]; } # URL

for dashboard in "${dashboards[@]}"; do
  comes 30 "the dashboard at $dashboard" shows "$dashboard"
  comes 30 "requests at $dashboard" above "$dashboard" 'headgate_requests_total.*code="200"' 50
  comes 30 "rejections of plans at $dashboard" above "$dashboard" 'headgate_limit_decisions_total.*limit="plan".*"rejected"' 5
  comes 60 "a suspension at $dashboard" has "$dashboard" bans '"limit": "flood"'
  comes 60 "people in line at $dashboard" has "$dashboard" rooms '"waiting": [1-9]'
done

# What its page reads twice in a row differs: it is alive.
one=$(curl -s --max-time 5 "${dashboards[0]}api/v1/traffic" | md5sum)
sleep 1
[ "$one" != "$(curl -s --max-time 5 "${dashboards[0]}api/v1/traffic" | md5sum)" ] || fail "the figures stand still"

ports=$(grep -oE '127\.0\.0\.1:[0-9]+' "$place/out" | sort -u)
mapfile -t descendants < <(ps -o pid= --ppid "$(pgrep -P "$demo" | tr '\n' ',' | sed 's/,$//')" 2>/dev/null || true)
kill -INT "$demo"
wait "$demo" || fail "it ended with $?"
demo=
grep -q 'callers' "$place/out" || grep -q 'callers' "$place/err" || fail "it tells nothing of what the callers saw"
for pid in "${descendants[@]}"; do
  if kill -0 "$pid" 2>/dev/null; then fail "process $pid is left: $(ps -o args= -p "$pid")"; fi
done
for port in $ports; do
  if (exec 3<>"/dev/tcp/127.0.0.1/${port#*:}") 2>/dev/null; then fail "somebody still listens at $port"; fi
done
compgen -G "$place/headgate-demo-*" >/dev/null && fail "files are left: $(ls "$place")"
echo "two gateways, their callers, rejections, a suspension and a line; and nothing left"
