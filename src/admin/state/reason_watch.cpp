#include "headgate/admin/reason_watch.hpp"

#include "headgate/balance/table.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace headgate::admin {
namespace {

constexpr auto kLookPace = std::chrono::milliseconds(250);
constexpr auto kSettlesWithin = std::chrono::seconds(30);

using Wrong = std::vector<std::pair<std::string, std::string>>;

Wrong named(const std::vector<std::string>& names) {
  Wrong out;
  for (const auto& name : names) out.emplace_back(name, std::string());
  return out;
}

/// Returns, for example, `limit "a" is` or `limits "a", "b" and 7 more are`.
std::string limits_in_words(const std::vector<std::string>& names, std::string_view one, std::string_view many) {
  constexpr std::size_t kNamed = 3;
  std::string out = names.size() == 1 ? "limit " : "limits ";
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) {
    const bool last = i > 0 && i + 1 == names.size();
    out.append(i == 0 ? "" : last ? " and " : ", ").append("\"" + names[i] + '"');
  }
  if (names.size() > kNamed) out += " and " + std::to_string(names.size() - kNamed) + " more";
  return out.append(1, ' ').append(names.size() == 1 ? one : many);
}

/// Describes how the limits in Redis behave during the outage.
std::string words_of(const RedisOutage& outage) {
  std::vector<std::string> out;
  const auto share =
      outage.instances > 1 ? ", 1/" + std::to_string(outage.instances) + " of each size" : std::string(", in full");
  if (!outage.local_limits.empty())
    out.push_back(limits_in_words(outage.local_limits, "is counted", "are counted") + " by this gateway alone" + share);
  if (!outage.open_limits.empty()) out.push_back(limits_in_words(outage.open_limits, "rejects", "reject") + " nobody");
  if (!outage.closed_limits.empty())
    out.push_back(limits_in_words(outage.closed_limits, "rejects", "reject") + " everybody");
  return joined(out, "; ");
}

/// Maximum number of servers that a reason names. A few are enough to show what is wrong with all of them.
constexpr std::size_t kTold = 3;
/// Time without a request or a health check after which it is unknown whether a failed server works again.
constexpr auto kUntried = std::chrono::seconds(10);

std::string words_of(const balance::ServerReport& server) {
  if (server.failing) {
    const auto out = server.server + ' ' + std::string(balance::words_of(server.last_failure)) + " " +
                     std::to_string(server.failed_in_a_row) + " times in a row";
    const auto untried = std::chrono::floor<std::chrono::seconds>(server.last_tried);
    const bool checked = (server.out & balance::kUnhealthy) != 0;
    return checked || untried < kUntried ? out : out + ", and was not tried for " + to_text(Duration(untried));
  }
  if ((server.out & balance::kTakenOut) != 0) return server.server + " was taken out by an operator";
  if ((server.out & balance::kUnhealthy) != 0) return server.server + " fails its health checks";
  return server.server + " is ejected" +
         (server.reason ? ": " + std::string(balance::to_text(*server.reason)) : std::string());
}

std::string words_of(const balance::WatchReport& report) {
  std::vector<std::string> out;
  for (const auto& server : report.servers) {
    if (out.size() == kTold) {
      out.push_back("and " + std::to_string(report.servers.size() - kTold) + " more");
      break;
    }
    out.push_back(words_of(server));
  }
  return joined(out, "; ");
}

}  // namespace

ReadyReport readiness_of(const Reasons& reasons) {
  ReadyReport out;
  for (const auto& reason : reasons.list()) {
    const auto severity = row_of(reason.kind).severity;
    if (severity == ReasonSeverity::not_ready) out.unready.push_back(sentence_of(reason));
    if (severity == ReasonSeverity::degraded) out.degraded.push_back(sentence_of(reason));
  }
  return out;
}

void tell_redis(Reasons& reasons, const RedisOutage* outage) {
  static const RedisOutage kNone;
  const auto& now = outage != nullptr ? *outage : kNone;
  const Wrong here{{std::string(), std::string()}};
  reasons.set_only(ReasonKind::redis_lost, outage != nullptr ? Wrong{{std::string(), words_of(now)}} : Wrong());
  reasons.set_only(ReasonKind::needs_redis, outage != nullptr && outage->unready ? here : Wrong());
  reasons.set_only(ReasonKind::limit_closed, named(now.closed_limits));
  reasons.set_only(ReasonKind::room_closed, named(now.closed_rooms));
}

void tell_upstreams(Reasons& reasons, const std::vector<UpstreamReport>& upstreams) {
  Wrong open;
  Wrong down;
  for (const auto& each : upstreams) {
    if (each.watch.all_down()) down.emplace_back(each.upstream, words_of(each.watch));
    if (each.watch.circuit && *each.watch.circuit != balance::CircuitState::closed)
      open.emplace_back(each.upstream, std::string());
  }
  reasons.set_only(ReasonKind::no_server, down);
  reasons.set_only(ReasonKind::circuit_open, open);
}

void tell_keys(Reasons& reasons, const std::vector<keyring::SourceReport>& sources) {
  Wrong keys;
  Wrong addresses;
  Wrong prices;
  for (const auto& source : sources) {
    auto& wrong = source.kind == keyring::SourceKind::addresses ? addresses
                  : source.kind == keyring::SourceKind::prices  ? prices
                                                                : keys;
    if (!source.fresh && source.failures > 0) wrong.emplace_back(source.source, source.trouble);
  }
  reasons.set_only(ReasonKind::keys_refused, keys);
  reasons.set_only(ReasonKind::addresses_refused, addresses);
  reasons.set_only(ReasonKind::prices_refused, prices);
}

void tell_settling(Reasons& reasons, const redis::Outstanding& outstanding, Clock::Steady now) {
  if (!outstanding.oldest || now - *outstanding.oldest <= kSettlesWithin)
    return reasons.clear(ReasonKind::settling_behind);
  reasons.set(ReasonKind::settling_behind, {},
              std::to_string(outstanding.settlements) + " settlements of " + std::to_string(outstanding.permits) +
                  " permits wait");
}

void tell_logs(Reasons& reasons, observe::Logs::Failing failing) {
  Wrong wrong;
  if (failing.access) wrong.emplace_back("access", std::string());
  if (failing.error) wrong.emplace_back("error", std::string());
  reasons.set_only(ReasonKind::log_failing, wrong);
}

void tell_lost(Reasons& reasons, ReasonKind kind, std::string_view subject, bool loses) {
  if (loses)
    reasons.set(kind, subject);
  else
    reasons.clear(kind, subject);
}

bool RisingCount::rises(Steady now, std::uint64_t count) noexcept {
  if (before_ && count > *before_) risen_ = now;
  before_ = count;
  if (risen_ && now - *risen_ >= kQuiet) risen_.reset();
  return risen_.has_value();
}

void tell_gateways(Reasons& reasons, std::uint32_t lasting, std::uint32_t configured) {
  Wrong more;
  if (configured > 1 && lasting > configured)
    more.emplace_back(std::string(), std::to_string(lasting) + " are there, " + std::to_string(configured) +
                                         " are configured; while Redis is away, each grants what " +
                                         std::to_string(lasting) + " may");
  reasons.set_only(ReasonKind::more_gateways, more);
}

void tell_shedding(Reasons& reasons, const services::ActiveConfig& active, Clock::Steady now) {
  Wrong refusing;
  const auto& upstreams = active.config->upstreams;
  for (std::size_t i = 0; i < upstreams.size(); ++i)
    if (auto words = active.overloads[i]->in_words(now)) refusing.emplace_back(upstreams[i].name, std::move(*words));
  reasons.set_only(ReasonKind::shedding, refusing);
}

void ReasonWatch::start() {
  for (const auto& look : looks_) look();
  alarm_->set(kLookPace);
}

}  // namespace headgate::admin
