// Commands, options and keys that pages and messages name exist, and a page names each option.

#include "blackbox/harness/process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace headgate::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kRoot(HEADGATE_SOURCE_DIR);

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> found(const std::string& text, const std::regex& wanted) {
  std::vector<std::string> out;
  for (std::sregex_iterator match(text.begin(), text.end(), wanted), end; match != end; ++match)
    out.push_back((*match)[1].str());
  return out;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> out{kRoot / "README.md", kRoot / "tests/load/README.md"};
  for (const auto& each : fs::directory_iterator(kRoot / "docs"))
    if (each.path().extension() == ".md") out.push_back(each.path());
  return out;
}

/// The commands with their options: "keys new" has "--owner".
using Commands = std::map<std::string, std::set<std::string>>;

void add(const Words& path, Commands& out) {
  auto words = path;
  words.emplace_back("--help");
  const auto help = run_headgate(words).out;
  std::string name;
  for (const auto& word : path) name += (name.empty() ? "" : " ") + word;
  auto& options = out[name];
  static const std::regex in_list("\n  ((?:-[a-zA-Z],)?--[a-z-]+|-[a-zA-Z])");
  for (const auto& both : found(help, in_list)) {
    std::istringstream each(both);
    for (std::string option; std::getline(each, option, ',');) options.insert(option);
  }
  const auto below = help.find("\nSubcommands:\n");
  if (below == std::string::npos) return;
  static const std::regex subcommand("\n  ([a-z][a-z-]*) ");
  for (const auto& word : found(help.substr(below), subcommand)) {
    words = path;
    words.push_back(word);
    add(words, out);
  }
}

const Commands& commands() {
  static const Commands all = [] {
    Commands out;
    add({}, out);
    return out;
  }();
  return all;
}

/// Adds the options of `line`, which follows "headgate ", to `used`. Reports a command or an option that does not
/// exist.
void check_line(const std::string& line, const std::string& where, std::set<std::string>& used) {
  const auto& all = commands();
  static const std::regex quoted("'[^']*'|\\$\\([^)]*\\)");
  static const std::regex option("(--?[a-zA-Z][a-z-]*).*");
  std::istringstream words(std::regex_replace(line, quoted, "X"));
  std::string command;
  bool named = false;
  for (std::string word; words >> word && word != "|" && word != "&&" && word[0] != '#' && word[0] != ';';) {
    const auto longer = command.empty() ? word : command + ' ' + word;
    if (!named && all.contains(longer)) {
      command = longer;
      continue;
    }
    if (std::smatch match; std::regex_match(word, match, option)) {
      EXPECT_TRUE(all.at(command).contains(match[1])) << where << ": headgate " << command << " has no " << match[1];
      used.insert(command + ' ' + match[1].str());
    } else {
      EXPECT_FALSE(command.empty()) << where << ": there is no command in \"headgate " << line << '"';
      if (command.empty()) return;
    }
    named = true;
  }
}

/// Returns the commands of a page, from spans of code and lines of commands, without "headgate " before them.
std::vector<std::string> command_lines(const std::string& page) {
  static const std::regex in_span("`headgate ([^`\n]+)`");
  static const std::regex in_block("^(?:\\$ )?(?:[A-Z_]+=[^ ]* )?headgate (.*)");
  std::vector<std::string> out;
  std::istringstream lines(page);
  bool block = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) block = !block;
    std::smatch match;
    if (block && std::regex_search(line, match, in_block)) out.push_back(match[1]);
    if (!block)
      for (auto& span : found(line, in_span)) out.push_back(std::move(span));
  }
  return out;
}

TEST(NamedCommands, ExistWithTheirOptions) {
  std::set<std::string> used;
  for (const auto& page : pages())
    for (const auto& line : command_lines(content(page))) check_line(line, page.filename().string(), used);
  EXPECT_GT(used.size(), 60U) << "the test has lost sight of the commands";
  static const std::regex in_message("`headgate ([^`\n\"]+)`");
  for (const auto* folder : {"src", "include", "conf"})
    for (const auto& each : fs::recursive_directory_iterator(kRoot / folder))
      if (each.is_regular_file())
        for (const auto& line : found(content(each.path()), in_message))
          check_line(line, each.path().filename().string(), used);
}

TEST(NamedCommands, HaveAPageThatNamesEachOption) {
  std::string all;
  for (const auto& page : pages()) all += content(page);
  std::set<std::string> named;
  static const std::regex any("(?:^|[^\\w-])(--[a-z-]+)");
  for (auto& option : found(all, any)) named.insert(std::move(option));
  for (const auto& [command, options] : commands())
    for (const auto& option : options)
      EXPECT_TRUE(!option.starts_with("--") || named.contains(option)) << command << ' ' << option << " is in no page";
}

/// The schemas of `key` in an object of `schema`, or in the objects that its lists and maps hold.
void add_below(const Json& root, const Json* schema, const std::string& key, std::vector<const Json*>& out) {
  while (schema->contains("$ref"))
    schema = &root.at(Json::json_pointer((*schema)["$ref"].get<std::string>().substr(1)));
  if (const auto keys = schema->find("properties"); keys != schema->end() && keys->contains(key))
    out.push_back(&keys->at(key));
  for (const auto* each : {"items", "additionalProperties"})
    if (schema->contains(each) && schema->at(each).is_object()) add_below(root, &schema->at(each), key, out);
  for (const auto* choice : {"anyOf", "oneOf", "allOf"})
    if (schema->contains(choice))
      for (const auto& each : schema->at(choice)) add_below(root, &each, key, out);
}

/// `admin.listen` is a key of the configuration, or a bound of `headgate bounds`.
TEST(NamedKeys, AreInTheSchema) {
  const auto schema = Json::parse(content(kRoot / "conf/headgate.schema.json"));
  const auto bounds = content(kRoot / "src/server/watch/gateway_bounds.cpp");
  static const std::regex dotted("`([a-z_]+(?:\\[\\])?(?:\\.[a-z_]+(?:\\[\\])?)+)`(?!\\]\\(#)");
  static const std::regex file(".*\\.(md|json|js|css|pem|lua|cpp|txt|log|html|key)");
  int keys = 0;
  for (const auto& page : pages()) {
    for (auto name : found(content(page), dotted)) {
      for (auto at = name.find("[]"); at != std::string::npos; at = name.find("[]")) name.erase(at, 2);
      if (std::regex_match(name, file)) continue;
      std::vector<const Json*> at{&schema};
      std::istringstream parts(name);
      bool first = true;
      for (std::string part; std::getline(parts, part, '.'); first = false) {
        std::vector<const Json*> below;
        for (const auto* each : at) add_below(schema, each, part, below);
        at = std::move(below);
        if (first && at.empty()) break;  // a claim or a name of another program
      }
      if (first) continue;
      ++keys;
      EXPECT_TRUE(!at.empty() || bounds.find('"' + name + '"') != std::string::npos)
          << page.filename().string() << ": there is no key " << name;
    }
  }
  EXPECT_GT(keys, 100) << "the test has lost sight of the keys";
}

}  // namespace
}  // namespace headgate::test
