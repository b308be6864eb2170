#pragma once
// The view that the admin interface has of a candidate, and the calls that act on it.

#include "headgate/admin/reload_result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/observe/heavy_keys.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headgate::config {
struct Config;
}

namespace headgate::admin {

/// Facts about the candidate.
struct CandidateFacts {
  bool by_file = false;  ///< True if the active file names the candidate; false if an operator set it.
  std::string file;      ///< Path of the candidate's file; empty if the candidate was sent in a call.
  std::string sha256;
  Instant since{};  ///< Start of the comparison.
  std::size_t routes = 0;
  std::size_t limits = 0;
  std::size_t keys = 0;      ///< Number of counters in memory.
  std::size_t max_keys = 0;  ///< Upper bound of `keys`.
  /// Notes on parts of the candidate's file that have no effect for a candidate; sentences without their full stops.
  std::vector<std::string> notes{};
};

/// Decisions of both policies on the same requests.
struct CandidateDiff {
  CandidateFacts candidate;
  std::map<std::string, std::uint64_t> totals;     ///< Number of compared requests by result.
  std::map<std::string, std::uint64_t> undecided;  ///< Number of undecided requests by reason.
  struct Row {
    std::string limit;
    std::string tier;
    std::map<std::string, std::uint64_t> by;  ///< Number of compared requests by result.
  };
  std::vector<Row> rows;
  struct Keys {
    std::string limit;
    observe::HeavyList hit;
    observe::HeavyList freed;
  };
  std::vector<Keys> keys;
};

/// Returns which of the keys "listen" and "admin" have different values in `live` and `candidate`. Promoting a
/// candidate that differs in them would close addresses and open others.
std::vector<std::string> other_listeners(const config::Config& live, const config::Config& candidate);

/// Functions that the admin thread calls. Each works on other threads, and calls `tell` at the end on one of them. If
/// this gateway is ending, a function returns false, or never calls `tell`.
struct CandidateCalls {
  using Tell = std::function<void(const ReloadResult& result)>;
  /// Sets the candidate. `body` is a configuration, or {"file": …}. Messages refer to the configuration as `name`.
  std::function<bool(std::string body, std::string name, Tell tell)> set;
  std::function<bool(std::function<void(bool there_was)> tell)> drop;
  /// Promotes the candidate; `tell` gets an empty value if there is none.
  std::function<bool(std::function<void(const std::optional<ReloadResult>&)> tell)> promote;
  /// Compares; `tell` gets an empty value if there is no candidate.
  std::function<bool(std::function<void(const std::optional<CandidateDiff>&)> tell)> ask;
};

}  // namespace headgate::admin
