#pragma once
// What the admin interface shows of a candidate, and does with it.

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

/// What decides beside the active configuration.
struct CandidateFacts {
  bool by_file = false;  ///< the active file names it; else an operator set it
  std::string file;      ///< empty: it was sent
  std::string sha256;
  Instant since{};  ///< what is compared, since then
  std::size_t routes = 0;
  std::size_t limits = 0;
  std::size_t keys = 0;              ///< counters in memory
  std::size_t max_keys = 0;          ///< the bound of these
  std::vector<std::string> notes{};  ///< what is decided otherwise than its file says, sentences without their dots
};

/// What both policies made of the same requests.
struct CandidateDiff {
  CandidateFacts candidate;
  std::map<std::string, std::uint64_t> totals;     ///< by result
  std::map<std::string, std::uint64_t> undecided;  ///< by reason
  struct Row {
    std::string limit;
    std::string tier;
    std::map<std::string, std::uint64_t> by;  ///< by result
  };
  std::vector<Row> rows;
  struct Keys {
    std::string limit;
    observe::HeavyList hit;
    observe::HeavyList freed;
  };
  std::vector<Keys> keys;
};

/// The keys of a file that say where this gateway listens, "listen" and "admin", that `candidate` has otherwise than
/// `live`: promoting it would close addresses and open others.
std::vector<std::string> other_listeners(const config::Config& live, const config::Config& candidate);

/// Each is called on the admin thread, does its work on others, and calls `tell` at last, on any. False, or `tell`
/// dropped: this gateway ends.
struct CandidateCalls {
  using Tell = std::function<void(const ReloadResult& result)>;
  /// A configuration, which messages call `name`; or {"file": …}.
  std::function<bool(std::string body, std::string name, Tell tell)> set;
  std::function<bool(std::function<void(bool there_was)> tell)> drop;
  std::function<bool(std::function<void(const std::optional<ReloadResult>&)> tell)> promote;  ///< nothing: none is set
  std::function<bool(std::function<void(const std::optional<CandidateDiff>&)> tell)> ask;     ///< the same
};

}  // namespace headgate::admin
