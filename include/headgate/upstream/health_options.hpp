#pragma once
// The options of the health checks of an upstream; config fills them.

#include "headgate/balance/health.hpp"
#include "headgate/core/time.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace headgate::upstream {

/// A range of statuses from `least` to `most`, both included.
struct StatusRange {
  unsigned least = 200;
  unsigned most = 299;
  bool operator==(const StatusRange&) const = default;
};

/// The health checks of one upstream.
struct HealthOptions {
  std::string path{};  ///< path and query of the GET; if empty, a check only connects, with the TLS handshake
  std::string host{};  ///< value of the Host field; empty to send the same value as requests do
  std::vector<StatusRange> expect{{}};       ///< statuses that pass; not empty
  Duration every = std::chrono::seconds(5);  ///< approximate time from the start of one check to the start of the next
  Duration timeout = std::chrono::seconds(1);  ///< time limit of one check, including resolving the name
  balance::HealthRule rule{};
  bool operator==(const HealthOptions&) const = default;
};

}  // namespace headgate::upstream
