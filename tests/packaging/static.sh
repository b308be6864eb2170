#!/usr/bin/env bash
# What docker-compose.yml, Dockerfile and .dockerignore must keep, seen without Docker: nothing published outside this machine, nothing
# run as root, nothing secret in the image. Tries itself on spoiled copies first: a check that finds nothing in those is no check.
#   tests/packaging/static.sh
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(mktemp -d /tmp/headgate-static-XXXXXX)
trap 'rm -rf "$place"' EXIT

# Every entry of every "ports:", in brackets or as a list below it, one a line.
published() { # COMPOSE_FILE
  awk '
    /^[[:space:]]*ports:/ {
      rest = $0; sub(/^[[:space:]]*ports:[[:space:]]*/, "", rest)
      if (rest ~ /^\[/) { gsub(/[][]/, "", rest); n = split(rest, entry, ","); for (i = 1; i <= n; i++) print entry[i]; next }
      within = 1; next
    }
    within && /^[[:space:]]*-/ { sub(/^[[:space:]]*-[[:space:]]*/, ""); print; next }
    { within = 0 }' "$1" | tr -d "\"' "
}

complaints() { # COMPOSE_FILE DOCKERFILE
  local entry user
  published "$1" | grep . >/dev/null || echo "$1 publishes no port"
  while read -r entry; do
    case "$entry" in 127.0.0.1:*) ;; *) echo "$1 publishes $entry: only 127.0.0.1 may be published" ;; esac
  done < <(published "$1")
  if grep -nE 'privileged: *true|network_mode: *["'\'']?host|cap_add|docker\.sock|pid: *["'\'']?host' "$1"; then
    echo "$1 gives a container the run of the machine"
  fi
  user=$(awk '/^FROM/ { user = "" } /^USER/ { user = $2 } END { print user }' "$2")
  case "$user" in
    '' | 0 | 0:* | *[!0-9:]*) echo "$2: the last stage runs as \"${user:-root}\"; a number other than 0 is needed" ;;
  esac
  # Its listeners may have any port, and a request to them is one for a server.
  if grep -nE '^HEALTHCHECK.*https?://' "$2"; then echo "$2: the health check must ask the admin interface"; fi
  if grep -nEi '^(ARG|ENV)[^#]*(password|secret|token|key)' "$2"; then echo "$2 puts a secret into the image"; fi
}

must_complain() { # WHAT COMPOSE_FILE DOCKERFILE
  [ -n "$(complaints "$2" "$3")" ] || { echo "this check does not notice $1"; exit 1; }
}

cd "$repository"
sed 's/127\.0\.0\.1:8081:8080/8081:8080/' docker-compose.yml >"$place/all-addresses.yml"
must_complain 'a port published on every address' "$place/all-addresses.yml" Dockerfile
printf '  extra:\n    ports:\n      - "0.0.0.0:1:1"\n' | cat docker-compose.yml - >"$place/below.yml"
must_complain 'a published port in a list' "$place/below.yml" Dockerfile
printf '  extra: { privileged: true }\n' | cat docker-compose.yml - >"$place/privileged.yml"
must_complain 'a privileged container' "$place/privileged.yml" Dockerfile
grep -v '^USER' Dockerfile >"$place/no-user"
must_complain 'an image that runs as root' docker-compose.yml "$place/no-user"
sed 's|^\(HEALTHCHECK.*healthcheck"\)|\1, "http://127.0.0.1:8080/"|' Dockerfile >"$place/asks-a-route"
must_complain 'a health check that asks a route' docker-compose.yml "$place/asks-a-route"

found=$(complaints docker-compose.yml Dockerfile)
[ -z "$found" ] || { echo "$found"; exit 1; }
[ "$(grep -v '^#' .dockerignore | head -n 1)" = '*' ] || { echo ".dockerignore must name what goes in, not what stays out"; exit 1; }
mounted=$(grep -oE '"\./[^:"]+:/' docker-compose.yml | tr -d '":' | sed 's|/$||')
grep -q 'conf/demo$' <<<"$mounted" || { echo "this check does not see what docker-compose.yml mounts"; exit 1; }
while read -r file; do
  [ -e "$file" ] || { echo "docker-compose.yml mounts $file, which is not there"; exit 1; }
done <<<"$mounted"
if grep -nE '^ +image: ' docker-compose.yml | grep -vE 'image: (headgate|[a-z/]+:v?[0-9][0-9.]*)$'; then
  echo "docker-compose.yml does not say which version"
  exit 1
fi
if command -v promtool >/dev/null; then promtool check config conf/prometheus.yml >/dev/null || exit 1; fi

parsed=()
for compose in 'docker-compose' 'docker compose'; do
  $compose version >/dev/null 2>&1 || continue
  COMPOSE_PROFILES=metrics $compose -f docker-compose.yml config -q || { echo "$compose does not read docker-compose.yml"; exit 1; }
  parsed+=("$compose")
done
echo "published on 127.0.0.1 only, not root, no secrets; read by: ${parsed[*]:-no compose, none is installed}"
