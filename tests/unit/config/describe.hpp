#pragma once
// All of a configuration as text, to compare two and to show what differs.

#include "headgate/balance/policy.hpp"
#include "headgate/config/config.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/key_source.hpp"
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

inline std::string describe(const limit::IfAbsent& absent) {
  std::string out;
  for (const auto& key : absent.instead) {
    std::string names;
    for (const auto& per : key) names += (names.empty() ? "" : "+") + gateway::to_text(per);
    out += ' ' + names;
  }
  return out + ' ' + std::to_string(static_cast<int>(absent.last)) + ' ' + std::to_string(absent.status);
}

inline std::string describe(const limit::BanPolicy& ban) {
  std::ostringstream out;
  out << " ban " << describe(ban.offences) << " for " << to_text(ban.first) << " to " << to_text(ban.longest)
      << " after";
  for (const auto status : ban.statuses) out << ' ' << status;
  out << " answers " << ban.status;
  return out.str();
}

inline std::string describe(const limit::Limit& limit) {
  std::ostringstream out;
  out << "limit " << limit.name << " mode " << static_cast<int>(limit.mode) << " store "
      << static_cast<int>(limit.store) << " down " << static_cast<int>(limit.if_redis_down) << " absent"
      << describe(limit.if_absent) << " per";
  for (const auto& per : limit.per) out << ' ' << gateway::to_text(per);
  if (limit.appointments)
    out << " appointments " << to_text(limit.appointments->ahead) << ' ' << to_text(limit.appointments->width);
  if (limit.ban) out << describe(*limit.ban);
  for (const auto status : limit.counted_statuses) out << " counts " << status;
  for (const auto percent : limit.notify_at) out << " notifies " << percent;
  if (limit.shards > 1) out << " shards " << limit.shards;
  if (limit.tier_from) out << " by " << gateway::to_text(*limit.tier_from) << " else " << limit.default_tier;
  for (const auto& tier : limit.tiers) {
    if (limit.tier_from) out << " {" << tier.name;
    for (const auto& rule : tier.rules) out << ' ' << describe(rule);
    if (limit.tier_from) out << '}';
  }
  return out.str() + '\n';
}

inline std::string describe(const net::ServerTlsOptions& tls) {
  std::string out = " tls " + std::to_string(static_cast<int>(tls.oldest));
  for (const auto& each : tls.certificates)
    out += ' ' + each.certificate + '+' + each.key + (each.ocsp.empty() ? "" : '+' + each.ocsp);
  for (const auto& each : tls.groups) out += ' ' + each;
  return out + " ca " + tls.client_ca + " tickets " + tls.ticket_secret;
}

inline std::string describe(const gateway::Cost& cost) {
  std::string out = std::to_string(cost.default_value);
  if (cost.from == nullptr) return out;
  out += '(' + std::string(cost.from->word);
  for (const auto& [method, each] : cost.methods) out += ' ' + method + '=' + std::to_string(each);
  return out + ' ' + cost.name + ' ' + std::to_string(cost.most) + (cost.debt ? " debt)" : ")");
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

/// What changes nothing is not shown.
inline std::string describe(const gateway::EditOptions& edits) {
  std::ostringstream out;
  for (const auto* const list : {&edits.request_fields, &edits.response_fields, &edits.respond_fields}) {
    for (const auto& each : *list) {
      out << " edit " << static_cast<int>(each.how) << ' ' << each.name;
      for (const auto& part : each.value) out << ' ' << static_cast<int>(part.kind) << part.text;
    }
  }
  const auto& rewrite = edits.rewrite;
  if (!rewrite.empty()) out << " as " << rewrite.strip_prefix << ' ' << rewrite.add_prefix << ' ' << rewrite.path;
  if (edits.always) out << " always";
  if (edits.host && edits.host->is != gateway::HostHeader::Is::as_received)
    out << " host " << static_cast<int>(edits.host->is) << edits.host->text;
  if (edits.answers) out << " answers " << *edits.answers;
  if (edits.redirect) out << " redirect " << edits.redirect->status << ' ' << edits.redirect->to;
  return out.str();
}

inline std::string describe(const gateway::AddressRules& rules) {
  std::ostringstream out;
  out << " allow " << rules.allow.size() << " deny " << rules.deny.size() << " files";
  for (const auto number : rules.allow_files) out << " +" << number;
  for (const auto number : rules.deny_files) out << " -" << number;
  return out.str();
}

inline std::string describe(const gateway::RouteOptions& route) {
  std::ostringstream out;
  out << "route " << route.name << " host " << route.host << " path " << route.path << " methods";
  for (const auto& method : route.methods) out << ' ' << method;
  for (const auto* const list : {&route.conditions.headers, &route.conditions.query}) {
    for (const auto& each : *list) {
      out << " if " << each.name;
      for (const auto& value : each.values) out << ' ' << value;
    }
  }
  for (const auto& block : route.conditions.client_ip) out << " from " << identity::to_text(block);
  if (route.addresses) out << describe(*route.addresses);
  if (route.edits) out << describe(*route.edits);
  if (route.https_port) out << " https " << *route.https_port;
  out << " to " << route.to;
  if (route.respond)
    out << " respond " << route.respond->status << ' ' << route.respond->body << ' ' << route.respond->content_type;
  if (!route.waiting_room.empty()) out << " room " << route.waiting_room;
  out << " limits" << describe(route.limits) << " skip";
  for (const auto& name : route.skip_limits) out << ' ' << name;
  out << " require " << static_cast<int>(route.require);
  if (route.basic) out << " basic " << route.basic->file << ' ' << route.basic->realm << ' ' << route.basic->pass_on;
  if (route.demands)
    out << " demands " << route.demands->token.scopes.size() << route.demands->token.claims.size()
        << route.demands->key.owners.size() << route.demands->key.tags.size();
  if (route.cross_origin) {
    const auto& rules = *route.cross_origin;
    out << " cors " << rules.origins.size() << rules.below.size() << rules.any << " methods " << rules.methods
        << " headers " << rules.headers << rules.any_header << " expose " << rules.expose << " credentials "
        << rules.credentials << " max_age " << rules.max_age;
  }
  if (route.split) {
    for (const auto& share : route.split->shares)
      out << " share " << share.upstream << ' ' << share.weight << ' ' << share.when.size();
    out << " by " << route.split->by.size();
  }
  if (route.ignore_case) out << " ignore_case " << *route.ignore_case;
  if (route.encoded_slash != gateway::EncodedSlash::reject) out << " keeps slashes";
  if (route.unknown_key) out << " unknown_key " << static_cast<int>(*route.unknown_key);
  if (route.priority != shed::Priority::normal) out << " priority " << to_text(route.priority);
  if (route.timeout) out << " timeout " << to_text(*route.timeout);
  if (route.between_bytes) out << " between_bytes " << to_text(*route.between_bytes);
  if (route.max_body) out << " max_body " << *route.max_body;
  if (route.min_rate) out << " min_rate " << *route.min_rate;
  if (route.client_close) out << " client_close " << static_cast<int>(*route.client_close);
  return out.str() + '\n';
}

inline std::string describe(const identity::JwtIssuer& issuer) {
  std::ostringstream out;
  out << " issuer [" << issuer.issuer << " for";
  for (const auto& audience : issuer.audiences) out << ' ' << audience;
  out << " by";
  for (const auto algorithm : issuer.algorithms) out << ' ' << static_cast<int>(algorithm);
  out << " types";
  for (const auto& type : issuer.types) out << ' ' << type;
  out << " leeway " << to_text(issuer.leeway);
  if (issuer.max_age) out << " max_age " << to_text(*issuer.max_age);
  const auto& keys = issuer.keys;
  out << " keys " << keys.secret << ' ' << keys.public_key_pem << ' ' << keys.jwks_file << ' ' << keys.jwks_url << ' '
      << keys.jwks_ca << ' ' << to_text(keys.refresh) << ' ' << to_text(keys.refetch) << ' '
      << to_text(keys.fetch_timeout) << ']';
  return out.str();
}

inline std::string describe(const identity::JwtOptions& jwt) {
  std::ostringstream out;
  out << " jwt in " << jwt.header << ' ' << jwt.cookie << ' ' << jwt.query << ' ' << jwt.pass_on << " remember "
      << jwt.remember;
  for (const auto& [field, claim] : jwt.claim_headers) out << ' ' << field << '=' << claim;
  for (const auto& issuer : jwt.issuers) out << describe(issuer);
  return out.str();
}

inline std::string describe(const identity::ApiKeyOptions& keys) {
  std::ostringstream out;
  out << " key in";
  for (const auto& header : keys.headers) out << ' ' << header;
  out << ' ' << keys.query << ' ' << keys.cookie << ' ' << keys.pass_on << ' ' << keys.written << ' ' << keys.file;
  for (const auto& [field, part] : keys.caller_headers) out << ' ' << field << '=' << static_cast<int>(part);
  for (const auto& key : keys.known) out << " [" << key.owner << ' ' << key.digest[0] + 0 << ' ' << key.tier << ']';
  return out.str();
}

inline std::string describe(const identity::IdentityOptions& options) {
  std::ostringstream out;
  out << "identity";
  for (const auto& [field, part] : options.certificate_headers) out << ' ' << field << '=' << static_cast<int>(part);
  for (const auto& network : options.trusted_proxies) out << ' ' << identity::to_text(network);
  out << " from " << static_cast<int>(options.address_field) << " /" << options.ipv6_prefix
      << describe(options.api_key);
  if (options.failures) out << " failures " << to_text(options.failures->rate) << ' ' << options.failures->burst;
  if (options.jwt) out << describe(*options.jwt);
  return out.str() + '\n';
}

inline std::string describe(const net::TlsOptions& tls) {
  std::ostringstream out;
  out << " tls " << tls.ca << ' ' << tls.certificate << ' ' << tls.key << ' ' << tls.server_name << ' ' << tls.verify;
  return out.str();
}

inline std::string describe(const redis::RedisOptions& redis) {
  std::ostringstream out;
  out << "redis " << static_cast<int>(redis.topology);
  for (const auto& node : redis.nodes) out << ' ' << node.host << ' ' << node.port;
  out << " master " << redis.master << ' ' << redis.sentinel_username << ' ' << redis.sentinel_password << " db "
      << redis.database << ' ' << redis.username << ' ' << redis.password << ' ' << redis.key_prefix << ' '
      << to_text(redis.timeout) << ' ' << redis.instances << ' ' << redis.max_in_flight;
  if (redis.tls) out << describe(*redis.tls);
  out << '\n';
  return out.str();
}

inline std::string describe(const gateway::WaitingRoom& room) {
  std::ostringstream out;
  const auto& rule = room.rule;
  out << "room " << rule.name << ' ' << rule.count << '/' << to_text(rule.period) << " burst " << rule.burst
      << " visitors " << rule.visitors << " grace " << to_text(rule.grace) << " stay " << to_text(rule.stay) << " per";
  for (const auto& per : room.per) out << ' ' << gateway::to_text(per);
  out << " at most " << rule.at_most;
  for (const auto& secret : room.secrets) out << ' ' << secret;
  out << ' ' << static_cast<int>(room.mode) << ' ' << static_cast<int>(room.store) << ' '
      << static_cast<int>(room.if_redis_down);
  const auto& page = room.page;
  for (const auto* text :
       {&page.title, &page.text, &page.place, &page.wait, &page.keep, &page.language, &page.colour, &page.colour_dark})
    out << " | " << *text;
  return out.str() + '\n';
}

inline std::string describe(const http::HeadBounds& head) {
  return std::to_string(head.bytes) + ' ' + std::to_string(head.fields) + ' ' + std::to_string(head.target_bytes);
}

inline std::string describe(const gateway::PathOptions& gateway) {
  std::ostringstream out;
  for (const auto& route : gateway.routes) out << describe(route);
  for (const auto& room : gateway.rooms) out << describe(room);
  for (const auto& each : gateway.exemptions) {
    out << "exempt " << each.limit;
    for (const auto& key : each.api_keys) out << ' ' << key;
    for (const auto& network : each.addresses) out << ' ' << identity::to_text(network);
    out << '\n';
  }
  out << "all" << describe(gateway.all_routes.limits) << ' ' << to_text(gateway.all_routes.timeout) << ' '
      << to_text(gateway.all_routes.between_bytes) << ' ' << gateway.all_routes.max_body << ' '
      << gateway.all_routes.min_rate << ' ' << static_cast<int>(gateway.all_routes.client_close) << ' '
      << static_cast<int>(gateway.all_routes.unknown_key) << ' ' << gateway.all_routes.ignore_case;
  if (gateway.all_routes.edits) out << describe(*gateway.all_routes.edits);
  out << '\n';
  out << "path " << to_text(gateway.write_timeout) << ' ' << to_text(gateway.tunnel_timeout) << ' '
      << describe(gateway.head_bounds) << ' ' << gateway.buffered << '\n';
  if (!gateway.hsts.empty()) out << "hsts " << gateway.hsts << '\n';
  out << "via " << gateway.via << " proxy_fields";
  for (const auto& name : gateway.proxy_fields) out << ' ' << name;
  for (const auto& each : gateway.tier_priorities)
    out << "\npriority " << each.limit << ' ' << each.tier << ' ' << to_text(each.priority);
  out << "\nshedding " << gateway.shedding.priority_from << ' ' << to_text(gateway.shedding.loop_lag);
  for (const auto& key : gateway.signing_keys) out << "\nsigns " << key;
  out << "\nrejection " << static_cast<int>(gateway.rejection.headers) << ' '
      << static_cast<int>(gateway.rejection.body.form) << ' ' << static_cast<int>(gateway.error_pages) << '\n';
  if (!gateway.usage.empty()) out << "usage " << gateway.usage << '\n';
  return out.str();
}

inline std::string describe(const Config& config) {
  std::ostringstream out;
  out << "instance " << config.instance << " workers " << config.workers << " drain " << to_text(config.drain_delay)
      << ' ' << to_text(config.drain) << '\n';
  for (const auto& each : config.listen) {
    out << "listen " << each.host << ' ' << each.port << ' ' << each.text;
    if (each.https_port != 0) out << " https " << each.https_port;
    if (each.tls) out << describe(*each.tls);
    out << (each.proxy_protocol ? " proxy_protocol\n" : "\n");
  }
  if (config.admin) {
    out << "admin " << config.admin->listen.text << ' ';
    for (const auto* tokens : {&config.admin->tokens, &config.admin->read_tokens})
      for (const auto& token : *tokens) out << token << ' ';
    out << '\n';
  }
  out << describe(config.identity);
  if (config.redis) out << describe(*config.redis);
  out << "memory " << config.memory.max_keys << '\n';
  for (const auto& each : config.upstreams) {
    out << "upstream " << each.name << ' ' << to_text(each.connect_timeout) << ' ' << to_text(each.idle_timeout) << ' '
        << each.max_idle << ' ' << each.head_bytes << ' ' << to_text(each.resolve_every);
    if (each.connection_lifetime > Duration(0)) out << " life " << to_text(each.connection_lifetime);
    if (each.health) {
      const auto& health = *each.health;
      out << " health " << health.path << ' ' << health.host;
      for (const auto& range : health.expect) out << ' ' << range.least << '-' << range.most;
      out << ' ' << to_text(health.every) << ' ' << to_text(health.timeout) << ' ' << health.rule.down_after << ' '
          << health.rule.up_after;
    }
    for (const auto& server : each.servers)
      out << " [" << server.host << ' ' << server.port << ' ' << server.text
          << (server.weight != 1 ? " weight " + std::to_string(server.weight) : "")
          << (server.max_in_flight > 0 ? " most " + std::to_string(server.max_in_flight) : "")
          << (server.backup ? " backup]" : "]");
    if (each.balance != &balance::default_policy()) out << " by " << each.balance->name;
    if (each.slow_start > Duration(0)) out << " slow start " << to_text(each.slow_start);
    if (const auto& eject = each.eject; eject != balance::EjectOptions{})
      out << (eject.on ? " ejects " : " ejects none ") << eject.in_a_row << ' ' << eject.share << ' '
          << to_text(eject.of_last) << ' ' << eject.at_least << ' ' << to_text(eject.silent) << ' ' << eject.slower
          << ' ' << to_text(eject.time) << ' ' << to_text(eject.longest) << ' ' << eject.most << ' '
          << eject.panic_below;
    if (each.circuit)
      out << " circuit " << each.circuit->open_at << ' ' << to_text(each.circuit->of_last) << ' '
          << each.circuit->at_least << ' ' << to_text(each.circuit->try_again);
    if (each.tls) out << describe(*each.tls);
    if (const auto& places = each.concurrency) {
      out << " concurrency " << places->in_flight << ' ' << places->reserved << ' '
          << static_cast<int>(each.in_flight_store);
      if (places->adaptive) out << ' ' << places->adaptive->least << " to " << places->adaptive->most;
      if (places->queue) out << " queue " << places->queue->length << ' ' << to_text(places->queue->wait);
    }
    for (const auto* const key : {&each.balance_per, &each.queue_per})
      for (const auto& per : *key) out << ' ' << gateway::to_text(per);
    if (each.server_queue)
      out << " server queue " << each.server_queue->length << ' ' << to_text(each.server_queue->wait);
    out << '\n';
  }
  for (const auto& each : config.limits) out << describe(each);
  if (config.billing) out << "billing " << to_text(config.billing->kept) << ' ' << config.billing->days->zone() << '\n';
  if (config.webhook)
    out << "webhook " << config.webhook->url.host << ' ' << config.webhook->secrets.size() << ' ' << config.webhook->ca
        << ' ' << to_text(config.webhook->timeout) << '\n';
  if (const auto& tracing = config.gateway.tracing)
    out << "tracing " << tracing->sample_below << ' ' << tracing->parent_based << tracing->client_address << '\n';
  if (const auto& traces = config.traces)
    out << "traces " << net::to_text(traces->url) << ' ' << traces->fields << ' ' << traces->ca << ' '
        << to_text(traces->timeout) << ' ' << traces->service << '\n';
  out << describe(config.gateway);
  const auto& times = config.timeouts;
  out << "timeouts " << to_text(times.handshake) << ' ' << to_text(times.idle) << ' ' << to_text(times.head) << ' '
      << to_text(times.body) << ' ' << to_text(times.write) << ' ' << to_text(times.tunnel) << '\n';
  const auto& bounds = config.bounds;
  out << "bounds " << describe(bounds.head) << ' ' << bounds.connections << ' ' << bounds.handshakes << ' '
      << bounds.handshakes_per_address << '\n';
  out << "log " << static_cast<int>(config.log.level) << ' ' << static_cast<int>(config.log.format) << ' '
      << config.log.access << ' ' << config.log.error << ' ' << config.log.key.has_value();
  const observe::LogOptions usual;
  if (config.log.fields != usual.fields) out << " fields " << config.log.fields;
  if (config.log.keep_ok != usual.keep_ok) out << " keep_ok " << config.log.keep_ok;
  if (config.log.refusals_every.count() > 0) out << " refusals " << to_text(config.log.refusals_every);
  for (const auto& each : config.log.callers) out << ' ' << each;
  out << '\n';
  return out.str();
}

}  // namespace headgate::config
