#!/usr/bin/env bash
# What `cmake --install` brings: a manual page for each command, words for three shells, a service that may do little, a first
# configuration that is not put in the place of another one, and a bill of all that is compiled in.
#   tests/packaging/install.sh BUILD_DIRECTORY
set -euo pipefail
build=$(realpath "$1")
place=$(mktemp -d /tmp/headgate-install-XXXXXX)
trap 'rm -rf "$place"' EXIT
export LC_ALL=C.UTF-8

fail() { echo "failed: $*"; exit 1; }
has() { command -v "$1" >/dev/null; }

install_to() { # PREFIX [DESTDIR]
  DESTDIR=${2:-} cmake --install "$build" --prefix "$1" >"$place/log" 2>&1 || { cat "$place/log"; fail "cmake --install"; }
}
install_to "$place/all"
headgate=$place/all/bin/headgate

"$headgate" check --strict -c "$place/all/etc/headgate/headgate.json" >/dev/null || fail "the first configuration has mistakes"
"$headgate" fmt --check "$place/all/etc/headgate/headgate.json" || fail "the first configuration is not laid out"

pages=$place/all/share/man/man1
commands=$("$headgate" --help | sed -n '/^Subcommands:/,$s/^  \([a-z-]*\) .*/\1/p')
(($(wc -w <<<"$commands") > 20)) || fail "this test does not find the commands"
for command in $commands; do [ -s "$pages/headgate-$command.1.gz" ] || fail "no page of $command"; done
(($(find "$pages" -type f | wc -l) == $(wc -w <<<"$commands") + 1)) || fail "pages of what is no command"
if has groff; then
  for page in "$pages"/*.gz; do
    said=$(zcat "$page" | groff -man -Tutf8 -ww -rLL=80n 2>&1 >"$place/page")
    [ -z "$said" ] || fail "$page: $said"
  done
fi
# Each option that --help names stands in the page.
for option in $("$headgate" simulate --help | grep -oE '^  [^ ]*--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
  zcat "$pages/headgate-simulate.1.gz" | sed 's/\\-/-/g' | grep -q -- "$option" || fail "the page of simulate has no $option"
done

share=$place/all/share
bash -n "$share/bash-completion/completions/headgate" || fail "bash does not read its words"
if has zsh; then zsh -n "$share/zsh/site-functions/_headgate" || fail "zsh does not read its words"; fi
if has fish; then fish --no-execute "$share/fish/vendor_completions.d/headgate.fish" || fail "fish does not read its words"; fi

# The service: paths of this prefix, and no more rights than 2.0.
unit=$place/all/lib/systemd/system/headgate.service
grep -q "^ExecStart=$headgate run -c $place/all/etc/headgate/headgate.json" "$unit" || fail "the unit names other places"
if has systemd-analyze && systemd-analyze --help | grep -q -- --offline; then
  systemd-analyze security --offline=true --threshold=20 "$unit" >"$place/security" 2>&1 || { tail -n 1 "$place/security"; fail "more than 2.0"; }
  tail -n 1 "$place/security"
fi
if has logrotate && getent passwd headgate >/dev/null; then logrotate --debug "$place/all/etc/logrotate.d/headgate" || fail "logrotate"; fi

echo '{ "changed": true }' >"$place/all/etc/headgate/headgate.json"
install_to "$place/all"
grep -q changed "$place/all/etc/headgate/headgate.json" || fail "a configuration was replaced"

# As a package has it.
rm -rf "$place/all"
install_to /usr "$place/root"
for file in /etc/headgate/headgate.json /etc/logrotate.d/headgate /usr/bin/headgate /usr/share/zsh/vendor-completions/_headgate \
  /usr/share/headgate/headgate.schema.json /usr/lib/sysusers.d/headgate.conf /usr/share/doc/headgate/sbom.cdx.json; do
  [ -s "$place/root$file" ] || fail "no $file"
done
grep -rqs '^ExecStart=/usr/bin/headgate run -c /etc/headgate/headgate.json' "$place/root"/{usr/,}lib/systemd/system || fail "the unit names other places"
while read -r file; do [ -f "$place/root$file" ] || fail "conffiles names $file"; done <"$(dirname "$0")/../../packaging/deb/conffiles"

# Whose headers the compilers read is what is compiled in, but for the system's own.
if [ -f "$build/build.ninja" ] && has python3; then
  ninja -C "$build" -t deps | grep -oE '^    /usr/[^ ]+' | sort -u | xargs readlink -f | sort -u | { xargs dpkg-query -S 2>/dev/null || true; } |
    sed 's/[:,].*//' | sort -u | { grep -vxE 'libc6-dev|libcrypt-dev|linux-libc-dev|libgcc-[0-9]+-dev|libgtest-dev|libgmock-dev|googletest|libbenchmark-dev|libasan.*' || true; } >"$place/read"
  python3 - "$place/root/usr/share/doc/headgate/sbom.cdx.json" "$place/read" <<'PYTHON' || fail "the bill"
import json, sys
bill = json.load(open(sys.argv[1]))
assert bill["bomFormat"] == "CycloneDX" and bill["specVersion"] == "1.5"
assert len({each["bom-ref"] for each in bill["components"]}) == len(bill["components"])
compiled_in = {each["name"] for each in bill["components"] if each["properties"][0]["value"] == "compiled in"}
loaded = {each["name"] for each in bill["components"] if each["properties"][0]["value"] == "loaded"}
read = set(open(sys.argv[2]).read().split())
assert len(read) > 10, read
missing = read - compiled_in
assert not missing, f"compiled in and not in the bill: {missing}"
assert "libc6" in loaded and "libssl3" in {each.removesuffix("t64") for each in loaded}, loaded
assert all(each["version"] and each["purl"].startswith("pkg:deb/debian/") for each in bill["components"])
print(f"{len(compiled_in)} packages compiled in, {len(loaded)} loaded")
PYTHON
fi
echo "installed as it should be"
