#!/usr/bin/env bash
# Builds the image that ./dev image has prepared with a real Docker, without a registry and a network, and runs it as an operator would:
# as nobody, on a root that is read-only, without a right. Needs root and docker.io; a minute.
#   ./dev image && tests/packaging/docker_image.sh
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/packaging/docker_daemon.sh
. "$repository/tests/packaging/docker_daemon.sh"
fail() { echo "failed: $*"; exit 1; }

if [ "${1:-}" != --inside ]; then
  ((EUID == 0)) || { echo "this needs root" >&2; exit 2; }
  command -v dockerd >/dev/null || { echo "this needs docker.io" >&2; exit 2; }
  [ -f "$repository/build/image/root.tar" ] || { echo "first: ./dev image" >&2; exit 2; }
  place=$(mktemp -d /tmp/headgate-docker-XXXXXX)
  result=0
  unshare --net --mount --pid --fork --kill-child --mount-proc "$0" --inside "$place" || result=$?
  rm -rf "$place"
  exit $result
fi

place=$2
ip link set lo up
start_docker "$place" --storage-driver vfs --bridge none --iptables=false || fail "dockerd did not start"
DOCKER_BUILDKIT=0 docker build -q -t headgate "$repository/build/image" || fail "docker build"
bytes=$(docker save headgate | gzip -9n | wc -c)
echo "the image: $bytes bytes compressed"
((bytes <= 20 * 1000000)) || fail "more than 20 MB"
run=(docker run --read-only --user 65532:65532 --cap-drop ALL --security-opt no-new-privileges --network host)
"${run[@]}" --rm headgate version
if "${run[@]}" --rm --entrypoint sh headgate -c true 2>/dev/null; then fail "it has a shell"; fi
"${run[@]}" --detach --name gate headgate >/dev/null
for ((i = 0; i < 300; i++)); do
  health=$(docker inspect -f '{{.State.Health.Status}}' gate)
  [ "$health" = healthy ] && break
  sleep 0.1
done
[ "$health" = healthy ] || { docker logs gate; fail "it is $health"; }
curl -si http://127.0.0.1:8080/
docker stop gate >/dev/null
[ "$(docker inspect -f '{{.State.ExitCode}}' gate)" = 0 ] || { docker logs gate; fail "it did not end by itself"; }
echo "it serves in Docker as 65532, read-only, without a right"
