#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <vector>

namespace headgate::cli {
namespace {

/// Returns the code point at `at`, and moves `at` past it.
unsigned next_code_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  unsigned out = more == 0 ? first : first & (0x3fU >> static_cast<unsigned>(more));
  for (int i = 0; i < more && at < text.size(); ++i) out = out << 6U | (static_cast<unsigned char>(text[at++]) & 0x3fU);
  return out;
}

/// Escapes `text` for roff.
std::string in_roff(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins_line = out.empty() || out.back() == '\n';
    const auto point = next_code_point(text, at);
    if (begins_line && (point == '.' || point == '\'')) out += "\\&";
    if (point == '\\')
      out += "\\e";
    else if (point == '-')
      out += "\\-";
    else if (point < 0x80)
      out += static_cast<char>(point);
    else {
      char name[16];
      std::snprintf(name, sizeof name, "\\[u%04X]", point);
      out += name;
    }
  }
  return out;
}

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

void add_item(std::string& out, std::string_view name, std::string_view about) {
  out.append(".TP\n\\fB").append(in_roff(name)).append("\\fR\n").append(in_roff(about)).append("\n");
}

/// Returns the usage line of the command, as in its help.
std::string usage_of(const CLI::App& app, const std::string& path) {
  auto out = CLI::Formatter().make_usage(&app, path);
  if (const auto found = out.find(path); found != std::string::npos) out.erase(0, found);
  return out.substr(0, out.find('\n'));
}

void add_options(std::string& out, const CLI::App& app) {
  const CLI::Formatter format;
  for (const bool positional : {true, false}) {
    for (const auto* option : app.get_options({})) {
      if (option->get_positional() ? option->nonpositional() == positional : positional) continue;
      add_item(out, format.make_option_name(option, positional) + format.make_option_opts(option),
               format.make_option_desc(option));
    }
  }
}

/// Adds the subcommands of `app`, each with its options.
void add_commands(std::string& out, const CLI::App& app, const std::string& path) {
  for (const auto* each : app.get_subcommands({})) {
    const auto name = path + ' ' + each->get_name();
    out.append(".SS ").append(in_roff(usage_of(*each, name))).append("\n");
    out.append(in_roff(each->get_description())).append(".\n");
    add_options(out, *each);
    add_commands(out, *each, name);
  }
}

std::string page_name(const CLI::App& app, const CLI::App& command) {
  return &app == &command ? app.get_name() : app.get_name() + '-' + command.get_name();
}

void add_list_of_pages(std::string& out, const CLI::App& app) {
  out += ".SH COMMANDS\nEach has a page of its own.\n";
  for (const auto* each : app.get_subcommands({}))
    add_item(out, page_name(app, *each) + "(1)", each->get_description() + '.');
}

void add_what_all_have(std::string& out) {
  out += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : {std::pair(kWell, "Done."), std::pair(kFailed, "It failed; stderr says why."),
                                      std::pair(kWrongCommandLine, "The command line is wrong."),
                                      std::pair(kBadConfiguration, "The configuration has mistakes."),
                                      std::pair(kUnreachable, "The running gateway could not be reached."),
                                      std::pair(kDoesNotHold, "An assertion or a policy test does not hold.")})
    add_item(out, std::to_string(code), meaning);
  out += ".SH ENVIRONMENT\n";
  add_item(out, "HEADGATE_CONFIG", "The configuration, where no other is named.");
  add_item(out, "HEADGATE_ADMIN", "The admin interface of the running gateway.");
  add_item(out, "HEADGATE_ADMIN_TOKEN", "Its token.");
}

void add_signals(std::string& out) {
  out += ".SH SIGNALS\n";
  add_item(out, "SIGHUP", "Read the configuration again. A file with mistakes changes nothing.");
  add_item(out, "SIGUSR1", "Close the logs and open them again by their names.");
  add_item(out, "SIGUSR2", "Replace the process by its program file, without a lost connection.");
  add_item(out, "SIGTERM, SIGINT", "Finish what is in flight, then end. The second one ends at once.");
}

std::string page_of(const CLI::App& app, const CLI::App& command) {
  const bool whole = &app == &command;
  const auto name = page_name(app, command);
  const auto path = whole ? app.get_name() : app.get_name() + ' ' + command.get_name();
  auto about = command.get_description();
  if (whole) about.erase(0, about.find(": ") + 2);
  // The page has no date, so that a program of one version always writes the same page.
  auto out = ".TH " + in_roff(in_capitals(name)) + " 1 \"\" \"" + version_text() + "\" \"User Commands\"\n";
  out.append(".SH NAME\n").append(in_roff(name)).append(" \\- ").append(in_roff(about)).append("\n");
  out.append(".SH SYNOPSIS\n\\fB").append(in_roff(usage_of(command, path))).append("\\fR\n");
  out += ".SH OPTIONS\n";
  add_options(out, command);
  if (whole)
    add_list_of_pages(out, app);
  else if (!command.get_subcommands({}).empty())
    out += ".SH SUBCOMMANDS\n";
  if (!whole) add_commands(out, command, path);
  if (command.get_name() == "run") add_signals(out);
  add_what_all_have(out);
  if (!whole) out += ".SH SEE ALSO\n.BR " + app.get_name() + " (1)\n";
  return out;
}

std::vector<const CLI::App*> all_pages(const CLI::App& app) {
  std::vector<const CLI::App*> out{&app};
  for (const auto* each : app.get_subcommands({})) out.push_back(each);
  return out;
}

/// Writes each page to a file with its name.
int write_pages(const CLI::App& app, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  for (const auto* command : all_pages(app)) {
    const auto place = folder / (page_name(app, *command) + ".1");
    std::ofstream file(place, std::ios::binary);
    if (!(file << page_of(app, *command)).flush()) {
      std::fprintf(stderr, "headgate: cannot write %s\n", place.c_str());
      return kFailed;
    }
  }
  return kWell;
}

int print_page(const CLI::App& app, const std::string& name) {
  for (const auto* command : all_pages(app)) {
    if (command != &app && command->get_name() != name) continue;
    if (command == &app && !name.empty()) continue;
    std::fputs(page_of(app, *command).c_str(), stdout);
    return kWell;
  }
  std::fprintf(stderr, "headgate: there is no command \"%s\"; see headgate --help\n", name.c_str());
  return kWrongCommandLine;
}

}  // namespace

void offer_manual(CLI::App& app, int& result) {
  struct Options {
    std::string command;
    std::string folder;
  };
  const auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("man", "A manual page, made of what --help says: headgate man run | man -l -");
  auto* name = command->add_option("command", options->command, "The command (default: the page of all commands)");
  command->add_option("--to", options->folder, "Write every page into this directory instead")->excludes(name);
  command->callback([options, &app, &result] {
    result = options->folder.empty() ? print_page(app, options->command) : write_pages(app, options->folder);
  });
}

}  // namespace headgate::cli
