#!/usr/bin/env bash
# Two gateways, one Redis, three servers, and callers of all kinds, all of them on 127.0.0.1. Ctrl-C ends it and leaves nothing.
#   conf/demo/demo.sh HEADGATE [--metrics] [--for TIME]
set -euo pipefail
headgate=$(realpath "${1:?which headgate?}")
shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

metrics=no length=365d
while (($#)); do
  case "$1" in
    --metrics) metrics=yes ;;
    --for) length=$2 && shift ;;
    *) echo "unknown option $1" >&2 && exit 2 ;;
  esac
  shift
done

say() { printf '\033[1m== %s\033[0m\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
command -v redis-server >/dev/null || fail "this needs Redis: apt-get install redis-server"

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

redis='' shop_1='' shop_2='' shop_3='' door_1='' door_2='' admin_1='' admin_2='' prometheus=''

# Sets the variable to the first port from the preferred one on that nobody listens on, and that was not given before.
given=' '
take_port() { # VARIABLE PREFERRED
  local port
  for ((port = $2; port < $2 + 90; port++)); do
    case "$given" in *" $port "*) continue ;; esac
    listens "$port" && continue
    given+="$port "
    printf -v "$1" %s "$port"
    return
  done
  fail "no port is free from $2 on"
}

take_port redis 6390
take_port shop_1 3001
take_port shop_2 3002
take_port shop_3 3003
take_port door_1 8080
take_port door_2 8081
take_port admin_1 9900
take_port admin_2 9901

place=$(mktemp -d "${TMPDIR:-/tmp}/headgate-demo-XXXXXX")
parts=() callers=()
set -m # each part in a group of its own: Ctrl-C reaches only this script, which ends them one after the other

# The callers first, and what they saw is told; then the gateways, which finish what is in flight; then what is behind them.
end() {
  trap '' INT TERM HUP
  local pid file
  if ((${#callers[@]})); then
    kill -INT "${callers[@]}" 2>/dev/null || true
    wait "${callers[@]}" 2>/dev/null || true
    for file in "$place"/*.saw; do
      if [ -s "$file" ]; then say "$(basename "$file" .saw)" && cat "$file"; fi
    done
  fi
  for ((pid = ${#parts[@]} - 1; pid >= 0; pid--)); do kill -TERM "${parts[pid]}" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$place"
}
trap end EXIT
trap 'exit 0' INT TERM HUP

begin() { # NAME PORT COMMAND...
  local name=$1 port=$2
  shift 2
  "$@" >"$place/$name.log" 2>&1 &
  parts+=($!)
  local tries
  for ((tries = 0; tries < 200; tries++)); do
    listens "$port" && return
    kill -0 "${parts[-1]}" 2>/dev/null || break
    sleep 0.05
  done
  tail -n 20 "$place/$name.log" >&2
  fail "$name does not start"
}

call() { # NAME PATH OPTION...
  local name=$1 path=$2
  shift 2
  "$headgate" load --quiet --for "$length" --to "http://127.0.0.1:$door_1$path" --to "http://127.0.0.1:$door_2$path" "$@" \
    >"$place/$name.saw" 2>"$place/$name.log" &
  callers+=($!)
}

begin redis "$redis" redis-server --port "$redis" --bind 127.0.0.1 --save '' --appendonly no --dir "$place"
begin shop-1 "$shop_1" "$headgate" echo --listen "127.0.0.1:$shop_1"
begin shop-2 "$shop_2" "$headgate" echo --listen "127.0.0.1:$shop_2"
begin shop-3 "$shop_3" "$headgate" echo --listen "127.0.0.1:$shop_3" --fails 8s/40s

export REDIS_URL=redis://127.0.0.1:$redis ACCESS_LOG=off
export SHOP_1=http://127.0.0.1:$shop_1 SHOP_2=http://127.0.0.1:$shop_2 SHOP_3=http://127.0.0.1:$shop_3
for number in 1 2; do
  door=door_$number admin=admin_$number
  begin "headgate-$number" "${!door}" env INSTANCE="headgate-$number" LISTEN="127.0.0.1:${!door}" \
    ADMIN_LISTEN="127.0.0.1:${!admin}" "$headgate" run -c conf/demo/local.json
done

call customers /v1/orders --key-file conf/demo/keys.txt --callers 6 --rate 60/second
call reports '/v1/reports?delay=400ms' --key-file conf/demo/keys.txt --callers 6 --rate 18/second
call attack /search --like attack --header 'X-Forwarded-For: {ip}' --callers 60 --rate 30/second
call sale /sale --like flash-sale --header 'X-Forwarded-For: {ip}' --callers 20000 --rate 8/second
call apps /hello --like burst --header 'X-API-Key: app-{n}' --callers 12 --rate 20/second

if [ $metrics = yes ]; then
  if command -v prometheus >/dev/null; then
    take_port prometheus 9090
    cp conf/rules.yml conf/alerts.yml "$place"
    sed "s/\"127\.0\.0\.1:9900\"/\"127.0.0.1:$admin_1\", \"127.0.0.1:$admin_2\"/; s/: 15s/: 5s/" conf/prometheus.yml \
      >"$place/prometheus.yml"
    begin prometheus "$prometheus" prometheus --config.file="$place/prometheus.yml" --storage.tsdb.path="$place/metrics" \
      --web.listen-address="127.0.0.1:$prometheus"
  else
    say "without metrics: apt-get install prometheus"
  fi
fi

say "it runs; Ctrl-C ends it and leaves nothing"
cat <<END
  dashboards  http://127.0.0.1:$admin_1/  http://127.0.0.1:$admin_2/
  gateways    http://127.0.0.1:$door_1/  http://127.0.0.1:$door_2/${prometheus:+
  Prometheus  http://127.0.0.1:$prometheus/}

  /v1/orders   six customers with three plans; the free ones want more than they have paid for
  /v1/reports  slow ones: each customer has two at a time
  /search      visitors, and three who send far too much and are suspended, again and again
  /sale        each minute a crowd comes at once and waits in a room
  /hello       apps that burst; try it: curl -i localhost:$door_1/hello
  The third server fails for eight of each forty seconds, and comes back.

  $headgate top --admin http://127.0.0.1:$admin_1
END

# Until the callers have ended (--for), or one of the parts has, which it should not.
while true; do
  wait -n -p ended || true
  case " ${parts[*]} " in *" ${ended:-} "*) fail "a part of it has ended" ;; esac
  alive=no
  for pid in "${callers[@]}"; do if kill -0 "$pid" 2>/dev/null; then alive=yes; fi; done
  if [ $alive = no ]; then exit 0; fi
done
