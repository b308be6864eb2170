#pragma once
// Commands that show a picture again and again: on a terminal in place, in a pipe once unless told otherwise.

#include "admin_client.hpp"

#include <functional>
#include <string>

namespace headgate::cli {

struct LiveOptions {
  std::string every;  ///< empty: a second on a terminal, else once
  bool once = false;
};
/// Adds --every and --once. `options` must outlive the parsing.
void offer_live(CLI::App& command, LiveOptions& options);

/// Prints what `picture` returns, as often as the options say; with `json` never in place. Returns the exit code.
int show_live(const LiveOptions& options, bool json,
              const std::function<Result<std::string, CommandFailure>()>& picture);

}  // namespace headgate::cli
