#include "probe.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/script.hpp"

#include <array>

namespace headgate::redis {
namespace {

/// Its name has no limit's: that would stand after the first colon.
const limit::Rule& rule_of_probes() {
  static const limit::Rule rule = [] {
    limit::Rule made;
    made.limit = "probe";
    made.rate = {1000, std::chrono::seconds(1)};
    made.burst = 1000;
    made.algorithm = limit::find_algorithm("token_bucket");
    made.suffix = "::probe";
    return made;
  }();
  return rule;
}

}  // namespace

limit::Ask Probe::ask() const noexcept { return {&rule_of_probes(), subject, {}, 1, limit::How::debt}; }

bool Probe::counted(const Reply& reply) const {
  const std::array<limit::Ask, 1> asks{ask()};
  std::array<limit::Verdict, 1> verdicts;
  bool all_allowed = false;
  return reply.all_integers && limit::read_script_reply(reply.integers, asks, verdicts, all_allowed) && all_allowed;
}

}  // namespace headgate::redis
