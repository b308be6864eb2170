# shellcheck shell=bash
# A Docker daemon of one's own, for a script that runs in a mount and process namespace of its own. Sourced.

start_docker() { # DIRECTORY [OPTION...]
  local directory=$1
  shift
  mount -t tmpfs tmpfs /run
  mkdir -p "$directory/docker"
  export DOCKER_HOST=unix:///run/docker.sock
  dockerd --data-root "$directory/docker" --exec-root /run/docker --pidfile /run/docker.pid -H "$DOCKER_HOST" "$@" \
    >"$directory/dockerd.log" 2>&1 &
  for ((i = 0; i < 300; i++)); do
    docker version >/dev/null 2>&1 && return
    kill -0 $! 2>/dev/null || break
    sleep 0.1
  done
  tail -n 20 "$directory/dockerd.log"
  return 1
}
