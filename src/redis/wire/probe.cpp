#include "probe.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/script.hpp"

#include <array>

namespace headgate::redis {
namespace {

/// Returns the rule of probes. Its suffix differs from that of every limit, because the suffix of a limit has the
/// limit's name after the first colon.
const limit::Rule& rule_of_probes() {
  static const limit::Rule rule = [] {
    limit::Rule made;
    made.limit = "probe";
    made.rate = {1000, std::chrono::seconds(1)};
    made.burst = 1000;
    made.algorithm = limit::find_algorithm(limit::kDefaultAlgorithm);
    made.suffix = "::probe";
    return made;
  }();
  return rule;
}

}  // namespace

limit::Check Probe::check() const noexcept {
  return {.rule = &rule_of_probes(), .key = key, .hash = {}, .how = limit::How::debt};
}

bool Probe::counted(const Reply& reply) const {
  const std::array<limit::Check, 1> checks{check()};
  std::array<limit::Decision, 1> decisions;
  bool all_allowed = false;
  return reply.all_integers && limit::read_script_reply(reply.integers, checks, decisions, all_allowed) && all_allowed;
}

}  // namespace headgate::redis
