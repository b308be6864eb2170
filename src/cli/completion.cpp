#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

namespace headgate::cli {
namespace {

/// A command with everything that may follow it.
struct Place {
  std::string path;  ///< "keys new"; empty for headgate itself
  const CLI::App* app = nullptr;
};

void collect_places(const CLI::App& app, const std::string& path, std::vector<Place>& out) {
  out.push_back({path, &app});
  for (const auto* each : app.get_subcommands({}))
    collect_places(*each, (path.empty() ? "" : path + ' ') + each->get_name(), out);
}

std::vector<Place> places_of(const CLI::App& app) {
  std::vector<Place> out;
  collect_places(app, "", out);
  return out;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> out;
  for (const auto* option : app.get_options({}))
    for (const auto& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

std::string in_bash(const CLI::App& app) {
  std::string steps;
  std::string words;
  for (const auto& place : places_of(app)) {
    if (!place.path.empty()) steps += "      '" + place.path + "') at='" + place.path + "' ;;\n";
    words += "    '" + place.path + "') words='";
    for (const auto* each : place.app->get_subcommands({})) words += each->get_name() + ' ';
    for (const auto& option : options_of(*place.app)) words += option + ' ';
    words.back() = '\'';
    words += " ;;\n";
  }
  return "_headgate() {\n"
         "  local at='' words='' i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \"${at:+$at }${COMP_WORDS[i]}\" in\n" +
         steps +
         "    esac\n"
         "  done\n"
         "  case \"$at\" in\n" +
         words +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "}\n"
         "complete -o default -F _headgate headgate\n";
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + '\'';
}

// Returns the script for fish. Compares the whole path of a command, because a command may have the same name as a
// subcommand of another.
std::string in_fish(const CLI::App& app) {
  const auto places = places_of(app);
  std::string paths;
  for (const auto& place : places)
    if (!place.path.empty()) paths.append(" '").append(place.path).append("'");
  std::string out =
      "function __headgate_at\n"
      "  set -l at\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    set -l next (string join ' ' -- $at $word)\n"
      "    if contains -- \"$next\"" +
      paths +
      "\n"
      "      set at $at $word\n"
      "    end\n"
      "  end\n"
      "  set -l here (string join ' ' -- $at)\n"
      "  test \"$here\" = \"$argv[1]\"\n"
      "end\n";
  for (const auto& place : places) {
    const auto when = "__headgate_at \"" + place.path + '"';
    const auto line = [&](std::string_view kind, std::string_view word, const std::string& about) {
      for (const std::string_view part :
           {std::string_view("complete -c headgate -n '"), std::string_view(when), std::string_view("' "), kind, word,
            std::string_view(" -d "), std::string_view(about), std::string_view("\n")})
        out += part;
    };
    for (const auto* each : place.app->get_subcommands({}))
      line("-f -a ", each->get_name(), in_quotes(each->get_description()));
    for (const auto* option : place.app->get_options({}))
      for (const auto& word : option->get_lnames()) line("-l ", word, in_quotes(option->get_description()));
  }
  return out;
}

/// Returns the script that makes `shell` (bash, zsh or fish) complete the commands and options of `app`.
std::string completion(const CLI::App& app, const std::string& shell) {
  if (shell == "fish") return in_fish(app);
  const auto bash = in_bash(app);
  return shell == "zsh" ? "#compdef headgate\nautoload -Uz bashcompinit && bashcompinit\n" + bash : bash;
}

}  // namespace

void offer_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  auto* command = app.add_subcommand("completion", "Print a script that completes commands and options in your shell");
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &app] { std::fputs(completion(app, *shell).c_str(), stdout); });
}

}  // namespace headgate::cli
