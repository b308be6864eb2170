#!/usr/bin/env bash
# run.sh BINARY FILE: runs one test file of the dashboard. Exits with 77 if a program that it needs is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
skip() {
  echo "skipped: $1" >&2
  exit 77
}
command -v node >/dev/null || skip 'no node on this machine: apt-get install nodejs'
[ -x /usr/bin/chromium-headless-shell ] || [ -x /usr/bin/chromium ] || skip 'no Chromium: apt-get install chromium-headless-shell'
[ -x /usr/bin/redis-server ] || skip 'no Redis: apt-get install redis-server'
for part in playwright-core axe-core; do
  [ -d "node_modules/$part" ] || skip "$part is not here: npm ci in tests/dashboard"
done
export HEADGATE_BINARY=$1
exec node --test "$2"
