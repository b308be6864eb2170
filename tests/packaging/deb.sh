#!/usr/bin/env bash
# Installs a package in a small Debian that is booted beside this one, upgrades it to another under load, and purges it. Takes two
# minutes; needs root and debootstrap. What is missing for the package comes from apt's mirror.
#   tests/packaging/deb.sh OLD.deb NEW.deb [bookworm|trixie] [DIRECTORY]     DIRECTORY keeps the bare Debian for the next time
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/packaging/booted.sh
. "$here/booted.sh"

say() { printf '== %s\n' "$*"; }
fail() { say "failed: $*"; inside journalctl --no-pager -n 40 -u headgate 2>/dev/null || true; exit 1; }

old=$(realpath "$1") new=$(realpath "$2") suite=${3:-bookworm}
directory=${4:-$(mktemp -d /tmp/headgate-deb-XXXXXX)}
root=$directory/$suite-root
((EUID == 0)) || { echo "this needs root" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "this needs debootstrap: apt-get install debootstrap" >&2; exit 2; }
mkdir -p "$directory"

say "making a small $suite"
make_root "$directory" "$suite" "$root" "$(dpkg-deb -f "$old" Depends)" systemd-sysv dbus python3 procps logrotate curl man-db
cp "$old" "$root/old.deb" && cp "$new" "$root/new.deb" && cp "$here/steady_load.py" "$root/steady_load.py"
# Else dpkg would unpack no manual pages here.
rm -f "$root/etc/dpkg/dpkg.cfg.d/docker"
boot "$root"

# All files but those that dpkg, the journal and caches write by themselves, and the backups of passwd.
files() {
  inside find / -xdev \( -path /proc -o -path /sys -o -path /var/lib/dpkg -o -path /var/cache -o -path /var/log/journal -o -path /var/log/dpkg.log \
    -o -path /var/log/alternatives.log -o -path /var/lib/systemd -o -name '*-' \) -prune -o -print | sort
}
users() { inside getent passwd && inside getent group; }
files >"$directory/before" && users >"$directory/users-before"

say "installed, it serves at once"
inside dpkg -i /old.deb >"$directory/install.log" 2>&1 || { cat "$directory/install.log"; fail "dpkg -i"; }
inside systemctl is-active headgate || fail "the service does not run"
inside curl -si --retry 5 --retry-connrefused http://127.0.0.1:8080/ | tee "$directory/answer"
grep -q '^HTTP/1.1 200' "$directory/answer" && grep -qi '^X-RateLimit-Limit: 100' "$directory/answer" || fail "the first configuration"
[ "$(inside ps -o user= -C headgate)" = headgate ] || fail "it runs as another user"
inside systemctl is-enabled headgate || fail "it would not start with the machine"
inside systemd-analyze security headgate --no-pager | tail -n 1
inside systemd-analyze security headgate --threshold=20 >/dev/null || fail "more than 2.0"
inside man -P cat headgate-run | grep -q 'Reload whenever the file changes' || fail "no manual page"
inside bash -c '. /usr/share/bash-completion/completions/headgate && complete -p headgate' || fail "no words for bash"

say "another configuration, with logs in files"
inside systemd-run --quiet --unit echo headgate echo --listen 127.0.0.1:3000
cat >"$root/etc/headgate/headgate.json" <<'JSON'
{
  "listen": ["127.0.0.1:8080", ":80"],
  "upstreams": { "app": "http://127.0.0.1:3000" },
  "limits": { "per-ip": { "rate": "1000000/second", "per": "client_ip" } },
  "log": { "access": "/var/log/headgate/access.log" },
  "pid_file": "/run/headgate/headgate.pid",
  "routes": [{ "path": "/*", "to": "app", "limits": ["per-ip"] }]
}
JSON
inside systemctl reload headgate || fail "reload"
for ((i = 0; i < 50; i++)); do inside curl -s http://127.0.0.1:80/ >"$directory/answer" && break || sleep 0.1; done
grep -q GET "$directory/answer" || fail "no port below 1024"
inside sh -c 'echo { >/etc/headgate/broken.json; cp /etc/headgate/headgate.json /kept.json; cp /etc/headgate/broken.json /etc/headgate/headgate.json'
if inside systemctl reload headgate 2>/dev/null; then fail "a file with mistakes was reloaded"; fi
inside sh -c 'mv /kept.json /etc/headgate/headgate.json; rm /etc/headgate/broken.json'
inside curl -sf http://127.0.0.1:8080/ >/dev/null || fail "a refused reload ended it"

say "logs are rotated"
inside logrotate --state /run/logrotate --force /etc/logrotate.d/headgate || fail "logrotate"
for ((i = 0; i < 50; i++)); do
  inside curl -s http://127.0.0.1:8080/after-rotation >/dev/null
  inside grep -qs after-rotation /var/log/headgate/access.log && break
  sleep 0.1
done
inside grep -q after-rotation /var/log/headgate/access.log || fail "the log was not opened again"
[ "$(inside stat -c %U /var/log/headgate/access.log)" = headgate ] || fail "the log belongs to another user"

say "upgraded under load"
before=$(inside systemctl show -p MainPID --value headgate)
inside python3 /steady_load.py 8080 /run/stop >"$directory/load.log" 2>&1 &
load=$!
sleep 1
inside dpkg -i /new.deb >"$directory/upgrade.log" 2>&1 || { cat "$directory/upgrade.log"; fail "dpkg -i of the new package"; }
sleep 1
inside touch /run/stop
wait $load || { cat "$directory/load.log"; fail "requests were lost"; }
cat "$directory/load.log"
after=$(inside systemctl show -p MainPID --value headgate)
[ "$before" != "$after" ] && [ "$after" != 0 ] || fail "the process is still the old one ($before, $after)"
[ "$(inside cat /run/headgate/headgate.pid)" = "$after" ] || fail "the pid file names another process"
inside systemctl is-active headgate || fail "systemd lost it"
inside grep -q 1000000/second /etc/headgate/headgate.json || fail "the administrator's configuration is gone"
inside dpkg-query -W headgate

say "an upgrade whose configuration is broken leaves the old one in its place"
inside sh -c 'cp /etc/headgate/headgate.json /kept.json; echo { >/etc/headgate/headgate.json'
inside dpkg --force-confold -i /old.deb >"$directory/broken.log" 2>&1 || { cat "$directory/broken.log"; fail "dpkg -i beside a broken configuration"; }
grep -q 'the one before goes on' "$directory/broken.log" || fail "nothing was said of it"
[ "$(inside systemctl show -p MainPID --value headgate)" = "$after" ] || fail "the process was replaced"
inside curl -sf http://127.0.0.1:8080/ >/dev/null || fail "it does not serve any more"
inside mv /kept.json /etc/headgate/headgate.json

say "removed and purged, nothing is left"
inside systemctl stop echo
inside dpkg -r headgate >"$directory/remove.log" 2>&1 || fail "dpkg -r"
inside systemctl is-active headgate && fail "it runs without its package"
[ -f "$root/etc/headgate/headgate.json" ] || fail "removal took the configuration"
inside dpkg -P headgate >"$directory/purge.log" 2>&1 || { cat "$directory/purge.log"; fail "dpkg -P"; }
files >"$directory/after" && users >"$directory/users-after"
diff "$directory/before" "$directory/after" || fail "files are left"
diff "$directory/users-before" "$directory/users-after" || fail "users are left"
say "installed, upgraded without a lost request, and purged ($suite)"
