#include "reload.hpp"

#include "headgate/observe/event.hpp"

#include <boost/asio/post.hpp>
#include <boost/smart_ptr/make_local_shared.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace headgate::server {
namespace {

using observe::event;
using observe::EventField;
using observe::LogLevel;

/// How a worker's Redis limiter is really made.
redis::Options complete(redis::Options options, const config::Config& config) {
  options.workers = worker_count(config.workers);
  return options;
}

std::shared_ptr<upstream::Upstream> upstream_for(const upstream::Options& options, const Kept* kept,
                                                 upstream::Environment environment) {
  if (kept) {
    const auto& before = kept->config.upstreams;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] == options) return kept->snapshot.upstreams[i];
  }
  return std::make_shared<upstream::Upstream>(environment, options);
}

std::shared_ptr<redis::Limiter> limiter_for(const redis::Options& options, const Kept* kept,
                                            boost::asio::io_context& loop) {
  if (kept && kept->config.redis && complete(*kept->config.redis, kept->config) == options) return kept->snapshot.redis;
  return std::make_shared<redis::Limiter>(loop, options);
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string counted(std::size_t count, std::string_view word) {
  return std::to_string(count) + ' ' + std::string(word) + (count == 1 ? "" : "s");
}

bool same(const std::optional<config::Admin>& a, const std::optional<config::Admin>& b) {
  return a.has_value() == b.has_value() && (!a || (a->listen == b->listen && a->token == b->token));
}

/// What is read once, at the start, and is not what this process runs with.
std::vector<std::string> waiting_for_restart(const config::Config& before, const config::Config& after) {
  std::vector<std::string> out;
  const auto note = [&](bool unchanged, const char* what) {
    if (!unchanged) out.emplace_back(what);
  };
  note(before.listen == after.listen, "listen");
  note(before.workers == after.workers, "workers");
  note(before.drain_delay == after.drain_delay, "drain_delay");
  note(before.drain == after.drain, "drain");
  note(same(before.admin, after.admin), "admin");
  note(before.memory.max_keys == after.memory.max_keys, "memory");
  note(before.gateway.bounds == after.gateway.bounds, "bounds");
  note(before.log == after.log, "log");
  return out;
}

std::vector<std::string> names(const std::vector<limit::Limit>& limits) {
  std::vector<std::string> out;
  out.reserve(limits.size());
  for (const auto& limit : limits) out.push_back(limit.name);
  return out;
}

std::vector<std::string> missing_from(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  std::vector<std::string> out;
  for (const auto& one : some)
    if (std::find(all.begin(), all.end(), one) == all.end()) out.push_back(one);
  return out;
}

}  // namespace

Beginning put_in_force(boost::asio::io_context& loop, config::Config config, const keyring::Keyring* before) {
  auto keyring = keyring::Keyring::open(loop, config.identity, before);
  if (keyring.has_error()) throw std::runtime_error(keyring.error());
  std::vector<std::string> upstreams;
  upstreams.reserve(config.upstreams.size());
  for (const auto& upstream : config.upstreams) upstreams.push_back(upstream.name);
  const auto instances = config.redis ? config.redis->instances : 1;
  InForce bare;
  bare.site =
      std::make_shared<const gateway::Site>(config.gateway, config.identity, config.limits, upstreams, instances);
  bare.config = std::make_shared<const config::Config>(std::move(config));
  // The keyring is the main thread's, and goes with it, however long a worker keeps what is in force.
  bare.missing_key = [weak = std::weak_ptr(*keyring)](std::size_t issuer) {
    if (const auto alive = weak.lock()) alive->want(issuer);
  };
  auto in_force = with_credentials(loop, bare, (*keyring)->now());
  return {std::move(in_force), std::move(*keyring)};
}

std::shared_ptr<const InForce> with_credentials(boost::asio::io_context& loop, const InForce& before,
                                                std::shared_ptr<const identity::Credentials> credentials) {
  using gateway::Grants;
  auto out = std::make_shared<InForce>(before);
  out->grants = std::shared_ptr<const Grants>(new Grants(*before.site, std::move(credentials)),
                                              [executor = loop.get_executor()](const Grants* grants) {
                                                std::unique_ptr<const Grants> owned(grants);
                                                boost::asio::post(executor, [last = std::move(owned)] {});
                                              });
  // Said once of the same keys, however often an issuer's change.
  const bool other_keys = !before.grants || &before.grants->api_keys() != &out->grants->api_keys();
  if (!other_keys) return out;
  for (const auto& sentence : out->grants->without_effect()) event(LogLevel::warning, "grant_without_effect", sentence);
  return out;
}

std::optional<Beginning> next_in_force(boost::asio::io_context& loop, const ReadAgain& read_again,
                                       const keyring::Keyring& before) {
  try {
    auto config = read_again();
    if (!config) return std::nullopt;
    return put_in_force(loop, std::move(*config), &before);
  } catch (const std::exception& failure) {
    event(LogLevel::error, "config_refused", "what was in force stays so", {{"reason", failure.what()}});
    return std::nullopt;
  }
}

void say_what_changed(const InForce& then, const InForce& now, const config::Config& running) {
  const auto& before = *then.config;
  const auto& after = *now.config;
  const auto old_limits = names(before.limits);
  const auto new_limits = names(after.limits);
  const auto added = joined(missing_from(old_limits, new_limits));
  const auto gone = joined(missing_from(new_limits, old_limits));
  event(LogLevel::info, "config_reloaded",
        counted(after.gateway.routes.size(), "route") + ", " + counted(after.limits.size(), "limit") + ", " +
            counted(after.upstreams.size(), "upstream") + " in force",
        {{"routes", after.gateway.routes.size()},
         {"limits", after.limits.size()},
         {"upstreams", after.upstreams.size()},
         added.empty() ? EventField() : EventField("new_limits", added),
         gone.empty() ? EventField() : EventField("limits_gone", gone)});
  if (const auto waiting = joined(waiting_for_restart(running, after)); !waiting.empty())
    event(LogLevel::warning, "config_needs_restart", "these changes wait for a restart: " + waiting,
          {{"keys", waiting}});
}

gateway::SnapshotPtr make_snapshot(const InForce& in_force, const Kept* kept, upstream::Environment environment,
                                   observe::Registry& registry, observe::Writer worker) {
  const auto& config = *in_force.config;
  const auto snapshot = boost::make_local_shared<gateway::Snapshot>();
  snapshot->site = in_force.site;
  snapshot->upstreams.reserve(config.upstreams.size());
  for (const auto& options : config.upstreams) snapshot->upstreams.push_back(upstream_for(options, kept, environment));
  if (config.redis) snapshot->redis = limiter_for(complete(*config.redis, config), kept, environment.loop);
  snapshot->meters = std::make_shared<const gateway::Meters>(registry, worker, *in_force.site);
  snapshot->grants = in_force.grants;
  snapshot->missing_key = in_force.missing_key;
  return snapshot;
}

}  // namespace headgate::server
