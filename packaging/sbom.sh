#!/usr/bin/env bash
# Writes which packages of Debian a headgate consists of, as CycloneDX 1.5: those whose code is compiled in, those whose libraries it
# loads, and, for an image, those whose files it carries. What is named comes from the program and the database of dpkg. With COPYRIGHTS, the
# licences of what is compiled in are copied there; with "carried", of the rest too, because it goes along.
#   packaging/sbom.sh PROGRAM VERSION OUT [COPYRIGHTS [carried PACKAGE...]]
set -euo pipefail
export LC_ALL=C
here=$(dirname "${BASH_SOURCE[0]}")
program=$1 version=$2 out=$3 copyrights=${4:-} carried=${5:-}
shift $(($# < 5 ? $# : 5))

# One header, or file, of each library that leaves code of its own in the program; a test compares the packages with what compilers read.
compiled_in=(boost/version.hpp nlohmann/json.hpp CLI/CLI.hpp spdlog/spdlog.h fmt/core.h date/tz.h prometheus/text_serializer.h
  hiredis/hiredis.h nghttp2/nghttp2.h re2/re2.h openssl/ssl.h yaml-cpp/yaml.h google/protobuf/message_lite.h xxhash.h zlib.h brotli/encode.h)
page=/usr/share/javascript/dygraphs/dygraph.min.js

arch=amd64 triplet=x86_64-linux-gnu
case "$(readelf -h "$program")" in *AArch64*) arch=arm64 triplet=aarch64-linux-gnu ;; esac
# shellcheck source=/dev/null
distribution=$(. /etc/os-release && echo "$ID-$VERSION_ID")

# "name:arch" as dpkg knows the packages that have these files. They are listed below /lib, or below /usr/lib where both are one.
owners_of() { # FILES on stdin
  local path paths=()
  while read -r path; do
    path=$(readlink -f "$path")
    paths+=("$path" "${path#/usr}")
  done
  { dpkg-query -S "${paths[@]}" 2>/dev/null || true; } | sed '/^diversion /d; s|: /.*||; s/, .*//'
}

header() { # NAME: where the compiler of this architecture finds it
  local folder
  for folder in "/usr/include/$triplet" /usr/include; do
    [ -e "$folder/$1" ] && echo "$folder/$1" && return
  done
  return 0
}

owners_of_compiled_in() {
  local name
  { for name in "${compiled_in[@]}"; do header "$name"; done && echo $page; } | owners_of
  # The standard library's templates.
  dpkg-query -W -f='${Package}:${Architecture} ${db:Status-Status}\n' 'libstdc++-*-dev*' 2>/dev/null |
    sed -n 's/ installed$//p' | grep -E "^libstdc\+\+-[0-9]+-dev(:$arch|-$arch-cross:all)$" | tail -n 1
}

# The names of licences, where the package tells them in a form for programs.
licences_of() { # PACKAGE
  local file=/usr/share/doc/${1%%:*}/copyright
  [ -e "$file" ] || return 0
  sed -n 's/^License: *\([^ ].*[^ ]\) *$/\1/p' "$file" | sort -u
}

quoted() { sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&"/'; }

component() { # PACKAGE HOW
  local name=${1%%:*} package_version package_arch licences
  read -r package_version package_arch < <(dpkg-query -W -f='${Version} ${Architecture}\n' "$1")
  licences=$(licences_of "$1" | quoted | sed 's/.*/{"license": {"name": &}}/' | paste -sd , | sed 's/,{/, {/g')
  local purl="pkg:deb/debian/${name//+/%2B}@${package_version//:/%3A}?arch=$package_arch&distro=$distribution"
  purl=${purl//~/%7E}
  printf '    {"type": "library", "bom-ref": "%s", "name": "%s", "version": "%s", "purl": "%s",\n' "$2:$name" "$name" "$package_version" "$purl"
  printf '     "licenses": [%s],\n     "properties": [{"name": "headgate:how", "value": "%s"}]}' "$licences" "$2"
}

keep_copyright() { # PACKAGE
  local name=${1%%:*}
  [ -n "$copyrights" ] && [ -e "/usr/share/doc/$name/copyright" ] || return 0
  mkdir -p "$copyrights"
  install -m 644 "/usr/share/doc/$name/copyright" "$copyrights/$name"
}

rows=()
refs=()
add() { # HOW, and packages on stdin
  local package
  while read -r package; do
    rows+=("$(component "$package" "$1")")
    refs+=("\"$1:${package%%:*}\"")
    if [ "$1" = "compiled in" ] || [ -n "$carried" ]; then keep_copyright "$package"; fi
  done < <(sort -u)
}
add "compiled in" < <(owners_of_compiled_in)
add "loaded" < <("$here/libraries.sh" "$program" | owners_of)
if (($#)); then add "carried" < <(dpkg-query -W -f='${Package}:${Architecture}\n' "$@"); fi

join() { local IFS=$1 && shift && printf '%s' "$*"; }
moment=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%dT%H:%M:%SZ)
{
  printf '{\n  "bomFormat": "CycloneDX",\n  "specVersion": "1.5",\n  "serialNumber": "urn:uuid:@serial@",\n  "version": 1,\n'
  printf '  "metadata": {\n    "timestamp": "%s",\n    "component": {"type": "application", "bom-ref": "headgate", "name": "headgate", "version": "%s",\n' "$moment" "$version"
  printf '      "licenses": [{"license": {"id": "Apache-2.0"}}], "purl": "pkg:generic/headgate@%s?arch=%s"}\n  },\n  "components": [\n' "$version" $arch
  for ((i = 0; i < ${#rows[@]}; i++)); do printf '%s%s\n' "${rows[i]}" "$( ((i + 1 == ${#rows[@]})) || echo ,)"; done
  printf '  ],\n  "dependencies": [{"ref": "headgate", "dependsOn": [%s]}]\n}\n' "$(join , "${refs[@]}" | sed 's/,/, /g')"
} >"$out"
# From what it says, so that the same bill has the same number.
serial=$(sha256sum "$out" | sed -E 's/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/\1-\2-5\3-a\4-\5/')
sed -i "s/@serial@/$serial/" "$out"
