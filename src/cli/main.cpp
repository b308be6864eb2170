#include "headgate/cli/main.hpp"

#include "commands.hpp"
#include "keys/key_groups.hpp"
#include "output.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/observe/logs.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

namespace headgate::cli {
namespace {

/// Returns the first word that is no command, in a place where a command must be; null if all such words are valid.
const char* unknown_command(const CLI::App& app, int count, char** words, std::vector<std::string>& known) {
  const auto* at = &app;
  for (int i = 1; i < count && words[i][0] != '-'; ++i) {
    known.clear();
    const CLI::App* next = nullptr;
    for (const auto* command : at->get_subcommands({})) {
      known.push_back(command->get_name());
      if (known.back() == words[i]) next = command;
    }
    if (next == nullptr) return known.empty() ? nullptr : words[i];
    at = next;
  }
  return nullptr;
}

/// Returns the command that the first words name, and these words, each followed by a space.
std::pair<const CLI::App*, std::string> command_of(const CLI::App& app, int count, char** words) {
  std::pair<const CLI::App*, std::string> out(&app, "");
  for (int i = 1; i < count; ++i) {
    const auto below = out.first->get_subcommands({});
    const auto next =
        std::find_if(below.begin(), below.end(), [&](const auto* each) { return each->get_name() == words[i]; });
    if (next == below.end()) break;
    out.first = *next;
    out.second.append(words[i]).append(" ");
  }
  return out;
}

/// Reports an option that the command does not have; returns false if there is none.
bool complain_of_option(const CLI::App& app, int count, char** words) {
  const auto left = app.remaining(true);
  const auto found = std::find_if(left.begin(), left.end(),
                                  [](const std::string& word) { return word.size() > 1 && word.front() == '-'; });
  if (found == left.end() || *found == "--") return false;
  const auto [command, path] = command_of(app, count, words);
  std::vector<std::string> known;
  for (const auto* option : command->get_options())
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  const auto word = found->substr(0, found->find('='));
  const auto near = nearest(word, known);
  const auto help = near.empty() ? "see headgate " + path + "--help" : "did you mean \"" + near + "\"?";
  std::fprintf(stderr, "headgate: unknown option \"%s\"; %s\n", word.c_str(), help.c_str());
  return true;
}

/// Prints an error; for an unknown command it suggests the nearest one, even if help was asked for.
int complain(const CLI::App& app, const CLI::ParseError& error, int count, char** words) {
  std::vector<std::string> known;
  if (const auto* const word = unknown_command(app, count, words, known)) {
    const auto near = nearest(word, known);
    std::fprintf(stderr, "headgate: unknown command \"%s\"%s\n", word,
                 near.empty() ? "; see headgate --help" : ("; did you mean \"" + near + "\"?").c_str());
    return kWrongCommandLine;
  }
  if (error.get_exit_code() == 0) return app.exit(error);  // --help was given
  if (complain_of_option(app, count, words)) return kWrongCommandLine;
  std::fprintf(stderr, "headgate: %s\n  help: headgate %s--help\n", error.what(),
               count > 1 && words[1][0] != '-' ? (std::string(words[1]) + " ").c_str() : "");
  return kWrongCommandLine;
}

struct KeysOptions {
  KeysNewOptions make;
  KeysCheckOptions check;
};

void offer_keys(CLI::App& app, KeysOptions& options, int& result) {
  auto* keys = app.add_subcommand("keys", "Manage API keys in a file or through a running gateway");
  keys->require_subcommand(1);

  auto* make = keys->add_subcommand("new", "Make a key, which is shown once, and its record for a key file");
  auto* owner = make->add_option("--owner", options.make.owner, "The owner's name: the key's requests count for it");
  make->add_option("--tier", options.make.tier, "The key's tier in limits that have tiers");
  offer_groups(*make, options.make.groups);
  make->add_option("--expires", options.make.expires,
                   "The last day (in UTC) on which the key is valid, as in 2027-01-31, or a time of RFC 3339");
  make->add_option("--prefix", options.make.prefix, "Prefix of the key, for secret scanners")->capture_default_str();
  make->add_option("--file", options.make.file, "The key file to add it to; created if it does not exist")
      ->needs(owner);
  make->callback([&] { result = keys_new(options.make); });

  auto* hash = keys->add_subcommand("hash", "Print the SHA-256 of the key on stdin, as a key file has it");
  hash->callback([&] { result = keys_hash(); });

  auto* check = keys->add_subcommand("check", "Check a key file, and count its keys");
  check->add_option("file", options.check.file, "The key file")->required();
  check->add_option("--key", options.check.key,
                    "With -, print the owner of the key on stdin, and whether the key is valid");
  check->callback([&] { result = keys_check(options.check); });
  offer_key_calls(*keys, result);
}

/// Adds headgate help [COMMAND...].
void offer_help(CLI::App& app, int& result) {
  const auto wanted = std::make_shared<std::vector<std::string>>();
  auto* help = app.add_subcommand("help", "Show what a command does");
  help->add_option("command", *wanted, "The command, as in: keys new, servers drain …");
  help->callback([&app, &result, wanted] {
    std::string program = "headgate";
    std::vector<char*> words{program.data()};
    for (auto& word : *wanted) words.push_back(word.data());
    const auto count = static_cast<int>(words.size());
    std::vector<std::string> known;
    if (unknown_command(app, count, words.data(), known) != nullptr) {
      result = complain(app, CLI::CallForHelp(), count, words.data());
      return;
    }
    const CLI::App* at = &app;
    std::string above;
    for (const auto& word : *wanted) {
      if (at->get_subcommands({}).empty()) break;
      above += (above.empty() ? "" : " ") + at->get_name();
      at = at->get_subcommand(word);
    }
    // help() of the whole program would return the help of the command that runs, which is this one.
    const auto whole = [&] { return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal); };
    std::fputs((above.empty() ? whole() : at->help(above)).c_str(), stdout);
  });
}

/// Adds all commands, and runs the one that the words name.
int do_command(int count, char** words) {
  CLI::App app("headgate: an HTTP reverse proxy that keeps each caller to its share", "headgate");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text());
  int result = kWell;

  RunOptions run_options;
  auto* run_command = app.add_subcommand("run", "Run the gateway with a configuration file, in the foreground");
  run_command->add_option(
      "-c,--config", run_options.file,
      "The configuration (default: $HEADGATE_CONFIG, conf/headgate.json, /etc/headgate/headgate.json)");
  run_command->add_flag("--watch", run_options.watch, "Reload whenever the file changes, as SIGHUP does");
  run_command->callback([&] { result = run(run_options); });

  ProxyOptions proxy_options;
  auto* proxy_command = app.add_subcommand("proxy", "Run the gateway without a file: one upstream and one limit");
  proxy_command->add_option("--to", proxy_options.to, "Where requests go: http://HOST:PORT or https://HOST:PORT")
      ->required();
  proxy_command->add_option("--limit", proxy_options.limit, "How much each caller may request: 5/second, 100/minute …");
  proxy_command->add_option("--per", proxy_options.per, "Who is one caller: client_ip, api_key, header:NAME, total …")
      ->capture_default_str();
  proxy_command->add_option("--listen", proxy_options.listen, "Where clients connect")->capture_default_str();
  proxy_command->add_option("--admin", proxy_options.admin,
                            "Address of metrics and health checks, or off (default: 127.0.0.1:9900, else a free port)");
  proxy_command->callback([&] { result = proxy(proxy_options); });

  EchoOptions echo_options;
  auto* echo_command = app.add_subcommand("echo", "A small upstream for tests");
  echo_command->add_option("--listen", echo_options.listen, "Where to listen")->capture_default_str();
  echo_command->add_option("--delay", echo_options.delay, "Delay before each answer: 20ms, 1s … (in steps of 50 ms)");
  echo_command->add_option("--status", echo_options.status, "Status of each answer")
      ->capture_default_str()
      ->check(CLI::Range(200, 599));
  echo_command
      ->add_option("--bytes", echo_options.bytes, "Size of each body in bytes; with 0 the body describes the request")
      ->capture_default_str();
  echo_command->add_option("--fails", echo_options.fails,
                           "Answer 503 for a part of the time: with 8s/45s in the last 8 s of each 45 s");
  echo_command->add_option("--workers", echo_options.workers, "Number of threads; with 0 one per core")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  echo_command->callback([&] { result = echo(echo_options); });

  CheckOptions check_options;
  auto* check_command = app.add_subcommand("check", "Find every mistake in a configuration, or say what it means");
  check_command->add_option("-c,--config,file", check_options.file, "The configuration (default as for run)");
  check_command->add_option("--format", check_options.format, "text or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "json"}));
  check_command->add_flag("--strict", check_options.strict, "Warnings and advice count as errors");
  check_command->callback([&] { result = check(check_options); });

  FmtOptions fmt_options;
  auto* fmt_command = app.add_subcommand("fmt", "Format a configuration or a policy test; comments are kept");
  fmt_command->add_option("-c,--config,file", fmt_options.files,
                          "The files, or - for stdin (default: the configuration, as for run)");
  auto* fmt_write = fmt_command->add_flag("--write", fmt_options.write,
                                          "Replace the files, and print the names of those that change");
  fmt_command
      ->add_flag("--check", fmt_options.check,
                 "Only print the names of files that would change; exit code 1 if there are any")
      ->excludes(fmt_write);
  fmt_command->callback([&] { result = fmt(fmt_options); });

  InitOptions init_options;
  auto* init_command = app.add_subcommand("init", "Write a configuration to start from");
  init_command->add_option("folder", init_options.folder, "The directory to write to")->capture_default_str();
  auto* with_tls =
      init_command->add_flag("--tls", init_options.tls, "Also write a self-signed certificate and its key, for trials");
  init_command
      ->add_option("--name", init_options.names,
                   "Another name or address in the certificate, besides localhost, 127.0.0.1 and ::1; repeatable")
      ->needs(with_tls);
  init_command->add_option("--days", init_options.days, "Days until the certificate expires")
      ->needs(with_tls)
      ->capture_default_str()
      ->check(CLI::Range(1, 3650));
  init_command
      ->add_option("--kind", init_options.kind,
                   "The configuration to start from, with its policy test: minimal, saas or cluster")
      ->check(CLI::IsMember({"minimal", "saas", "cluster"}));
  init_command->add_option("--to", init_options.servers, "Where requests go: http://HOST:PORT; repeatable")
      ->allow_extra_args(false);
  init_command->add_option("--callers", init_options.callers, "Who calls: anyone, keys or tokens")
      ->check(CLI::IsMember({"anyone", "keys", "tokens"}));
  init_command->add_option("--limit", init_options.rate, "How much each caller may request: 100/minute …");
  init_command
      ->add_option("--gateways", init_options.gateways,
                   "Number of gateways that share the limits; more than one share them in Redis")
      ->check(CLI::Range(1, 1000));
  init_command->callback([&] { result = init(init_options); });

  KeysOptions keys_options;
  offer_keys(app, keys_options, result);

  offer_explain(app, result);
  offer_test(app, result);
  offer_import(app, result);
  offer_prices(app, result);
  offer_simulate(app, result);
  offer_load(app, result);

  bool schema_of_tests = false;
  auto* schema_command = app.add_subcommand("schema", "Print the JSON Schema of the configuration, for editors");
  schema_command->add_flag("--tests", schema_of_tests, "Print the schema of policy test files instead");
  schema_command->callback([&] { result = schema(schema_of_tests); });

  bool version_json = false;
  auto* version_command = app.add_subcommand("version", "Print the version of this program");
  version_command->add_flag("--json", version_json, "Print the result as JSON");
  version_command->callback([&] { result = version(version_json); });

  HealthcheckOptions health_options;
  auto* health_command =
      app.add_subcommand("healthcheck", "Send one HTTP request, for health checks of containers; exit code 0 or 1");
  health_command->add_option("url", health_options.url,
                             "The URL to request (default: /healthz at $HEADGATE_ADMIN, http://127.0.0.1:9900, which "
                             "is no request to a server)");
  health_command->callback([&] { result = healthcheck(health_options); });

  offer_admin_commands(app, result);
  offer_top(app, result);
  offer_events(app, result);
  offer_traffic(app, result);
  offer_usage_report(app, result);
  offer_usage_history(app, result);
  offer_help(app, result);
  offer_completion(app);
  offer_manual(app, result);

  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return complain(app, error, count, words);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "headgate: %s\n", failure.what());
    return kFailed;
  }
  return result;
}

}  // namespace

int main(int count, char** words) {
  observe::events_to_stderr();
  const int result = do_command(count, words);
  return flush_output() || result != kWell ? result : kFailed;
}

}  // namespace headgate::cli
