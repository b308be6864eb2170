#pragma once
// All of a configuration as text, to compare two and to show what differs.

#include "headgate/config/config.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/calendar.hpp"

#include <sstream>
#include <string>

namespace headgate::config {

inline std::string describe(const limit::Rule& rule) {
  std::ostringstream out;
  out << '[' << rule.limit << ' ' << rule.name << ' ' << to_text(rule.rate) << " burst " << rule.burst;
  if (rule.wait.count() > 0) out << " wait " << to_text(rule.wait);
  if (rule.calendar) out << ' ' << rule.calendar->zone() << ' ' << static_cast<int>(rule.calendar->unit());
  out << (rule.leases ? " leases " : " ") << rule.algorithm->name << ' ' << rule.suffix << ' ' << rule.seed << ']';
  return out.str();
}

inline std::string describe(const limit::Limit& limit) {
  std::ostringstream out;
  out << "limit " << limit.name << " mode " << static_cast<int>(limit.mode) << " store "
      << static_cast<int>(limit.store) << " down " << static_cast<int>(limit.if_redis_down) << " absent "
      << static_cast<int>(limit.if_absent.action);
  for (const auto& per : limit.if_absent.use) out << ' ' << to_text(per);
  out << " per";
  for (const auto& per : limit.per) out << ' ' << to_text(per);
  if (limit.tier_from) out << " by " << to_text(*limit.tier_from) << " else " << limit.default_tier;
  for (const auto& tier : limit.tiers) {
    if (limit.tier_from) out << " {" << tier.name;
    for (const auto& rule : tier.rules) out << ' ' << describe(rule);
    if (limit.tier_from) out << '}';
  }
  return out.str() + '\n';
}

inline std::string describe(const gateway::Cost& cost) {
  std::string out = std::to_string(cost.usual);
  if (cost.from == gateway::Cost::From::constant) return out;
  out += '(' + std::to_string(static_cast<int>(cost.from));
  for (const auto& [method, each] : cost.methods) out += ' ' + method + '=' + std::to_string(each);
  return out + ' ' + cost.header + ' ' + std::to_string(cost.most) + ')';
}

inline std::string describe(const std::vector<gateway::LimitUse>& uses) {
  std::string out;
  for (const auto& use : uses) {
    out += ' ' + use.limit + 'x' + describe(use.cost);
    if (use.scale_up != use.scale_down)
      out += '*' + std::to_string(use.scale_up) + '/' + std::to_string(use.scale_down);
  }
  return out;
}

inline std::string describe(const gateway::RouteOptions& route) {
  std::ostringstream out;
  out << "route " << route.name << " host " << route.host << " path " << route.path << " methods";
  for (const auto& method : route.methods) out << ' ' << method;
  out << " to " << route.to;
  if (route.respond)
    out << " respond " << route.respond->status << ' ' << route.respond->body << ' ' << route.respond->content_type;
  out << " limits" << describe(route.limits) << " skip";
  for (const auto& name : route.skip_limits) out << ' ' << name;
  out << " require " << static_cast<int>(route.require);
  if (route.timeout) out << " timeout " << to_text(*route.timeout);
  if (route.max_body) out << " max_body " << *route.max_body;
  return out.str() + '\n';
}

inline std::string describe(const identity::Options& options) {
  std::ostringstream out;
  out << "identity";
  for (const auto& network : options.trusted_proxies) out << ' ' << identity::to_text(network);
  out << " /" << options.ipv6_prefix << ' ' << options.api_key_header << " jwt " << options.has_jwt;
  const auto& jwt = options.jwt;
  out << ' ' << jwt.issuer << ' ' << jwt.audience << ' ' << jwt.secret << ' ' << jwt.public_key_pem << ' '
      << to_text(jwt.leeway);
  for (const auto algorithm : jwt.algorithms) out << ' ' << static_cast<int>(algorithm);
  for (const auto& key : options.api_keys) out << " key " << key.name << ' ' << key.digest[0] + 0 << ' ' << key.tier;
  return out.str() + '\n';
}

inline std::string describe(const redis::Options& redis) {
  std::ostringstream out;
  out << "redis " << static_cast<int>(redis.topology);
  for (const auto& node : redis.nodes) out << ' ' << node.host << ' ' << node.port;
  out << " master " << redis.master << ' ' << redis.sentinel_username << ' ' << redis.sentinel_password << " db "
      << redis.database << ' ' << redis.username << ' ' << redis.password << ' ' << redis.key_prefix << ' '
      << to_text(redis.timeout) << ' ' << redis.instances << ' ' << redis.max_in_flight;
  if (redis.tls) {
    out << " tls " << redis.tls->ca << ' ' << redis.tls->certificate << ' ' << redis.tls->key << ' '
        << redis.tls->server_name << ' ' << redis.tls->verify;
  }
  out << '\n';
  return out.str();
}

inline std::string describe(const gateway::Options& gateway) {
  std::ostringstream out;
  for (const auto& route : gateway.routes) out << describe(route);
  for (const auto& each : gateway.exemptions) {
    out << "exempt " << each.limit;
    for (const auto& key : each.api_keys) out << ' ' << key;
    for (const auto& network : each.addresses) out << ' ' << identity::to_text(network);
    out << '\n';
  }
  out << "all" << describe(gateway.all_routes.limits) << ' ' << to_text(gateway.all_routes.timeout) << ' '
      << gateway.all_routes.max_body << '\n';
  const auto& times = gateway.timeouts;
  out << "timeouts " << to_text(times.idle) << ' ' << to_text(times.head) << ' ' << to_text(times.body) << ' '
      << to_text(times.write) << ' ' << to_text(times.tunnel) << '\n';
  const auto& bounds = gateway.bounds;
  out << "bounds " << bounds.head_bytes << ' ' << bounds.head_fields << ' ' << bounds.target_bytes << ' '
      << bounds.connections << '\n';
  out << "rejection " << static_cast<int>(gateway.rejection.headers) << ' ' << static_cast<int>(gateway.rejection.body)
      << '\n';
  return out.str();
}

inline std::string describe(const Config& config) {
  std::ostringstream out;
  out << "instance " << config.instance << " workers " << config.workers << " drain " << to_text(config.drain) << '\n';
  for (const auto& each : config.listen) out << "listen " << each.host << ' ' << each.port << ' ' << each.text << '\n';
  if (config.admin) out << "admin " << config.admin->listen.text << ' ' << config.admin->token << '\n';
  out << describe(config.identity);
  if (config.redis) out << describe(*config.redis);
  out << "memory " << config.memory.max_keys << '\n';
  for (const auto& each : config.upstreams) {
    out << "upstream " << each.name << ' ' << to_text(each.connect_timeout) << ' ' << to_text(each.idle_timeout) << ' '
        << each.max_idle;
    for (const auto& server : each.servers)
      out << " [" << server.host << ' ' << server.port << ' ' << server.text << ']';
    out << '\n';
  }
  for (const auto& each : config.limits) out << describe(each);
  out << describe(config.gateway);
  out << "log " << static_cast<int>(config.log.level) << ' ' << static_cast<int>(config.log.format) << ' '
      << config.log.access << ' ' << config.log.error << '\n';
  return out.str();
}

}  // namespace headgate::config
