#!/usr/bin/env bash
# Brings the whole docker-compose.yml up and shows that two gateways enforce one limit. Needs root and the Debian packages docker.io,
# docker-compose, debootstrap and slirp4netns, but no registry: the base images are made here with debootstrap. The Docker daemon
# runs with processes, mounts and a network of its own; nothing on this machine is touched, and nothing outlives this script.
#   tests/packaging/compose.sh [DIRECTORY]     DIRECTORY keeps the bare Debian for the next time; COMPOSE names another docker-compose
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# shellcheck source=tests/packaging/docker_daemon.sh
. "$repository/tests/packaging/docker_daemon.sh"

say() { printf '== %s\n' "$*"; }
fail() { say "failed: $*"; exit 1; }

outside() {
  local directory mirror inside=0
  directory=${1:-$(mktemp -d /tmp/headgate-compose-XXXXXX)}
  mkdir -p "$directory"
  ((EUID == 0)) || { echo "this needs root" >&2; exit 2; }
  for tool in debootstrap dockerd docker-compose slirp4netns curl; do
    command -v $tool >/dev/null || { echo "this needs $tool: apt-get install docker.io docker-compose debootstrap slirp4netns curl" >&2; exit 2; }
  done
  if [ ! -f "$directory/bookworm-minbase.tar" ]; then
    say "making a bare Debian"
    # From the mirror that apt uses here.
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
    debootstrap --variant=minbase bookworm "$directory/bare" "$mirror" >"$directory/debootstrap.log"
    tar -C "$directory/bare" -cf "$directory/bookworm-minbase.tar" .
    rm -rf "$directory/bare"
  fi
  rm -f "$directory/pid" "$directory/network"
  unshare --net --mount --pid --fork --kill-child --mount-proc "$0" --inside "$directory" &
  inside=$!
  # slirp4netns gives the new network a way out without a rule or an interface on this machine.
  until pid=$(pgrep -P "$inside" 2>/dev/null) && [ -n "$pid" ]; do sleep 0.1; done
  slirp4netns --configure --mtu=1400 --disable-host-loopback "$pid" tap0 >"$directory/slirp.log" 2>&1 &
  local slirp=$! result=0
  wait $inside || result=$?
  kill $slirp 2>/dev/null || true
  return $result
}

reach_out() { # DIRECTORY
  ip link set lo up
  until ip address show tap0 2>/dev/null | grep -q 'inet '; do sleep 0.1; done
  printf 'nameserver 10.0.2.3\n' >"$1/resolv.conf"
  mount --bind "$1/resolv.conf" /etc/resolv.conf
}

make_base_images() { # DIRECTORY
  mkdir -p "$1/redis"
  docker image inspect debian:bookworm-slim >/dev/null 2>&1 || docker import - debian:bookworm-slim <"$1/bookworm-minbase.tar" >/dev/null
  # How this machine reaches its mirror (a proxy, a snapshot's dates) holds inside as well.
  tar -C /etc/apt -cf "$1/redis/apt.tar" --exclude='docker-*' apt.conf.d
  cat >"$1/redis/Dockerfile.debian" <<'END'
FROM debian:bookworm-slim
ADD apt.tar /etc/apt/
END
  cat >"$1/redis/Dockerfile" <<'END'
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends redis-server
CMD ["redis-server"]
END
  docker build -q -t debian:bookworm-slim -f "$1/redis/Dockerfile.debian" "$1/redis"
  docker build -q -t redis:7 "$1/redis"
}

healthy() { # how many containers of this project are
  docker ps --filter label=com.docker.compose.project=headgate --filter health=healthy -q | wc -l
}

# Asks the two gateways in turn, faster than the limit refills, and prints the statuses.
ask() { # COUNT
  local i words=()
  for ((i = 0; i < $1; i++)); do words+=(-o /dev/null "http://127.0.0.1:808$((i % 2))/hello"); done
  curl -s -w '%{http_code}\n' --max-time 10 "${words[@]}"
}

inside() {
  local directory=$1 compose=("${COMPOSE:-docker-compose}" -p headgate) statuses started took
  reach_out "$directory"
  start_docker "$directory" || fail "dockerd did not start"
  make_base_images "$directory"
  # A clone, because each service sends what it is built from anew, and a file edited meanwhile would be another image.
  rm -rf "$directory/headgate"
  git clone -q --no-hardlinks "$repository" "$directory/headgate"
  cd "$directory/headgate"
  say "docker-compose up -d --build"
  "${compose[@]}" up -d --build >"$directory/up.log" 2>&1 || { tail -n 40 "$directory/up.log"; fail "docker-compose up"; }
  for ((i = 0; i < 120 && $(healthy) < 6; i++)); do sleep 0.5; done
  docker ps --format '{{.Names}}\t{{.Status}}\t{{.Ports}}'
  (($(healthy) == 6)) || { "${compose[@]}" logs --tail 20; fail "not all six containers are healthy"; }

  say "thirty requests, alternating between the two gateways"
  started=${EPOCHREALTIME/./}
  statuses=$(ask 30)
  took=$((${EPOCHREALTIME/./} - started))
  sort <<<"$statuses" | uniq -c
  curl -si http://127.0.0.1:8081/hello
  grep -q '^200$' <<<"$statuses" || fail "nothing got through"
  grep -q '^429$' <<<"$statuses" || fail "the limit did not hold over both gateways"
  check_budget "$(grep -c '^200$' <<<"$statuses")" $took

  # It fails now and then, which would be mistaken for the want of Redis; its gateways need two checks to leave it out.
  "${compose[@]}" stop echo-3 >/dev/null 2>&1
  sleep 5
  say "without Redis, both go on answering"
  "${compose[@]}" stop redis >/dev/null 2>&1
  statuses=$(ask 4)
  grep -q '^5' <<<"$statuses" && fail "a gateway answered $(grep '^5' <<<"$statuses" | head -n 1) without Redis"
  docker inspect -f '{{.Name}} user={{.Config.User}} readonly={{.HostConfig.ReadonlyRootfs}} caps={{.HostConfig.CapDrop}}' \
    "$(docker ps -q --filter name=headgate-1)" # one stands for all
  "${compose[@]}" down >/dev/null 2>&1
  say "two gateways enforced one limit"
}

# One bucket over both gateways: its burst and what came back meanwhile (the limit is that many a second), and no more.
check_budget() { # ADMITTED MICROSECONDS
  local burst most
  burst=$(curl -si http://127.0.0.1:8080/hello | tr -d '\r' | awk 'tolower($1) == "x-ratelimit-limit:" { print $2 }')
  [ -n "$burst" ] || fail "no X-RateLimit-Limit on the answer"
  most=$((burst + burst * $2 / 1000000 + 1))
  (($1 <= most)) || fail "$1 of 30 were admitted in $2 µs; a shared budget of $burst a second allows $most"
}

if [ "${1:-}" = --inside ]; then inside "$2"; else outside "$@"; fi
