#pragma once
// The path to an upstream with retries.

#include "../../../../src/gateway/servers/retry.hpp"
#include "unit/gateway/path/path.hpp"

#include <string>

namespace headgate::gateway::test {

/// The first attempt has the script `server`, the others those after it.
class PathRetry : public Path {
 protected:
  /// Another script, for the next attempt.
  ServerScript& then() { return app->scripts.emplace_back(); }
  /// Time for the longest pauses of a few retries.
  void pause() { clock.advance(4 * kLongestBackOff); }
  std::string retried(const std::string& reason) const {
    return metric("headgate_upstream_retries_total{upstream=\"app\",reason=\"" + reason + "\"}");
  }
  std::string exhausted() const { return metric("headgate_retry_budget_exhausted_total{upstream=\"app\"}"); }

  static Failure closed() { return {Failed::closed, error::eof, false, ""}; }
  static Failure refused() { return {Failed::no_connection, error::connection_refused, false, "", "10.0.0.1:80"}; }
  static Piece at_once(std::string bytes) { return {std::move(bytes), Duration(0), {}}; }
};

}  // namespace headgate::gateway::test
