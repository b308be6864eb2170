#!/usr/bin/env bash
# Shows that ./dev run and ./dev test each work as the first command on a bare Debian, 12 or 13: debootstrap makes one, a clone of this
# repository's HEAD goes in, and both are run there. Takes about twenty minutes; needs root and debootstrap.
#   tests/packaging/fresh_debian.sh [run|test|both] [bookworm|trixie] [DIRECTORY]
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
what=${1:-both}
suite=${2:-bookworm}
directory=${3:-$(mktemp -d /tmp/headgate-fresh-XXXXXX)}
bare=$directory/$suite-minbase.tar

say() { printf '== %s\n' "$*"; }

((EUID == 0)) || { echo "this needs root (chroot)" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "this needs debootstrap: apt-get install debootstrap" >&2; exit 2; }

# Made once and kept in DIRECTORY, so that each of the two starts from nothing without a download of its own.
make_bare() {
  [ -f "$bare" ] && return
  say "making a bare $suite"
  local mirror
  # From the mirror that apt uses here.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
  debootstrap --variant=minbase "$suite" "$directory/bare" "$mirror" >"$directory/debootstrap.log"
  tar -C "$directory/bare" -cf "$bare" .
  rm -rf "$directory/bare"
}

# ROOT COMMAND...: with processes and mounts of its own, so that nothing outlives it; the network is this machine's, port 8080 too.
# Called in a subshell, which becomes unshare: who ends that ends all of it.
# shellcheck disable=SC2016 # the inner shell expands
enter() {
  local root=$1
  shift
  exec unshare --mount --pid --fork --kill-child -- sh -c '
    root=$1; shift
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/dev/shm" 2>/dev/null || true
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" && ln -sf pts/ptmx "$root/dev/ptmx"
    exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb "$@"' sh "$root" "$@"
}

unpack() { # NAME: a bare system with a clone in /headgate
  local root=$directory/$1
  rm -rf "$root"
  mkdir -p "$root"
  tar -C "$root" -xf "$bare"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  cp /etc/hosts "$root/etc/hosts"
  # How this machine reaches its mirror (a proxy, a snapshot's dates) holds inside as well.
  cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"
  rm -f "$root"/etc/apt/apt.conf.d/docker-*
  git clone -q --no-hardlinks "$repository" "$root/headgate"
  echo "$root"
}

try_run() {
  local root pid answer=1
  root=$(unpack run)
  say "./dev run as the first command"
  enter "$root" /bin/bash -c 'cd /headgate && exec ./dev run' >"$directory/run.log" 2>&1 &
  pid=$!
  for ((i = 0; i < 1200; i++)); do
    kill -0 $pid 2>/dev/null || break
    if grep -q 'serves on :8080' "$directory/run.log"; then
      chroot "$root" curl -si http://127.0.0.1:8080/hello | tee "$directory/answer" || true
      grep -q '^HTTP/1.1 200' "$directory/answer" && answer=0
      break
    fi
    sleep 1
  done
  kill -KILL $pid 2>/dev/null || true # unshare passes this on to all within, and heeds nothing less
  wait $pid 2>/dev/null || true
  ((answer == 0)) || tail -n 40 "$directory/run.log"
  return $answer
}

try_test() {
  local root result=0
  root=$(unpack test)
  say "./dev test as the first command"
  (enter "$root" /bin/bash -c 'cd /headgate && ./dev test') >"$directory/test.log" 2>&1 || result=$?
  tail -n 15 "$directory/test.log"
  return $result
}

make_bare
result=0
case "$what" in run | both) try_run || result=1 ;; esac
case "$what" in test | both) try_test || result=1 ;; esac
if ((result == 0)); then say "it works as the first command on a bare $suite"; else say "failed; logs are in $directory"; fi
exit $result
