#pragma once
// Runs policy tests: the requests of their steps, on a clock that only they move.

#include "headgate/config/policy_tests.hpp"
#include "headgate/gateway/explain.hpp"
#include "headgate/offline/offline_config.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::policy_test {

/// What is not as a step expects.
struct Difference {
  config::TestPlace place;  ///< of the expectation
  std::string message;      ///< a sentence without its dot
  std::string help;         ///< may be empty
};

/// What would have happened to the last request of a step, right before it was sent.
struct AskedBefore {
  gateway::Explanation told;
  gateway::RouteCandidates candidates{};
  std::uint64_t times = 1;  ///< how many requests the step sends
};

struct TestResult {
  std::vector<Difference> differences;  ///< empty: the test passes; at most kMaxDifferences
  std::optional<AskedBefore> why;       ///< of the step with the first of them
  std::uint64_t requests = 0;
  Duration lasted{0};  ///< on the clock of the test
};
inline constexpr std::size_t kMaxDifferences = 10;

/// What a file of tests may use. Each test takes from it.
struct Budget {
  std::uint64_t requests = 2'000'000;  ///< also each 64 KiB of a body
  std::uint64_t alarms = 20'000'000;   ///< that ring while time passes: about two seconds
};

/// How requests come that do not say it.
struct TestListener {
  std::uint16_t https_port = 0;  ///< where one without TLS is redirected to; 0: nowhere
  bool over_tls = false;         ///< whether one to a path alone comes over TLS
};

/// Begins with nothing used. If the budget does not suffice, that is the last difference.
///
/// Requests that wait, for a server or for a permit, are under way while the next steps run, and end when time passes;
/// after the last step it passes until all have ended. Then their step is compared. Throws std::logic_error if one
/// waits for nothing.
TestResult run_test(const config::PolicyTest& test, const offline::OfflineConfig& config, const TestListener& listener,
                    Budget& budget);

}  // namespace headgate::policy_test
