#include "reason_watch.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace headgate::server {
namespace {

constexpr auto kLookPace = std::chrono::milliseconds(250);

using Wrong = std::vector<std::pair<std::string, std::string>>;

Wrong named(const std::vector<std::string>& names) {
  Wrong out;
  for (const auto& name : names) out.emplace_back(name, std::string());
  return out;
}

}  // namespace

Readiness readiness_of(const Reasons& reasons) {
  Readiness out;
  for (const auto& reason : reasons.list()) {
    const auto severity = row_of(reason.kind).severity;
    if (severity == Severity::not_ready) out.unready.push_back(sentence_of(reason));
    if (severity == Severity::degraded) out.degraded.push_back(sentence_of(reason));
  }
  return out;
}

void tell_redis(Reasons& reasons, const RedisOutage* outage) {
  static const RedisOutage kNone;
  const auto& now = outage != nullptr ? *outage : kNone;
  const Wrong here{{std::string(), std::string()}};
  reasons.set_only(ReasonKind::redis_lost, outage != nullptr ? here : Wrong());
  reasons.set_only(ReasonKind::needs_redis, outage != nullptr && outage->unready ? here : Wrong());
  reasons.set_only(ReasonKind::limit_closed, named(now.closed_limits));
  reasons.set_only(ReasonKind::room_closed, named(now.closed_rooms));
}

void tell_upstreams(Reasons& reasons, const std::vector<UpstreamReport>& upstreams) {
  Wrong open;
  for (const auto& each : upstreams)
    if (each.watch.circuit && *each.watch.circuit != balance::CircuitState::closed)
      open.emplace_back(each.upstream, std::string());
  reasons.set_only(ReasonKind::circuit_open, open);
}

void ReasonWatch::start() {
  for (const auto& look : looks_) look();
  arm();
}

void ReasonWatch::stop() {
  stopped_ = true;  // its timer may have expired already, and then cannot be cancelled
  timer_.cancel();
}

void ReasonWatch::arm() {
  timer_.expires_after(kLookPace);
  timer_.async_wait([this](const boost::system::error_code& ec) {
    if (ec || stopped_) return;
    for (const auto& look : looks_) look();
    arm();
  });
}

}  // namespace headgate::server
