#!/usr/bin/env bash
# Checks that docs/new_step.md is true. The page adds a step to the path; tests/toy/step has the new files and edits.diff, the lines that
# go into other files. The script adds all of it to a copy of the sources, compiles what has changed, and compares the page.
# usage: step.sh SOURCE_DIR COMPILER OPTION...
# In edits.diff, "@ FILE" begins an edit, and its one line without "+" is the line of FILE that the others stand beside.
set -euo pipefail
source=$1 compiler=$2
shift 2
step=$source/tests/toy/step page=$source/docs/new_step.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "$*" >&2; failed=1; }

mkdir "$scratch/tests"
cp -r "$source/include" "$source/src" "$scratch"
cp -r "$source/tests/unit" "$source/tests/support" "$scratch/tests"
cp "$step/refuse_clients.cpp" "$scratch/src/gateway/steps"
cp "$step/refuse_clients_test.cpp" "$scratch/tests/unit/gateway/path"

# insert FILE BESIDE BEFORE LINES: puts LINES beside the first line of FILE that is BESIDE.
insert() {
  grep -qxF -e "$2" "$scratch/$1" || { fail "edits.diff: $1 no longer has this line: $2"; return; }
  beside=$2 before=$3 lines=$4 awk '
    !done && $0 == ENVIRON["beside"] { done = 1; if (ENVIRON["before"]) print ENVIRON["lines"]; print
      if (!ENVIRON["before"]) print ENVIRON["lines"]; next }
    { print }' "$scratch/$1" >"$scratch/edited"
  mv "$scratch/edited" "$scratch/$1"
}
file='' beside='' before='' lines=''
while IFS= read -r line; do
  case $line in
    '@ '*) [ -z "$file" ] || insert "$file" "$beside" "$before" "$lines"; file=${line#@ } beside='' before='' lines='' ;;
    +*) lines+=${lines:+$'\n'}${line#+} ;;
    *) beside=${line# } before=${lines:+1} ;;
  esac
done < <(cat "$step/edits.diff"; echo '@ end')

sources=$(sed -n 's/^@ \(.*\.cpp\)$/\1/p' "$step/edits.diff")
for file in $sources src/gateway/steps/refuse_clients.cpp tests/unit/gateway/path/refuse_clients_test.cpp; do
  (cd "$scratch" && "$compiler" -fsyntax-only -Isrc -Iinclude -Itests "$@" "$file") || fail "$file does not compile"
done

# Each line of code that the page shows is one of the step's, and each row counts the lines of its file.
added=$(sed -n 's/^+//p' "$step/edits.diff"; cat "$step"/*.cpp)
shown=$(awk '/^```cpp$/ { on = 1; next } /^```$/ { on = 0 } on && NF' "$page")
[ -n "$shown" ] || fail "$page shows no code"
while IFS= read -r line; do
  grep -qxF -e "$line" <<<"$added" || fail "$page: the step has no such line: $line"
done <<<"$shown"
rows=$({ awk '/^@ / { file = $2 } /^\+/ { ++count[file] } END { for (file in count) print "| `" file "` | " count[file] " |" }' "$step/edits.diff"
  echo "| \`src/gateway/steps/refuse_clients.cpp\` | $(wc -l <"$step/refuse_clients.cpp") |"
  echo "| \`tests/unit/gateway/path/refuse_clients_test.cpp\` | $(wc -l <"$step/refuse_clients_test.cpp") |"; })
while IFS= read -r row; do
  grep -qF -e "$row" "$page" || fail "$page lacks the row: $row"
done <<<"$rows"
exit $failed
