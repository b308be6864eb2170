# shellcheck shell=bash
# An apt of its own for another suite of Debian, which knows nothing of what is installed here and installs nothing.
# Scripts source this, and then call `apt_of DIRECTORY SUITE` and apt-get with "${options[@]}".
apt_of() { # DIRECTORY SUITE
  local apt=$1 mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -v security | grep -m 1 debian || true)
  mkdir -p "$apt"/lib/{lists/partial,dpkg} "$apt/cache/archives/partial"
  touch "$apt/lib/dpkg/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} $2 main" >"$apt/sources.list"
  # shellcheck disable=SC2034 # the scripts read it
  options=(-qq -o "Dir::State=$apt/lib" -o "Dir::State::status=$apt/lib/dpkg/status" -o "Dir::Cache=$apt/cache"
    -o "Dir::Etc::sourcelist=$apt/sources.list" -o "Dir::Etc::sourceparts=$apt/lib" -o "Dir::Etc::preferencesparts=$apt/lib"
    -o "APT::Sandbox::User=$(id -un)" -o Acquire::Languages=none -o Acquire::http::Timeout=20 -o APT::Update::Error-Mode=any)
}
