#!/usr/bin/env bash
# Prints the path of every library that a program loads, and of the loader, also for a program of another architecture.
#   packaging/libraries.sh PROGRAM
set -euo pipefail
export LC_ALL=C

case "$(readelf -h "$1" | sed -n 's/^ *Machine: *//p')" in
  *X86-64) triplet=x86_64-linux-gnu ;;
  AArch64) triplet=aarch64-linux-gnu ;;
  *) echo "$1: no architecture that is known here" >&2 && exit 1 ;;
esac

needed_by() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

path_of() { # LIBRARY
  local folder
  for folder in /usr/lib/$triplet /lib/$triplet; do
    [ -e "$folder/$1" ] && echo "$folder/$1" && return
  done
  echo "$1 is not on this machine" >&2
  return 1
}

declare -A found=()
look() { # FILE
  local name path
  for name in $(needed_by "$1"); do
    [ -z "${found[$name]:-}" ] || continue
    path=$(path_of "$name")
    found[$name]=$path
    look "$path"
  done
}

look "$1"
loader=$(readelf -l "$1" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
found[$(basename "$loader")]=${found[$(basename "$loader")]:-$(path_of "$(basename "$loader")")}
printf '%s\n' "${found[@]}" | sort
