#!/usr/bin/env bash
# Renders the chart with values of several kinds, and looks at what it becomes. Needs Go and sprig as Debian packages them, python3-jsonschema
# and python3-yaml; there is no Helm here, and no cluster.
#   tests/packaging/helm.sh HEADGATE BUILD_DIRECTORY
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
headgate=$1 build=$(realpath "$2")/helm
libraries=/usr/share/gocode
missing=''
command -v go >/dev/null || missing+=' golang-go'
[ -d $libraries/src/github.com/Masterminds/sprig ] || missing+=' golang-github-masterminds-sprig-dev'
[ -d $libraries/src/gopkg.in/yaml.v3 ] || missing+=' golang-gopkg-yaml.v3-dev'
python3 -c 'import jsonschema' 2>/dev/null || missing+=' python3-jsonschema'
python3 -c 'import yaml' 2>/dev/null || missing+=' python3-yaml'
if [ -n "$missing" ]; then echo "this needs$missing" && exit 77; fi

mkdir -p "$build"
if [ ! "$build/render" -nt "$here/helm/render.go" ]; then
  (cd "$here/helm" && GO111MODULE=off GOPATH=$libraries GOCACHE=$build/cache GOFLAGS='' go build -o "$build/render" render.go)
fi
python3 "$here/helm/check.py" "$here/../../packaging/helm/headgate" "$build/render" "$headgate" "$here/helm/values" "$here/helm/refused"
if command -v helm >/dev/null; then helm lint --strict "$here/../../packaging/helm/headgate"; fi
