#!/usr/bin/env bash
# Builds DIRECTORY/rate_limit, which asks a rate limit service with the client that Envoy's project generates for Go. Debian has
# this client as golang-github-envoyproxy-go-control-plane-dev, but only in sid, so the packages and their compiler are fetched from
# there. Nothing is installed and no root is needed. What was built once is kept.
#   tests/envoy_client/build.sh DIRECTORY     ends with 77 if sid cannot be reached, or has packages that do not fit together
set -euo pipefail
here=$(realpath "$(dirname "$0")")
. "$here/../stores/debian.sh"
directory=$(realpath -m "${1:?a directory}")
root=$directory/root
libraries=(golang-github-{envoyproxy-go-control-plane,envoyproxy-protoc-gen-validate,cncf-xds,golang-protobuf-1-5}-dev
  golang-google-{grpc,protobuf,genproto}-dev golang-golang-x-{net,sys,text}-dev)

build() {
  local apt=$directory/apt options package
  apt_of "$apt" sid
  apt-get "${options[@]}" update &&
    apt-get "${options[@]}" -y --download-only --no-install-recommends install golang-go &&
    (cd "$apt/cache/archives" && apt-get "${options[@]}" download "${libraries[@]}") || return
  for package in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$package" "$root" || return; done
  env GOROOT="$(echo "$root"/usr/lib/go-*)" GOPATH="$root/usr/share/gocode" GOCACHE="$directory/cache" GO111MODULE=off CGO_ENABLED=0 GOFLAGS= \
    "$root"/usr/lib/go-*/bin/go build -o "$directory/rate_limit" "$here/rate_limit.go"
}

[ ! -x "$directory/rate_limit" ] || exit 0
rm -rf "$directory" && mkdir -p "$directory"
build >"$directory/log" 2>&1 || {
  echo "SKIPPED: the Go client of Envoy was not built from Debian's sid: $(grep -m 1 '^E:' "$directory/log" || tail -n 1 "$directory/log")" >&2
  exit 77
}
rm -rf "$directory"/{apt,cache,root}
