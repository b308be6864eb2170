#!/usr/bin/env bash
# Makes a directory that has all that headgate needs in a container and nothing else: the program, the libraries that it loads, certificates
# of authorities, time zones, a user, a first configuration, and what it consists of with its licences. No shell, no package manager.
# The Dockerfile's last stage is this directory, and so is ./dev image.
#   packaging/image_root.sh PROGRAM DIRECTORY
set -euo pipefail
export LC_ALL=C
umask 022
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1 root=$2
version=$(sed -n 's/^project(headgate VERSION \([^ ]*\).*/\1/p' "$here/../CMakeLists.txt")

# What the libraries are called by those that load them, in the directory where the loader looks.
strip_tool="strip"
case "$(readelf -h "$program")" in *AArch64*) command -v aarch64-linux-gnu-strip >/dev/null && strip_tool="aarch64-linux-gnu-strip" ;; esac
rm -rf "$root"
install -D -m 755 "$program" "$root/usr/bin/headgate"
$strip_tool "$root/usr/bin/headgate"
while read -r library; do
  install -D -m 644 "$library" "$root/usr/lib/$(basename "$(dirname "$library")")/$(basename "$library")"
done < <("$here/libraries.sh" "$program")
loader=$(readelf -l "$program" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
found=$(find "$root/usr/lib" -name "$(basename "$loader")")
chmod 755 "$found"
ln -s usr/lib "$root/lib"
case "$loader" in
  /lib64/*) mkdir -p "$root/usr/lib64" && ln -s usr/lib64 "$root/lib64" && ln -s "${found#"$root/usr"}" "$root/usr/lib64/" ;;
  *) [ -e "$root$loader" ] || ln -s "${found#"$root"}" "$root$loader" ;;
esac

# Authorities as the package has them, and not those that this machine's administrator added.
mkdir -p "$root/etc/ssl/certs" "$root/usr/lib/ssl"
cat /usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"
ln -s /etc/ssl/certs/ca-certificates.crt "$root/usr/lib/ssl/cert.pem"
ln -s /etc/ssl/certs "$root/usr/lib/ssl/certs"

# Each zone once: posix/ has them again, and right/ counts leap seconds.
mkdir -p "$root/usr/share/zoneinfo"
tar -C /usr/share/zoneinfo --exclude=./posix --exclude=./right --exclude=./posixrules --exclude=./localtime -cf - . | tar -C "$root/usr/share/zoneinfo" --no-same-owner -xf -

printf 'root:x:0:0:root:/:/nonexistent\nheadgate:x:65532:65532:headgate:/:/nonexistent\n' >"$root/etc/passwd"
printf 'root:x:0:\nheadgate:x:65532:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
mkdir -p "$root/etc/headgate"
# Ports are published from outside, so it listens on every address within.
sed 's|"127.0.0.1:8080"|":8080"|; s|on this machine alone|on port 8080|' "$here/headgate.json" >"$root/etc/headgate/headgate.json"

documents=$root/usr/share/doc/headgate
mkdir -p "$documents"
install -m 644 "$here/deb/copyright" "$documents/copyright"
"$here/sbom.sh" "$program" "$version" "$documents/sbom.cdx.json" "$documents/compiled-in" carried ca-certificates tzdata
# The same bytes at another time, too.
find "$root" -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH:-0}" {} +
