#pragma once
// How far a long command has come, on a line of the terminal that stderr is.

#include "headgate/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace headgate::cli {

/// Shows nothing if stderr is no terminal, and nothing in the first half second. One thread.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// A new part of the work begins: "run 3". Empty: there is only one.
  void begin(std::string part);
  /// So much of `all` is done; 0: nobody knows how much there is. `requests` are those of this part.
  void show(std::uint64_t done, std::uint64_t all, std::uint64_t requests);
  /// Removes the line, so that something else can be printed.
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  std::string part_;
  SteadyClock::time_point began_;
  SteadyClock::time_point due_;  ///< when it is shown next
};

/// The line, at most 79 columns wide: a bar, the rate, and the time that is left.
std::string progress_line(const std::string& part, double seconds, std::uint64_t done, std::uint64_t all,
                          std::uint64_t requests);

}  // namespace headgate::cli
