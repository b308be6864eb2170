#!/usr/bin/env bash
# Builds headgate for arm64 in a small Debian beside this one, with Debian's cross compiler and its libraries for arm64, and tries it
# under qemu: it serves, it limits, it speaks TLS; its package and its image are made too. Needs root and debootstrap; as long as a release
# build. In a Debian of its own, because some libraries cannot be installed for two architectures at once.
#   tests/packaging/arm64.sh [CMAKE_OPTION...]     HEADGATE_DEBIAN=DIRECTORY keeps that Debian, and what was built, for the next time
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/packaging/booted.sh
. "$repository/tests/packaging/booted.sh"
directory=${HEADGATE_DEBIAN:-$(mktemp -d /tmp/headgate-arm64-XXXXXX)}
root=$directory/cross
((EUID == 0)) || { echo "this needs root (chroot)" >&2; exit 2; }
mkdir -p "$directory"

packages=(cmake ninja-build pkg-config ccache file binutils dpkg-dev ca-certificates tzdata curl openssl qemu-user-static crossbuild-essential-arm64
  nlohmann-json3-dev libcli11-dev libjs-dygraphs protobuf-compiler)
for package in 'libboost1.81-dev:arm64 | libboost-dev:arm64' libhiredis-dev libspdlog-dev libssl-dev libxxhash-dev zlib1g-dev libbrotli-dev prometheus-cpp-dev \
  libhowardhinnant-date-dev libyaml-cpp-dev libnghttp2-dev libre2-dev libprotobuf-dev libcrypt-dev; do
  case "$package" in *:arm64*) packages+=("$package") ;; *) packages+=("$package:arm64") ;; esac
done

if [ ! -x "$root/usr/bin/aarch64-linux-gnu-g++" ]; then
  foreign=arm64 make_root "$directory" "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" "${packages[@]}"
fi
mkdir -p "$root/headgate"
(cd "$repository" && git ls-files -z | tar --null -T - -cf -) | tar -C "$root/headgate" --no-same-owner -xf -
cp "$repository/tests/packaging/smoke.sh" "$root/smoke.sh"
commit=$(git -C "$repository" rev-parse --short=12 HEAD)
SOURCE_DATE_EPOCH=$(git -C "$repository" log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# shellcheck disable=SC2016 # the inner shell expands
exec unshare --mount --pid --net --fork --kill-child -- bash -c '
  set -euo pipefail
  root=$1 commit=$2 && shift 2
  ip link set lo up && mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev"
  exec chroot "$root" bash -euo pipefail -c '\''
    cd /headgate && commit=$1 && shift
    cmake --preset arm64 -DHEADGATE_COMMIT="$commit" "$@" >/dev/null
    cmake --build --preset arm64 --target headgate
    file build/arm64/headgate
    /smoke.sh qemu-aarch64-static build/arm64/headgate
    (cd build/arm64 && cpack >/dev/null && dpkg-deb -I headgate_*_arm64.deb | grep -E "Architecture|Depends")
    packaging/image_root.sh build/arm64/headgate /image
    echo "the image: $(tar -C /image --sort=name -cf - . | gzip -9n | wc -c) bytes compressed"
    # Nothing but what the image has.
    cp /usr/bin/qemu-aarch64-static /image/ && chroot --userspec=65532:65532 /image /qemu-aarch64-static /usr/bin/headgate version
    '\'' bash "$commit" "$@"' bash "$root" "$commit" "$@"
