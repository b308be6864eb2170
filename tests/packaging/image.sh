#!/usr/bin/env bash
# What the image's last stage is made of, without Docker: has it all that it needs, and nothing else? It is run as its user on a
# root that is read-only, with a network of its own. With a limit, also how large it is when it is sent.
#   tests/packaging/image.sh PROGRAM [MEGABYTES]
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if ((EUID != 0)) || ! unshare --mount --pid --net --fork true 2>/dev/null; then echo "this needs root and namespaces" && exit 77; fi
place=$(mktemp -d /tmp/headgate-image-XXXXXX)
trap 'rm -rf "$place"' EXIT
root=$place/root

fail() { echo "failed: $*"; exit 1; }

"$repository/packaging/image_root.sh" "$1" "$root"
if [ -n "${2:-}" ]; then
  bytes=$(tar -C "$root" --sort=name --owner=0 --group=0 --numeric-owner -cf - . | gzip -9n | wc -c)
  echo "$bytes bytes compressed"
  ((bytes <= $2 * 1000000)) || fail "more than $2 MB"
fi

programs=$(find "$root" -type f -perm /111 -printf '/%P\n')
[ "$(grep -cv '/ld-linux' <<<"$programs")" = 1 ] || fail "other programs than headgate: $programs"
[ -z "$(find "$root" -perm /6000)" ] || fail "something runs as another user"
[ -z "$(find "$root" ! -type l -perm /022)" ] || fail "something can be written by others"
[ -s "$root/usr/lib/ssl/cert.pem" ] || [ -L "$root/usr/lib/ssl/cert.pem" ] || fail "no certificates where OpenSSL looks"
grep -q 'BEGIN CERTIFICATE' "$root/etc/ssl/certs/ca-certificates.crt" || fail "no certificates"
[ -e "$root/usr/share/zoneinfo/Europe/Berlin" ] || fail "no time zones"
grep -q '"bomFormat": "CycloneDX"' "$root/usr/share/doc/headgate/sbom.cdx.json" || fail "no bill of what it consists of"

mkdir "$root/proc"
cat >"$root/zone.json" <<'JSON'
{
  "listen": "127.0.0.1:1",
  "limits": { "monthly": { "rate": "1000/month", "algorithm": "fixed_window", "time_zone": "Europe/Berlin", "per": "client_ip" } },
  "routes": [{ "path": "/*", "respond": { "status": 200 }, "limits": ["monthly"] }]
}
JSON
# shellcheck disable=SC2016 # the inner shell expands
unshare --mount --pid --net --fork --kill-child bash -c '
  set -e
  root=$1
  mount --bind "$root" "$root" && mount -t proc proc "$root/proc" && mount -o remount,bind,ro "$root"
  ip link set lo up
  in_image() { chroot --userspec=65532:65532 "$root" "$@"; }
  if in_image /usr/bin/sh -c true 2>/dev/null; then echo "it has a shell" && exit 1; fi
  in_image /usr/bin/headgate version
  in_image /usr/bin/headgate check -c /zone.json >/dev/null
  chroot --userspec=65532:65532 "$root" /usr/bin/headgate run -c /etc/headgate/headgate.json &
  running=$!
  for ((i = 0; i < 100; i++)); do
    in_image /usr/bin/headgate healthcheck 2>/dev/null && break
    kill -0 $running || exit 1
    sleep 0.1
  done
  in_image /usr/bin/headgate healthcheck
  in_image /usr/bin/headgate healthcheck http://127.0.0.1:8080/
  grep -q "^Uid:.65532" "$root"/proc/$running/status
  kill -TERM $running
  wait $running' sh "$root" >"$place/log" 2>&1 || { cat "$place/log"; fail "it does not run in its image"; }
echo "it serves as user 65532 on a root that is read-only, without a shell"
