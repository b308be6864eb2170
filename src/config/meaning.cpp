// Describes a valid configuration in words.

#include "config/words.hpp"

#include "headgate/config/load.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/limit/algorithm.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace headgate::config {
namespace {

using gateway::Counts;
using limit::Per;

std::string counted(std::size_t count, const std::string& word) {
  return std::to_string(count) + ' ' + word + (count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

std::string noun(const Per& per) { return per.source->noun(per.name); }

// Returns, for example, "each client address on each route".
std::string who(const std::vector<Per>& pers) {
  if (pers.size() == 1 && pers[0].source->counts == Counts::everybody) return "all callers together";
  std::vector<std::string> callers;
  std::vector<std::string> places;
  for (const auto& per : pers) (per.source->counts == Counts::places ? places : callers).push_back(noun(per));
  if (callers.empty()) return "each " + listed(places);
  return (callers.size() > 1 ? "each pair of " : "each ") + listed(callers) +
         (places.empty() ? "" : " on each " + listed(places));
}

// If a tier has several rates, the noun ("requests") is left out: "5 a minute on average, 5 at once, and 30 an hour on
// average, 30 at once".
std::string amounts(const limit::Limit& limit, const std::vector<limit::Rule>& rules, bool with_noun) {
  if (rules.empty()) return "unlimited";
  std::string out;
  for (const auto& rule : rules) {
    const bool one = rule.rate.count == 1;
    const std::string_view noun = limit.glitches                     ? (one ? " glitch" : " glitches")
                                  : limit.messages                   ? (one ? " message" : " messages")
                                  : limit.unit == limit::Unit::token ? (one ? " token" : " tokens")
                                  : limit.unit == limit::Unit::money
                                      ? (one ? " micro-unit of money" : " micro-units of money")
                                      : (one ? " request" : " requests");
    out += (out.empty() ? "" : ", and ") +
           rule.algorithm->meaning(rule, with_noun && rules.size() == 1 ? noun : std::string_view());
  }
  return out;
}

std::string absent(const limit::IfAbsent& absent) {
  std::string out;
  for (const auto& key : absent.instead) {
    std::vector<std::string> words;
    words.reserve(key.size());
    for (const auto& per : key) words.push_back(noun(per));
    out += (out.empty() ? "; a caller without it counts by " : ", else by ") + listed(words);
  }
  if (absent.last == limit::IfAbsent::Last::unset) return out;
  const std::string verb = absent.last == limit::IfAbsent::Last::skip ? "is not counted" : "is rejected";
  out += absent.instead.empty() ? "; a caller without it " + verb : ", else it " + verb;
  if (absent.status != 0) out += " with " + std::to_string(absent.status);
  return out;
}

std::string exempt(const gateway::Exemption& exemption) {
  std::vector<std::string> words;
  if (!exemption.api_keys.empty()) {
    words.push_back((exemption.api_keys.size() == 1 ? "the API key of " : "the API keys of ") +
                    listed(exemption.api_keys));
  }
  for (const auto& each : exemption.addresses) words.push_back(identity::to_text(each));
  return words.empty() ? "" : "; not for " + listed(words);
}

bool leases(const limit::Limit& limit) {
  return std::any_of(limit.tiers.begin(), limit.tiers.end(), [](const limit::Tier& tier) {
    return std::any_of(tier.rules.begin(), tier.rules.end(), [](const limit::Rule& rule) { return rule.leases; });
  });
}

std::string either_of(const std::vector<unsigned>& statuses) {
  std::string out;
  for (std::size_t i = 0; i < statuses.size(); ++i)
    out += (i == 0 ? "" : i + 1 == statuses.size() ? " or " : ", ") + std::to_string(statuses[i]);
  return out;
}

std::string answers(const std::vector<unsigned>& statuses) {
  return statuses.empty() ? "" : "; only answers with " + either_of(statuses) + " count";
}

// Returns, for example, "; 20 rejections within 1m suspend it for 10m, then twice as long each time, at most 24h".
std::string suspends(const limit::Limit& limit) {
  if (!limit.ban) return {};
  const auto& ban = *limit.ban;
  const auto count = ban.offences.burst;
  std::string out = "; " + std::to_string(count);
  if (limit.glitches)
    out = "; to exceed it " + (count == 1 ? std::string("once") : std::to_string(count) + " times");
  else
    out += ban.statuses.empty() ? (count == 1 ? " rejection" : " rejections")
                                : (count == 1 ? " answer with " : " answers with ") + either_of(ban.statuses);
  out += " within " + to_text(ban.offences.rate.period) +
         (count == 1 || limit.glitches ? " suspends it for " : " suspend it for ") + to_text(ban.first);
  if (ban.longest > ban.first) out += ", then twice as long each time, at most " + to_text(ban.longest);
  if (ban.closes) out += ", without an answer";
  if (limit.store == limit::Store::memory) out += ", until a restart at the latest";
  return out;
}

// Returns, for example, "; the webhook is told when it has used 80% and 100%".
std::string notifies(const limit::Limit& limit) {
  std::vector<std::string> parts;
  parts.reserve(limit.notify_at.size());
  for (const auto percent : limit.notify_at) parts.push_back(std::to_string(percent) + '%');
  return parts.empty() ? "" : "; the webhook is told when it has used " + listed(parts);
}

// Returns the remarks that apply to all tiers of a limit; each begins with a semicolon.
std::string circumstances(const limit::Limit& limit, const std::vector<gateway::Exemption>& exemptions) {
  std::string out = limit.store == limit::Store::memory ? "; counted in this gateway's memory" : "; in Redis";
  if (limit.shards > 1) out += ", in " + std::to_string(limit.shards) + " shards";
  if (limit.appointments && limit.mode == limit::Mode::enforce)
    out += "; a rejected request gets an appointment, at most " + headgate::to_text(limit.appointments->ahead) +
           " ahead and " + headgate::to_text(limit.appointments->width) + " long";
  if (limit.count_rejected) out += "; rejected requests count as well";
  out += answers(limit.counted_statuses);
  out += suspends(limit);
  out += notifies(limit);
  out += absent(limit.if_absent);
  for (const auto& each : exemptions) {
    if (each.limit == limit.name) out += exempt(each);
  }
  if (limit.mode == limit::Mode::observe) out += "; only observes, rejects nobody";
  return out;
}

// Returns one line for the limit, and one for each of its tiers. `margin` is the column at which the second part of a
// line begins.
std::string sentence(const limit::Limit& limit, const std::vector<gateway::Exemption>& exemptions, std::size_t margin) {
  const auto rest = circumstances(limit, exemptions);
  if (limit.size_from)
    return who(limit.per) + ": as many as " + limit.size_from->from.source->tier.noun(limit.size_from->from.name) +
           " says, at most " + std::to_string(limit.size_from->most) + ", otherwise " +
           amounts(limit, limit.tiers.front().rules, true) + rest + '\n';
  if (!limit.tier_from) return who(limit.per) + ": " + amounts(limit, limit.tiers.front().rules, true) + rest + '\n';
  std::size_t width = 0;
  for (const auto& tier : limit.tiers) width = std::max(width, tier.name.size());
  std::string out = who(limit.per) + ", by " + limit.tier_from->source->tier.noun(limit.tier_from->name) + " (else \"" +
                    limit.tiers[limit.default_tier].name + "\")" + rest + ":\n";
  for (const auto& tier : limit.tiers) {
    out += std::string(margin + 2, ' ') + tier.name + std::string(width - tier.name.size() + 2, ' ') +
           amounts(limit, tier.rules, false) + '\n';
  }
  return out;
}

std::string table(const Config& config) {
  std::size_t width = std::string_view("limit").size();
  for (const auto& each : config.limits) width = std::max(width, each.name.size());
  const auto name = [width](const std::string& text) { return text + std::string(width - text.size() + 2, ' '); };
  std::string out = '\n' + name("limit") + "means\n";
  for (const auto& each : config.limits) out += name(each.name) + sentence(each, config.gateway.exemptions, width + 2);
  return out;
}

std::string batches(const Config& config) {
  std::vector<std::string> names;
  for (const auto& each : config.limits) {
    if (leases(each)) names.push_back(each.name);
  }
  if (names.empty()) return {};
  return "\nA gateway takes from Redis in batches for busy keys of " + listed(names) + ".\n";
}

std::string policy(limit::IfRedisDown down, const std::string& names, std::uint32_t instances) {
  const std::string whom = names.empty() ? "" : names + ": ";
  switch (down) {
    case limit::IfRedisDown::allow:
      return whom + "requests are neither counted nor rejected.";
    case limit::IfRedisDown::reject:
      return whom + "every request is rejected.";
    case limit::IfRedisDown::count_locally:
      break;
  }
  return whom +
         "each gateway counts by itself and grants its share of these numbers: they are divided by the number of "
         "gateways that it has seen in Redis" +
         (instances > 1 ? ", but by at least " + std::to_string(instances) + " (\"instances\")." : ".");
}

std::string when_redis_is_down(const Config& config) {
  std::array<std::vector<std::string>, 3> names;
  for (const auto& each : config.limits) {
    if (each.store == limit::Store::redis) names[static_cast<std::size_t>(each.if_redis_down)].push_back(each.name);
  }
  const auto groups = std::count_if(names.begin(), names.end(), [](const auto& group) { return !group.empty(); });
  if (groups == 0) return {};
  const std::uint32_t instances = config.redis ? config.redis->instances : 1;
  std::string out = groups == 1 ? "\nIf Redis is down, " : "\nIf Redis is down:\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    out += (groups == 1 ? "" : "  ") +
           policy(static_cast<limit::IfRedisDown>(i), groups == 1 ? "" : listed(names[i]), instances) + '\n';
  }
  return out;
}

/// "It includes 2 files: routes/a.json and routes/b.json."
std::string included(const std::vector<std::string>& files) {
  constexpr std::size_t kShown = 20;
  if (files.empty()) return {};
  std::vector<std::string> shown(files.begin(),
                                 files.begin() + static_cast<std::ptrdiff_t>(std::min(files.size(), kShown)));
  if (files.size() > kShown) shown.push_back(std::to_string(files.size() - kShown) + " more");
  return "It includes " + counted(files.size(), "file") + ": " + listed(shown) + ".\n";
}

}  // namespace

std::string meaning_of(const limit::Limit& limit, const Config& config) {
  auto out = sentence(limit, config.gateway.exemptions, 0);
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

std::string check_json(const Loaded& loaded, std::string_view file) {
  using Json = nlohmann::ordered_json;
  const Json out{{"file", file},
                 {"valid", loaded.config.has_value()},
                 {"diagnostics", Json::parse(render_json(loaded.diagnostics, file))},
                 {"routes", loaded.config ? routes_as_json(loaded.config->gateway) : Json::array()}};
  // A name may contain bytes that are not UTF-8. Without `replace`, dump would throw.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string meaning(const Config& config, std::string_view file) {
  std::size_t servers = 0;
  for (const auto& each : config.upstreams) servers += each.servers.size();
  std::string out = std::string(file) + " is valid: " + counted(config.listen.size(), "listener") + ", " +
                    counted(config.upstreams.size(), "upstream");
  if (servers > 0) out += " (" + counted(servers, "server") + ')';
  out += ", " + counted(config.gateway.routes.size(), "route") + ", " + counted(config.limits.size(), "limit") + '\n' +
         included(config.included);
  if (const auto* const beside = config.candidate.get())
    out += beside->file + " runs beside it as a candidate, and its decisions are only compared: " +
           counted(beside->gateway.routes.size(), "route") + ", " + counted(beside->limits.size(), "limit") + ".\n";
  const auto paths = delivery_in_words(config) + kept_slashes(config.gateway) + tls_in_words(config) +
                     care_in_words(config) + origins_in_words(config.gateway) + regexes_in_words(config.gateway) +
                     compression_in_words(config.gateway) + observing_in_words(config);
  const auto rooms = rooms_in_words(config);
  const auto shedding = shedding_in_words(config);
  const auto balancing = balance_in_words(config) + servers_in_words(config);
  if (config.limits.empty() && rooms.empty()) {
    const char* const all = shedding.empty() ? ": requests are not counted.\n" : " per caller.\n";
    return out + "\nThere is no limit" + all + routes_in_words(config.gateway) + shedding + balancing + paths;
  }
  if (!config.limits.empty()) out += table(config);
  return out + rooms + routes_in_words(config.gateway) + batches(config) + when_redis_is_down(config) +
         content_costs_in_words(config) + billing_in_words(config) + shedding + balancing + paths;
}

}  // namespace headgate::config
