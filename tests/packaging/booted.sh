#!/usr/bin/env bash
# A small Debian whose systemd is the first process of namespaces of its own, to install packages in. Sourced by deb.sh. Needs root,
# debootstrap, unshare and nsenter; nothing of this machine is touched, and nothing outlives the script that sources it.

# The mirror that apt uses here.
mirror() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1; }

# Made once and kept in DIRECTORY.
make_bare() { # DIRECTORY SUITE
  [ -f "$1/$2-minbase.tar" ] && return
  debootstrap --variant=minbase "$2" "$1/bare" "$(mirror)" >"$1/debootstrap.log"
  tar -C "$1/bare" -cf "$1/$2-minbase.tar" .
  rm -rf "$1/bare"
}

# A bare system in ROOT, with these packages; apt reaches its mirror as it does here.
make_root() { # DIRECTORY SUITE ROOT PACKAGE...
  local directory=$1 suite=$2 root=$3
  shift 3
  make_bare "$directory" "$suite"
  rm -rf "$root" && mkdir -p "$root"
  tar -C "$root" -xf "$directory/$suite-minbase.tar"
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"
  rm -f "$root"/etc/apt/apt.conf.d/{docker-,20packagekit,50appstream,60icons}*
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
  if [ -n "${foreign:-}" ]; then chroot "$root" dpkg --add-architecture "$foreign"; fi
  chroot "$root" env DEBIAN_FRONTEND=noninteractive sh -c 'apt-get update -qq && apt-get satisfy -y -qq --no-install-recommends "$@"' sh "$@" \
    >"$directory/apt.log" 2>&1 || { tail "$directory/apt.log"; return 1; }
  rm "$root/usr/sbin/policy-rc.d"
}

# Boots ROOT; its first process is $booted.
boot() { # ROOT
  unshare --mount --pid --ipc --uts --net --cgroup --fork --kill-child -- bash -c '
    set -e
    mount --make-rprivate / && mount --bind "$1" "$1" && cd "$1"
    mount -t proc proc proc && mount -t sysfs -o ro sysfs sys && mount -t cgroup2 cgroup2 sys/fs/cgroup
    mount -t tmpfs -o mode=755 tmpfs dev
    for device in null zero full random urandom tty; do touch dev/$device && mount --bind /dev/$device dev/$device; done
    mkdir dev/pts dev/shm && mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts && ln -s pts/ptmx dev/ptmx
    mount -t tmpfs tmpfs dev/shm && ln -s /proc/self/fd dev/fd
    mount -t tmpfs -o mode=755 tmpfs run && mount -t tmpfs tmpfs tmp
    ip link set lo up && hostname gateway
    mkdir -p .old && pivot_root . .old && umount -l /.old && rmdir /.old
    exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd' sh "$1" </dev/null >"$1.boot.log" 2>&1 &
  booting=$!
  trap 'kill -KILL $booting 2>/dev/null || true' EXIT
  for ((i = 0; i < 100; i++)); do
    booted=$(pgrep -P $booting | head -n 1 || true)
    # It is degraded where a unit needs a machine, as systemd-networkd or udev do; what is tried here needs none.
    case "$([ -z "$booted" ] || inside systemctl is-system-running --wait 2>/dev/null)" in running | degraded) return 0 ;; esac
    sleep 0.2
  done
  cat "$1.boot.log"
  return 1
}

inside() { nsenter --target "$booted" --all env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8 "$@"; }
