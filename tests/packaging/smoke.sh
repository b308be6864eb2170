#!/usr/bin/env bash
# Whether a headgate that was built for another machine works: it serves, it limits, it speaks TLS, it passes requests on, and it ends.
#   tests/packaging/smoke.sh [EMULATOR] HEADGATE
set -euo pipefail
headgate=("$@")
place=$(mktemp -d /tmp/headgate-smoke-XXXXXX)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$place"' EXIT
fail() { echo "failed: $*"; cat "$place"/*.log; exit 1; }

"${headgate[@]}" init --tls "$place" >/dev/null
cat >"$place/headgate.json" <<'JSON'
{
  "listen": ["127.0.0.1:18080", { "address": "127.0.0.1:18443", "tls": { "certificate": "headgate-cert.pem", "key": "headgate-key.pem" } }],
  "upstreams": { "app": "http://127.0.0.1:13000" },
  "admin": { "listen": "127.0.0.1:19900" },
  "limits": { "per-caller": { "rate": "5/minute", "per": "header:X-Caller", "if_absent": "client_ip" } },
  "routes": [{ "path": "/*", "to": "app", "limits": ["per-caller"] }]
}
JSON
"${headgate[@]}" check -c "$place/headgate.json" >"$place/check.log" 2>&1 || fail "check"
"${headgate[@]}" echo --listen 127.0.0.1:13000 >"$place/echo.log" 2>&1 &
pids+=($!)
"${headgate[@]}" run -c "$place/headgate.json" >"$place/run.log" 2>&1 &
pids+=($!)
for ((i = 0; i < 300; i++)); do curl -sf http://127.0.0.1:19900/readyz >/dev/null && break || sleep 0.1; done
curl -sf http://127.0.0.1:19900/readyz >/dev/null || fail "it does not begin to serve"

statuses=$(for ((i = 0; i < 8; i++)); do curl -s -o /dev/null -w '%{http_code} ' -H 'X-Caller: one' http://127.0.0.1:18080/; done)
[ "$statuses" = '200 200 200 200 200 429 429 429 ' ] || fail "a limit of five: $statuses"
[ "$(curl -sk -o /dev/null -w '%{http_code} %{http_version}' -H 'X-Caller: two' https://127.0.0.1:18443/)" = '200 2' ] || fail "TLS and HTTP/2"
curl -sk --http1.1 -H 'X-Caller: three' https://127.0.0.1:18443/over-tls | grep -q /over-tls || fail "TLS and HTTP/1.1"
curl -s http://127.0.0.1:19900/metrics | grep -q '^headgate_' || fail "metrics"
kill -TERM "${pids[1]}"
wait "${pids[1]}" || fail "its end"
echo "it serves, limits, speaks TLS and HTTP/2, and ends"
