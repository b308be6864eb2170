#pragma once
// Runs policy tests: the requests of their steps, on a clock that only the tests advance. Used by cli.

#include "headgate/config/policy_tests.hpp"
#include "headgate/gateway/explain.hpp"
#include "headgate/offline/offline_config.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::policy_test {

/// A difference from what a step expects.
struct Difference {
  config::TestPlace place;  ///< place of the expectation
  std::string message;      ///< message, a sentence without a full stop
  std::string help;         ///< advice how to fix the test; may be empty
};

/// How the last request of a step would have been handled, right before it was sent.
struct StepExplanation {
  gateway::Explanation told;
  gateway::ConsideredRoutes candidates{};
  std::uint64_t times = 1;  ///< number of requests that the step sends
};

struct TestResult {
  std::vector<Difference> differences;  ///< differences, at most kMaxDifferences; empty if the test passes
  std::optional<StepExplanation> why;   ///< explanation of the step with the first difference
  std::uint64_t requests = 0;
  Duration lasted{0};  ///< duration on the clock of the test
};
inline constexpr std::size_t kMaxDifferences = 10;

/// The budget of a file of tests, which all its tests share.
struct Budget {
  std::uint64_t requests = 2'000'000;  ///< number of requests; each 64 KiB of a body counts as one more
  /// number of alarms that may ring while time passes; the default takes about two seconds of real time
  std::uint64_t alarms = 20'000'000;
};

/// The connection of requests whose step does not specify one.
struct TestListener {
  std::uint16_t https_port = 0;  ///< port to which a request without TLS is redirected; 0 for none
  bool over_tls = false;         ///< whether a request whose URL is only a path uses TLS
};

/// Runs a test, starting with unused limits. If the budget does not suffice, the last difference says so.
///
/// Requests that wait, for a server or for a permit, stay under way while the next steps run, and end when time passes;
/// after the last step time passes until all have ended. The result of a step is compared when all of its requests have
/// ended. Throws std::logic_error if a request would wait forever.
TestResult run_test(const config::PolicyTest& test, const offline::OfflineConfig& config, const TestListener& listener,
                    Budget& budget);

}  // namespace headgate::policy_test
