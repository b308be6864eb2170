#!/usr/bin/env bash
# Fetches Redis 8.0 and Valkey 8.1 from the packages of Debian 13 into DIRECTORY. With DIRECTORY/redis-8.0 or DIRECTORY/valkey-8.1 first in
# PATH, the tests run against that server, since each has a redis-server and a redis-cli. Nothing is installed and no root is needed: the
# programs run with the libraries that were fetched with them. What was fetched once is kept.
#   tests/stores/fetch.sh DIRECTORY     ends with 77 if Debian cannot be reached
set -euo pipefail
. "$(dirname "$0")/debian.sh"
directory=$(realpath -m "${1:?a directory}")
suite=trixie
root=$directory/root

fetch() {
  local apt=$directory/apt options
  apt_of "$apt" $suite
  apt-get "${options[@]}" update &&
    apt-get "${options[@]}" -y --download-only --no-install-recommends install redis-tools valkey-tools || return
  for package in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
  rm -rf "$apt"
}

# Debian ships one program as the server and as the check of its files: it is what it is called.
wrap() { # STORE PROGRAM NAME
  local loader libraries
  loader=$(find "$root/usr" -name 'ld-linux-*.so.*' -printf '%P\n' | head -n 1)
  libraries=$(find "$root/usr" -name libjemalloc.so.2 -printf '%P\n' | head -n 1)
  mkdir -p "$directory/$1"
  cat >"$directory/$1/$3" <<END
#!/bin/sh
usr=\${0%/*}/../root/usr
exec "\$usr/$loader" --argv0 $3 --library-path "\$usr/${libraries%/*}" "\$usr/bin/$2" "\$@"
END
  chmod +x "$directory/$1/$3"
}

if [ ! -f "$directory/fetched" ]; then
  rm -rf "$directory" && mkdir -p "$directory"
  fetch >"$directory/log" 2>&1 || {
    echo "SKIPPED: Debian $suite has Redis 8.0 and Valkey 8.1 and cannot be reached: $(grep -m 1 '^E:' "$directory/log" || tail -n 1 "$directory/log")" >&2
    exit 77
  }
  for store in redis-8.0 valkey-8.1; do
    wrap $store "${store%-*}-check-rdb" redis-server
    wrap $store "${store%-*}-cli" redis-cli
    version=$("$directory/$store/redis-server" --version)
    [[ $version == *"v=${store#*-}"* ]] || { echo "$store is $version" >&2; exit 1; }
  done
  touch "$directory/fetched"
fi
