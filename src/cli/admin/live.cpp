#include "live.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"

#include "headgate/core/literals.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace headgate::cli {
namespace {

constexpr auto kShortestPause = std::chrono::milliseconds(100);
/// Moves to the first line and clears the screen from there.
constexpr const char* kHome = "\x1b[H\x1b[J";

}  // namespace

void offer_live(CLI::App& command, LiveOptions& options) {
  auto* every = command.add_option("--every", options.every,
                                   "Repeat at this interval, as in 2s (default on a terminal: 1s; otherwise once)");
  command.add_flag("--once", options.once, "Print once, even on a terminal")->excludes(every);
}

int show_live(const LiveOptions& options, bool json,
              const std::function<Result<std::string, CommandFailure>()>& picture) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  Duration every = terminal ? Duration(std::chrono::seconds(1)) : Duration(0);
  if (!options.every.empty()) {
    const auto read = parse_duration(options.every);
    if (read.has_error() || *read < kShortestPause)
      return complain(CommandFailure{kWrongCommandLine, "--every is a duration of 100ms or more, as in 1s"});
    every = *read;
  }
  const bool again = !options.once && every > Duration(0);
  const bool in_place = again && terminal && !json;
  while (true) {
    const auto shown = picture();
    if (shown.has_error()) return complain(shown.error());
    std::fputs(((in_place ? kHome : "") + *shown).c_str(), stdout);
    if (!flush_output()) return kFailed;
    if (!again) return kWell;
    std::this_thread::sleep_for(every);
    if (!in_place && !json) std::puts("");
  }
}

}  // namespace headgate::cli
