#pragma once
// The options of the health checks of an upstream; config fills them.

#include "headgate/balance/health.hpp"
#include "headgate/core/time.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace headgate::upstream {

/// Statuses from `least` to `most`.
struct StatusRange {
  unsigned least = 200;
  unsigned most = 299;
  bool operator==(const StatusRange&) const = default;
};

/// How the servers of one upstream are checked.
struct HealthOptions {
  std::string path{};  ///< path and query of the GET; empty: a check only connects, with the TLS handshake
  std::string host{};  ///< of the Host field; empty: that of the server
  std::vector<StatusRange> expect{{}};         ///< which statuses pass; not empty
  Duration every = std::chrono::seconds(5);    ///< from the begin of one check to the begin of the next, about
  Duration timeout = std::chrono::seconds(1);  ///< of one check, with the look-up of the name
  balance::HealthRule rule{};
  bool operator==(const HealthOptions&) const = default;
};

}  // namespace headgate::upstream
