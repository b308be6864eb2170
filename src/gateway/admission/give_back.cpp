#include "give_back.hpp"

#include "gateway/limits/round.hpp"
#include "holds.hpp"

#include "headgate/limit/algorithm.hpp"

#include <boost/container/static_vector.hpp>

#include <vector>

namespace headgate::gateway {

void give_back(Path& path, Exchange& x) {
  auto& a = x.admission;
  if (a.returned) return;
  if (x.route->takes(Step::in_flight) && !a.peek) path.in_flight->release(x);
  a.returned = true;
  end_holds(path, x);
  // The numbers of the binding limit are no longer valid.
  if (a.outcome != Admission::Outcome::rejected) a.binding = nullptr;
  if (a.peek || a.held == 0) return;
  boost::container::static_vector<limit::Check, Admission::kMax> here;
  std::vector<limit::Check> there;
  std::vector<Duration> held_for;
  for (auto& checked : a.held_limits()) {
    if (checked.route_limit->ready->in_flight) continue;
    for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
      const auto& check = a.checks[i];
      if (!a.decisions[i].allowed || check.cost <= 0) continue;
      if (check.rule->count_rejected && a.outcome == Admission::Outcome::rejected) continue;
      if (checked.source != Source::redis) {
        here.push_back(check);
      } else if (check.rule->algorithm->gives_back_late) {
        there.push_back(given_back(check));
        held_for.push_back(a.decisions[i].reset_after);
      }
    }
    if (checked.source == Source::fallback) {
      checked.used = 0;
      path.outage->cost_more(x, checked);
    }
  }
  if (!here.empty()) path.services.memory.give_back({here.data(), here.size()}, path.services.clock.wall());
  if (!there.empty()) x.snapshot->redis->settle(there, held_for);
}

}  // namespace headgate::gateway
