#include "headgate/admin/collect.hpp"

#include "headgate/limit/balance.hpp"
#include "headgate/observe/families/callers.hpp"
#include "headgate/observe/families/candidate.hpp"
#include "headgate/observe/families/fleet.hpp"
#include "headgate/observe/families/gateway.hpp"
#include "headgate/observe/families/limits.hpp"
#include "headgate/observe/families/upstreams.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace headgate::admin {
namespace {

namespace family = observe::family;
using observe::Scrape;

static_assert(std::ranges::equal(observe::bounds::kRedis, redis::kLatencyBounds),
              "the metric's buckets are those that the limiter counts in");

double as_double(std::uint64_t count) noexcept { return static_cast<double>(count); }

/// The counters of a Redis node.
struct Rising {
  std::uint64_t decided = 0, timed_out = 0, refused = 0, not_sent = 0, reconnects = 0;
  decltype(redis::NodeStatus::latency) latency{};
  Duration latency_sum{0};
};

Rising rising_of(const redis::NodeStatus& node) {
  const auto& counters = node.counters;
  const auto reconnects = counters.connects > 0 ? counters.connects - 1 : 0;  // The first connect is not a reconnect.
  return {.decided = counters.decided,
          .timed_out = counters.timed_out,
          .refused = counters.refused,
          .not_sent = counters.not_sent,
          .reconnects = reconnects,
          .latency = node.latency,
          .latency_sum = node.latency_sum};
}

/// Adds the increase from `before` to `now` to `total`. A counter that fell has restarted from zero, so its whole value
/// is new.
template <class Count>
void add_rise(Count& total, const Count& before, const Count& now) {
  total += now < before ? now : now - before;
}

void add_rise(Rising& total, const Rising& before, const Rising& now) {
  add_rise(total.decided, before.decided, now.decided);
  add_rise(total.timed_out, before.timed_out, now.timed_out);
  add_rise(total.refused, before.refused, now.refused);
  add_rise(total.not_sent, before.not_sent, now.not_sent);
  add_rise(total.reconnects, before.reconnects, now.reconnects);
  for (std::size_t i = 0; i < now.latency.size(); ++i) add_rise(total.latency[i], before.latency[i], now.latency[i]);
  add_rise(total.latency_sum, before.latency_sum, now.latency_sum);
}

double seconds_since(const std::optional<std::chrono::steady_clock::time_point>& then) {
  if (!then) return 0;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - *then).count();
}

/// Sums the counters of all limiters, including those that have gone. Without them the sum would fall when a limiter
/// goes, and Prometheus would take that for a restart from zero and count everything again.
class RedisTotals {
 public:
  void show(const std::vector<RedisReport>& reports, Scrape& scrape) {
    std::map<std::uint64_t, Seen> seen;
    std::map<std::string, bool> up;
    for (const auto& report : reports) {
      const auto& before = seen_[report.limiter];
      auto& now = seen[report.limiter];
      now.local = report.local;
      add_rise(leased_, before.local.leased, report.local.leased);
      add_rise(rejected_, before.local.rejected, report.local.rejected);
      add_rise(charged_, before.local.charged, report.local.charged);
      for (const auto& [limit, lost] : report.local.lost) {
        const auto known = before.local.lost.find(limit);
        const std::uint64_t lost_before = known == before.local.lost.end() ? 0 : known->second;
        add_rise(lost_[limit], lost_before, lost);
      }
      for (const auto& node : report.nodes) {
        const auto known = before.nodes.find(node.name);
        const auto& rising = now.nodes[node.name] = rising_of(node);
        add_rise(nodes_[node.name], known == before.nodes.end() ? Rising{} : known->second, rising);
        const auto first = up.emplace(node.name, true).first;
        first->second = first->second && node.health == redis::RedisHealth::up;
      }
    }
    seen_ = std::move(seen);
    // Drops nodes that no limiter knows any more. Otherwise every address that a cluster ever had would stay in memory.
    std::erase_if(nodes_, [&](const auto& entry) { return !up.contains(entry.first); });
    for (const auto& [name, all_up] : up) show(name, all_up, scrape);
    if (reports.empty()) return;
    scrape.value(family::limit_leased, {}, as_double(leased_));
    scrape.value(family::limit_known_rejections, {}, as_double(rejected_));
    scrape.value(family::limit_charged, {}, as_double(charged_));
    const auto outstanding = outstanding_of(reports);
    scrape.value(family::settlements_waiting, {}, as_double(outstanding.settlements));
    scrape.value(family::settlements_behind, {}, seconds_since(outstanding.oldest));
    for (const auto& [limit, lost] : lost_) scrape.value(family::settlements_lost, {limit}, as_double(lost));
  }

 private:
  struct Seen {
    std::map<std::string, Rising> nodes;
    redis::LocalCounters local;
  };

  void show(const std::string& name, bool up, Scrape& scrape) const {
    const auto& node = nodes_.at(name);
    scrape.value(family::redis_up, {name}, up ? 1 : 0);
    scrape.value(family::redis_commands, {name, "decided"}, as_double(node.decided));
    scrape.value(family::redis_commands, {name, "timed_out"}, as_double(node.timed_out));
    scrape.value(family::redis_commands, {name, "refused"}, as_double(node.refused));
    scrape.value(family::redis_commands, {name, "not_sent"}, as_double(node.not_sent));
    scrape.histogram(family::redis_command_seconds, {name}, node.latency, node.latency_sum);
    scrape.value(family::redis_reconnects, {name}, as_double(node.reconnects));
  }

  std::map<std::uint64_t, Seen> seen_;  // The values at the last scrape, by limiter.
  std::map<std::string, Rising> nodes_;
  std::uint64_t leased_ = 0;
  std::uint64_t rejected_ = 0;
  std::uint64_t charged_ = 0;
  std::map<std::string, std::uint64_t> lost_;  // By limit.
};

}  // namespace

redis::Outstanding outstanding_of(const std::vector<RedisReport>& reports) {
  redis::Outstanding out;
  for (const auto& report : reports) {
    const auto& each = report.outstanding;
    out.settlements += each.settlements;
    out.permits += each.permits;
    if (each.oldest && (!out.oldest || *each.oldest < *out.oldest)) out.oldest = each.oldest;
  }
  return out;
}

void collect_redis(observe::Registry& registry, std::function<std::vector<RedisReport>()> ask) {
  registry.collect(
      [ask = std::move(ask), totals = RedisTotals()](Scrape& scrape) mutable { totals.show(ask(), scrape); });
}

LimitReport report_of(const limit::Limit& limit, redis::RedisHealth redis) {
  LimitReport out;
  out.limit = limit.name;
  out.in_redis = limit.store == limit::Store::redis;
  out.fallback = out.in_redis && redis != redis::RedisHealth::up;
  for (const auto& tier : limit.tiers) {
    for (const auto& rule : tier.rules) {
      if (limit::is_balance(rule)) continue;
      auto window = rule.rate.month ? std::string("month") : to_text(rule.rate.period);
      out.windows.push_back({tier.name, std::move(window), rule.rate.count});
    }
  }
  return out;
}

void collect_limits(observe::Registry& registry, std::function<std::vector<LimitReport>()> ask) {
  registry.collect([ask = std::move(ask)](Scrape& scrape) {
    for (const auto& report : ask()) {
      for (const auto& each : report.windows)
        scrape.value(family::limit_configured, {report.limit, each.tier, each.window}, as_double(each.requests));
      if (report.in_redis) scrape.value(family::limit_fallback, {report.limit}, report.fallback ? 1 : 0);
    }
  });
}

void collect_candidate(observe::Registry& registry, std::function<std::optional<std::size_t>()> ask) {
  registry.collect([ask = std::move(ask)](Scrape& scrape) {
    if (const auto keys = ask()) scrape.value(family::candidate_keys, {}, as_double(*keys));
  });
}

void collect_keys(observe::Registry& registry, std::function<std::vector<KeysReport>()> ask) {
  registry.collect([ask = std::move(ask)](Scrape& scrape) {
    for (const auto& report : ask()) {
      scrape.value(family::limit_tracked, {report.limit}, as_double(report.tracked));
      scrape.value(family::limit_evicted, {report.limit}, as_double(report.evicted));
    }
  });
}

void collect_servers(observe::Registry& registry, std::function<std::vector<UpstreamReport>()> ask) {
  registry.collect([ask = std::move(ask)](Scrape& scrape) {
    for (const auto& report : ask()) {
      // A server that is listed twice has one series.
      std::map<std::string, bool> in;
      for (const auto& server : report.watch.servers) in[server.server] = server.up();
      for (const auto& [server, up] : in)
        scrape.value(family::upstream_server_up, {report.upstream, server}, up ? 1 : 0);
      if (report.watch.circuit)
        scrape.value(family::upstream_circuit_open, {report.upstream},
                     *report.watch.circuit == balance::CircuitState::closed ? 0 : 1);
    }
  });
}

void collect_bans(observe::Registry& registry, const limit::BanTable& bans,
                  std::function<std::vector<std::string>()> limits) {
  using limit::BanReason;
  registry.collect([&bans, limits = std::move(limits)](Scrape& scrape) {
    auto all = bans.counts(now());
    for (const auto& limit : limits()) all.try_emplace(limit);
    for (auto& [limit, counts] : all) {
      for (const auto reason : {BanReason::rejections, BanReason::statuses, BanReason::operated})
        counts.made_here.try_emplace(reason);
      scrape.value(family::bans_active, {limit}, as_double(counts.suspended));
      for (const auto& [reason, made] : counts.made_here)
        scrape.value(family::bans, {limit, std::string(limit::to_text(reason))}, as_double(made));
      if (counts.dropped > 0) scrape.value(family::bans_dropped, {limit}, as_double(counts.dropped));
    }
  });
}

void collect_passwords(observe::Registry& registry, const gateway::PasswordPool& passwords) {
  registry.collect([&passwords](Scrape& scrape) {
    const auto counts = passwords.counts();
    if (counts.checked == 0 && counts.waiting == 0) return;
    scrape.value(family::password_checks, {}, as_double(counts.checked));
    scrape.value(family::password_check_seconds, {}, std::chrono::duration<double>(counts.took).count());
    scrape.value(family::passwords_waiting, {}, as_double(counts.waiting));
  });
}

void collect_overrides(observe::Registry& registry, const limit::OverrideBook& book) {
  registry.collect([&book](Scrape& scrape) {
    for (const auto& [limit, count] : book.counts(now()))
      scrape.value(family::overrides_active, {limit}, as_double(count));
  });
}

void collect_webhooks(observe::Registry& registry, std::function<std::optional<notify::WebhookCounts>()> ask) {
  registry.collect([ask = std::move(ask)](Scrape& scrape) {
    const auto counts = ask();
    if (!counts) return;
    scrape.value(family::webhooks, {"delivered"}, as_double(counts->delivered));
    scrape.value(family::webhooks, {"failed"}, as_double(counts->failed));
    scrape.value(family::webhooks, {"dropped"}, as_double(counts->dropped));
    scrape.value(family::webhooks_retried, {}, as_double(counts->retried));
    scrape.value(family::webhooks_queued, {}, as_double(counts->queued));
  });
}

void collect_gateways(observe::Registry& registry, std::function<std::optional<GatewayCounts>()> ask) {
  registry.collect([ask = std::move(ask)](Scrape& scrape) {
    const auto counts = ask();
    if (!counts) return;
    scrape.value(family::gateways, {"seen"}, counts->seen);
    scrape.value(family::gateways, {"configured"}, counts->configured);
    scrape.value(family::gateways, {"counted"}, counts->counted());
  });
}

void collect_notices(observe::Registry& registry, std::function<services::NoticeCounts()> ask) {
  registry.collect([ask = std::move(ask)](Scrape& scrape) {
    const auto counts = ask();
    for (const auto& [of, told] : counts.told)
      scrape.value(family::quota_notices, {of.first, std::to_string(of.second)}, as_double(told));
    if (!counts.told.empty() || counts.dropped > 0)
      scrape.value(family::quota_notices_dropped, {}, as_double(counts.dropped));
  });
}

void collect_sources(observe::Registry& registry, std::function<std::vector<keyring::SourceReport>()> ask) {
  registry.collect([ask = std::move(ask)](Scrape& scrape) {
    // Two issuers may share a source, but a series must appear only once.
    std::map<std::string, keyring::SourceReport> sources;
    for (auto& report : ask()) {
      auto& sum = sources.try_emplace(report.source, report).first->second;
      sum.fresh = sum.fresh && report.fresh;
      sum.keys = std::max(sum.keys, report.keys);
      sum.fetched = std::max(sum.fetched, report.fetched);
      sum.successes = std::max(sum.successes, report.successes);
      sum.failures = std::max(sum.failures, report.failures);
    }
    for (const auto& [source, report] : sources) {
      scrape.value(family::key_source_up, {source}, report.fresh ? 1 : 0);
      scrape.value(family::key_source_keys, {source}, as_double(report.keys));
      scrape.value(family::key_source_reads, {source, "ok"}, as_double(report.successes));
      scrape.value(family::key_source_reads, {source, "failed"}, as_double(report.failures));
      if (report.successes > 0)
        scrape.value(family::key_source_time, {source},
                     std::chrono::duration<double>(report.fetched.time_since_epoch()).count());
    }
  });
}

void collect_servers(observe::Registry& registry, std::function<std::vector<ServerNumbers>()> ask) {
  registry.collect([ask = std::move(ask)](Scrape& scrape) {
    for (const auto& report : ask())
      scrape.value(family::server_in_flight, {report.upstream, report.server}, as_double(report.in_flight));
  });
}

}  // namespace headgate::admin
