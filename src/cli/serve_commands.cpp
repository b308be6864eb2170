// Implements headgate run and headgate proxy: the gateway with a file, or with options alone.

#include "commands.hpp"
#include "config_file.hpp"
#include "one_limit.hpp"

#include "headgate/server/serve_gateway.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <utility>

namespace headgate::cli {
namespace {

int serve(const config::Config& config, const config::ReadAgain& read_again,
          const std::vector<std::string>& watched = {}) {
  try {
    return server::serve_gateway(config, read_again, watched);
  } catch (const std::exception& failure) {
    if (!server::tell_replaced(std::string("cannot start: ") + failure.what()))
      std::fprintf(stderr, "headgate: cannot start: %s\n", failure.what());
    return kFailed;
  }
}

/// Loads the file to serve it. A process that replaces another one reports mistakes to that process rather than to
/// stderr. If it cannot report them and does not serve, it prints them to stderr.
LoadedFile load_to_serve(const std::string& file) {
  if (!server::replaces_another()) return load_file(file);
  auto read = load_again(file);
  if (!server::tell_replaced(read.mistakes, read.file) && !read.config) return load_file(file);
  return {std::move(read.config), kBadConfiguration, std::move(read.watched)};
}

/// Returns the options of `proxy` as a configuration file.
std::string as_file(const ProxyOptions& options) {
  std::string file =
      "{\n  \"listen\": " + quoted(options.listen) + ",\n  \"upstreams\": { \"app\": " + quoted(options.to) + " },\n";
  if (!options.limit.empty()) file += limit_member(options.limit, options.per);
  if (options.admin == "off") file += "  \"admin\": \"off\",\n";
  if (!options.admin.empty() && options.admin != "off")
    file += "  \"admin\": { \"listen\": " + quoted(options.admin) + " },\n";
  file += "  \"routes\": [ { \"path\": \"/*\", \"to\": \"app\"";
  if (!options.limit.empty()) file += ", \"limits\": [\"default\"]";
  return file + " } ]\n}\n";
}

}  // namespace

int run(const RunOptions& options) {
  server::take_over_hashes();  // must come first, because reading a configuration computes hashes
  const auto outcome = load_to_serve(options.file);
  if (!outcome.config) return outcome.exit_code;
  return serve(
      *outcome.config, [&] { return load_again(options.file); },
      options.watch ? outcome.watched : std::vector<std::string>());
}

int proxy(const ProxyOptions& options) {
  server::take_over_hashes();
  const auto source = as_file(options);
  auto loaded = config::load(source);
  if (loaded.config) {
    // Several proxies may run at the same time, but only one of them can have the default port.
    if (options.admin.empty()) loaded.config->admin->if_taken = config::Admin::IfTaken::another_port;
    return serve(*loaded.config, [] {
      config::ReadConfig none;
      none.mistakes.emplace_back().message = "there is no file to read again";
      return none;
    });
  }
  tell_mistakes(loaded);
  return kWrongCommandLine;
}

}  // namespace headgate::cli
