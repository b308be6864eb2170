#pragma once
// Shows the progress of a long command on one line of the terminal.

#include "headgate/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace headgate::cli {

/// The progress line. Not shown if stderr is no terminal, nor in the first half second. One thread.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// Begins a part of the work, such as "run 3". `part` is empty if there is only one part.
  void begin(std::string part);
  /// Shows that `done` of `all` is done. `all` is 0 if the total is unknown. `requests` is the number of requests so
  /// far in this part of the work.
  void show(std::uint64_t done, std::uint64_t all, std::uint64_t requests);
  /// Removes the line, so that something else can be printed.
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  std::string part_;
  SteadyClock::time_point began_;
  SteadyClock::time_point due_;  ///< time of the next update
};

/// Returns the line, at most 79 columns wide: a bar, the rate and the remaining time.
std::string progress_line(const std::string& part, double seconds, std::uint64_t done, std::uint64_t all,
                          std::uint64_t requests);

}  // namespace headgate::cli
