// The completion scripts in the real shells, at every command.

#include "blackbox/harness/process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

using Offers = std::map<std::string, std::set<std::string>>;  // by command: "keys new"

/// What stands in the script for bash, which another test runs.
Offers all_offers() {
  const auto script = run_headgate({"completion", "bash"}).out;
  const std::regex line(R"re( +'([^']*)'\) words='([^']*)' ;;)re");
  Offers out;
  for (std::sregex_iterator match(script.begin(), script.end(), line), end; match != end; ++match) {
    std::istringstream words((*match)[2].str());
    for (std::string word; words >> word;) out[(*match)[1].str()].insert(word);
  }
  return out;
}

/// Reads lines "@ command" and then a word each.
Offers read_offers(const std::string& text, const Offers& wanted) {
  Offers out;
  std::istringstream lines(text);
  std::string at;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("@")) {
      at = line.size() > 2 ? line.substr(2) : "";
      out[at];
    } else if (const auto words = wanted.find(at); words != wanted.end() && !line.empty()) {
      out[at].insert(line.substr(0, line.find('\t')));
    }
  }
  return out;
}

std::string places_of(const Offers& offers) {
  std::string out;
  for (const auto& [place, words] : offers) out += '"' + place + "\" ";
  return out;
}

std::string run_script(const std::string& shell, const Words& before, const std::string& script) {
  const TemporaryFile file(script, "script");
  Words words = before;
  words.push_back(file.path());
  Process process(words, {"TERM=dumb"}, shell);
  EXPECT_EQ(process.wait(Milliseconds(60'000)), 0) << process.err();
  return process.out();
}

/// A shell on a terminal of its own, in which the key of the completion is pressed. What zsh would offer is written
/// instead of shown.
const std::string kInZsh = R"zsh(
zmodload zsh/zpty || exit 2
zpty z zsh -f -i
do_there() { zpty -w z "$1" }
do_there 'PROMPT=; unsetopt prompt_sp; HISTFILE='
do_there 'autoload -Uz compinit && compinit -u -D'
do_there 'headgate() { BINARY "$@" }; eval "$(headgate completion zsh)"'
do_there 'bindkey "^I" complete-word; zstyle ":completion:*" insert-tab false; zstyle ":completion:*" list-separator ""'
do_there 'begin_it() { print -r - "<<BEGIN>>"; compprefuncs=(begin_it) }; compprefuncs=(begin_it)'
do_there 'end_it() { print -r - "<<END>>"; comppostfuncs=(end_it) }; comppostfuncs=(end_it)'
do_there 'compadd() { local a; for a in "$@"; do case $a in -O|-A|-D) builtin compadd "$@"; return;; esac; done; typeset -a hits; builtin compadd -O hits "$@"; print -rl - $hits }'
do_there 'stty -echo; print "<<""READY>>"'
while zpty -r z line; do [[ $line == *'<<READY>>'* ]] && break; done
for place in PLACES; do
  print -r - "@ $place"
  zpty -n -w z "headgate ${place:+$place }"$'\t'
  integer on=0
  while zpty -r z line; do
    line=${line//$'\r'/}; line=${line%$'\n'}
    [[ $line == *'<<BEGIN>>'* ]] && { on=1; continue }
    [[ $line == *'<<END>>'* ]] && break
    (( on )) && print -r - $line
  done
  zpty -n -w z $'\025'
done
zpty -d z
)zsh";

const std::string kInFish = R"fish(
function headgate; BINARY $argv; end
headgate completion fish | source
for place in PLACES
  echo "@ $place"
  set -l words headgate
  test -n "$place"; and set words headgate $place
  complete -C "$words "
  complete -C "$words --"
end
)fish";

std::string filled(std::string script, const Offers& offers) {
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>{"BINARY", HEADGATE_BINARY}, {"PLACES", places_of(offers)}})
    script.replace(script.find(name), name.size(), value);
  return script;
}

void expect_all(const Offers& offered, const Offers& wanted) {
  for (const auto& [place, words] : wanted) {
    const auto found = offered.find(place);
    ASSERT_NE(found, offered.end()) << place;
    for (const auto& word : words) EXPECT_TRUE(found->second.contains(word)) << "headgate " << place << ' ' << word;
    // Files are offered, too, but no word of another command.
    for (const auto& word : found->second)
      EXPECT_TRUE(words.contains(word) || ::access(word.c_str(), F_OK) == 0) << "headgate " << place << ' ' << word;
  }
}

TEST(Completion, OffersEveryCommandAndOptionInZsh) {
  if (::access("/usr/bin/zsh", X_OK) != 0) GTEST_SKIP() << "no zsh on this machine";
  const auto wanted = all_offers();
  ASSERT_GT(wanted.size(), 30U);
  expect_all(read_offers(run_script("/usr/bin/zsh", {"-f"}, filled(kInZsh, wanted)), wanted), wanted);
}

TEST(Completion, OffersEveryCommandAndOptionInFish) {
  if (::access("/usr/bin/fish", X_OK) != 0) GTEST_SKIP() << "no fish on this machine";
  const auto wanted = all_offers();
  expect_all(read_offers(run_script("/usr/bin/fish", {"--no-config"}, filled(kInFish, wanted)), wanted), wanted);
}

std::string whole_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The files that say to people what to type.
std::vector<std::filesystem::path> files_with_advice() {
  const std::filesystem::path root = HEADGATE_SOURCE_DIR;
  std::vector<std::filesystem::path> out{root / "README.md", root / "conf/alerts.yml"};
  for (const auto* folder : {"src", "include", "docs", "dashboard"})
    for (const auto& each : std::filesystem::recursive_directory_iterator(root / folder))
      if (each.is_regular_file()) out.push_back(each.path());
  return out;
}

/// Whether there is such a command, and such a one below it if it has commands of its own.
bool exists(const Offers& offers, const std::string& command, const std::string& below) {
  const auto& top = offers.at("");
  if (top.count(command) == 0) return false;
  const auto at = offers.find(command);
  if (below.empty() || at == offers.end()) return true;
  const auto is_command = [](const std::string& word) { return !word.starts_with('-'); };
  return std::none_of(at->second.begin(), at->second.end(), is_command) || at->second.count(below) > 0;
}

TEST(Commands, ThatMessagesAndPagesNameExist) {
  const auto offers = all_offers();
  ASSERT_GT(offers.at("").size(), 20U);
  ASSERT_FALSE(exists(offers, "event", ""));
  ASSERT_FALSE(exists(offers, "keys", "lists"));
  const std::regex named(
      R"re((?:`|\$ |Type: |\.command = "|"(?=headgate [a-z-]+ -))headgate ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?)re");
  std::size_t found = 0;
  for (const auto& path : files_with_advice()) {
    const auto text = whole_text(path);
    for (std::sregex_iterator match(text.begin(), text.end(), named), end; match != end; ++match, ++found)
      EXPECT_TRUE(exists(offers, (*match)[1].str(), (*match)[2].str())) << path << ": " << match->str();
  }
  EXPECT_GT(found, 200U);
}

}  // namespace
}  // namespace headgate::test
