#pragma once
// Commands whose output is refreshed: in place on a terminal, and by default only once in a pipe.

#include "admin_client.hpp"

#include <functional>
#include <string>

namespace headgate::cli {

struct LiveOptions {
  std::string every;  ///< interval; if empty, each second on a terminal, otherwise only once
  bool once = false;
};
/// Adds --every and --once. `options` must outlive the parsing.
void offer_live(CLI::App& command, LiveOptions& options);

/// Prints the result of `picture` as often as the options say, and never in place if `json`. Returns the exit code.
int show_live(const LiveOptions& options, bool json,
              const std::function<Result<std::string, CommandFailure>()>& picture);

}  // namespace headgate::cli
