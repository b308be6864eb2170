#include "headgate/admin/admin_board.hpp"

#include <chrono>
#include <set>
#include <utility>

namespace headgate::admin {

void AdminBoard::use_config(const config::Config& config) {
  auto limits = config.limits;
  std::vector<std::string> closed;
  for (const auto& room : config.gateway.rooms) {
    const bool rejects = room.mode == limit::Mode::enforce && room.if_redis_down == limit::IfRedisDown::reject;
    if (rejects && room.store == limit::Store::redis) closed.push_back(room.rule.name);
  }
  const std::lock_guard lock(mutex_);
  limits_.swap(limits);
  closed_rooms_ = std::move(closed);
  unready_without_redis_ = config.unready_without_redis;
  instances_ = config.redis ? config.redis->instances : 1;
}

void AdminBoard::use_redis(unsigned worker, std::shared_ptr<const redis::SharedLimiter> limiter) {
  // A limiter must be destroyed on its worker's thread. So the previous limiter is swapped into the argument, which the
  // caller destroys, and the admin thread never destroys one.
  const std::lock_guard lock(mutex_);
  auto& asked = redis_[worker];
  if (asked.limiter == limiter) return;
  asked.limiter.swap(limiter);
  asked.number = ++numbered_;
}

void AdminBoard::use_servers(unsigned worker, std::vector<KnownServer> servers) {
  const std::lock_guard lock(mutex_);
  servers_[worker].swap(servers);
}

std::vector<ServerNumbers> AdminBoard::servers() const {
  std::map<std::pair<std::string, std::string>, std::uint64_t> sums;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [worker, servers] : servers_)
      for (const auto& each : servers) sums[{each.upstream, each.server}] += each.row->in_flight;
  }
  std::vector<ServerNumbers> out;
  out.reserve(sums.size());
  for (const auto& [names, in_flight] : sums) out.push_back({names.first, names.second, in_flight});
  return out;
}

void AdminBoard::use_keyring(std::shared_ptr<const keyring::Keyring> keyring) {
  // The old keyring is swapped into the argument, too, and destroyed on the caller's thread.
  const std::lock_guard lock(mutex_);
  keyring_.swap(keyring);
}

void AdminBoard::use_upstreams(std::vector<WatchedUpstream> upstreams) {
  const std::lock_guard lock(mutex_);
  upstreams_.swap(upstreams);
  std::set<std::pair<std::string, std::string>> there;
  for (const auto& each : upstreams_)
    for (const auto& server : each.watch->servers()) there.emplace(each.name, server);
  std::erase_if(checks_, [&](const auto& check) { return !there.contains(check.first); });
}

void AdminBoard::note_check(const std::string& upstream, const std::string& server, LastCheck check) {
  const std::lock_guard lock(mutex_);
  checks_[{upstream, server}] = std::move(check);
}

redis::RedisHealth AdminBoard::health() const {
  for (const auto& [worker, asked] : redis_) {
    if (asked.limiter && asked.limiter->health() != redis::RedisHealth::up) return redis::RedisHealth::down;
  }
  return redis::RedisHealth::up;
}

std::optional<RedisOutage> AdminBoard::redis_outage() const {
  const std::lock_guard lock(mutex_);
  if (health() == redis::RedisHealth::up) return std::nullopt;
  RedisOutage out;
  out.closed_rooms = closed_rooms_;
  out.unready = unready_without_redis_;
  out.instances = instances_;
  for (const auto& limit : limits_) {
    if (limit.store != limit::Store::redis) continue;
    auto& names = limit.if_redis_down == limit::IfRedisDown::reject  ? out.closed_limits
                  : limit.if_redis_down == limit::IfRedisDown::allow ? out.open_limits
                                                                     : out.local_limits;
    names.push_back(limit.name);
  }
  return out;
}

std::vector<RedisReport> AdminBoard::redis() const {
  const std::lock_guard lock(mutex_);
  std::vector<RedisReport> out;
  out.reserve(redis_.size());
  for (const auto& [worker, asked] : redis_) {
    if (asked.limiter)
      out.push_back({asked.number, asked.limiter->nodes(), asked.limiter->local(), asked.limiter->outstanding()});
  }
  return out;
}

std::vector<LimitReport> AdminBoard::limits() const {
  const std::lock_guard lock(mutex_);
  const auto redis = health();
  std::vector<LimitReport> out;
  out.reserve(limits_.size());
  for (const auto& limit : limits_) out.push_back(report_of(limit, redis));
  return out;
}

std::vector<keyring::SourceReport> AdminBoard::sources() const {
  const std::lock_guard lock(mutex_);
  return keyring_ ? keyring_->reports() : std::vector<keyring::SourceReport>();
}

std::vector<UpstreamReport> AdminBoard::upstreams() const {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  std::vector<UpstreamReport> out;
  out.reserve(upstreams_.size());
  for (const auto& each : upstreams_) {
    auto& report = out.emplace_back(UpstreamReport{each.name, each.watch->report(now), each.sizes, {}});
    for (const auto& server : each.watch->servers()) {
      const auto check = checks_.find({each.name, server});
      report.checks.push_back(check == checks_.end() ? std::nullopt : std::optional(check->second));
    }
  }
  return out;
}

std::vector<WatchedUpstream> AdminBoard::watched() const {
  const std::lock_guard lock(mutex_);
  return upstreams_;
}

void AdminBoard::collect(observe::Registry& registry) const {
  collect_redis(registry, [this] { return redis(); });
  collect_limits(registry, [this] { return limits(); });
  collect_servers(registry, [this] { return servers(); });
  collect_sources(registry, [this] { return sources(); });
  collect_servers(registry, [this] { return upstreams(); });
}

}  // namespace headgate::admin
