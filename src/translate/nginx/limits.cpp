// Translates limit_req and limit_conn, so that headgate lets the same requests pass as nginx.

#include "translate/draft/json.hpp"
#include "translate/nginx/work.hpp"
#include "translate/reading/numbers.hpp"
#include "translate/unreadable.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

constexpr std::uint64_t kLongestWait = 60'000;  // in ms; the longest time for which headgate can delay a request

/// Returns the value of "name=value" among the words.
std::string_view value_of(const Directive& directive, std::string_view name) {
  for (const auto& word : directive.words)
    if (std::string_view(word).starts_with(name) && word.size() > name.size() && word[name.size()] == '=')
      return std::string_view(word).substr(name.size() + 1);
  return {};
}

bool has_word(const Directive& directive, std::string_view word) {
  return std::find(directive.words.begin(), directive.words.end(), word) != directive.words.end();
}

void find_zone(NginxWork& work, const Directive& directive) {
  const auto zone = value_of(directive, "zone");
  NginxZone out{.directive = &directive, .key = std::string(directive.word(0)), .unit = {}};
  if (directive.name == "limit_req_zone") {
    const auto rate = value_of(directive, "rate");
    const auto number = whole_count(rate.substr(0, rate.find('r')));
    if (rate.ends_with("r/s"))
      out.unit = "second";
    else if (rate.ends_with("r/m"))
      out.unit = "minute";
    if (!number || *number == 0 || out.unit.empty() || zone.empty())
      throw Unreadable(directive.spot, "this is not a zone: " + one_line(directive.text()),
                       "as in: limit_req_zone $binary_remote_addr zone=one:10m rate=10r/s;");
    out.count = *number;
  } else if (zone.empty()) {
    throw Unreadable(directive.spot, "this is not a zone: " + one_line(directive.text()),
                     "as in: limit_conn_zone $binary_remote_addr zone=addr:10m;");
  }
  if (has_word(directive, "sync"))
    work.draft.say(Matter::differs, directive.spot, "sync", "gateways count together in Redis: write \"redis\"");
  constexpr std::size_t kMaxZones = 1000;
  if (work.zones.size() >= kMaxZones)
    throw Unreadable(directive.spot, "there are more than " + std::to_string(kMaxZones) + " zones");
  work.zones.try_emplace(std::string(zone.substr(0, zone.find(':'))), out);
}

/// Begins a limit with the key of a zone: sets "per" and the keys that belong to it.
DraftEntry begin_limit(NginxWork& work, const std::string& name, NginxZone& zone, const Directive& use) {
  DraftEntry out;
  out.name = free_name(name, work.draft.limit_names);
  out.spot = use.spot;
  out.from = use.text();
  if (zone.directive != &use) out.comments.push_back(zone.directive->text());
  auto key = nginx_key(work, zone.key, zone.directive->spot);
  out.remarks = std::move(key.remarks);
  out.off = key.per.empty();
  if (zone.count > 0) out.set("rate", rate_of(zone.count, zone.unit));
  out.set("per", key.per.empty() ? json_text("total") : key.per);
  out.set("if_absent", key.if_absent);
  out.set("exempt", key.exempt);
  return out;
}

void say_once(NginxWork& work, DraftEntry& entry, const Spot& spot, const std::string& what, const std::string& why) {
  if (work.said.insert(why).second) say(entry, Matter::differs, spot, what, why);
}

void say_status(NginxWork& work, const NginxScope& scope, std::string_view directive, DraftEntry& limit) {
  const auto* const status = scope.one(directive);
  if (status != nullptr && status->word(0) == "429") return;
  say_once(work, limit, status == nullptr ? limit.spot : status->spot,
           status == nullptr ? std::string(directive) + " 503" : status->text(),
           "headgate rejects with 429 and Retry-After");
}

std::string finish_limit(NginxWork& work, DraftEntry limit, const std::string& id) {
  if (limit.get("per").find("client_ip") != std::string_view::npos)
    say_once(work, limit, limit.spot, "$binary_remote_addr",
             "headgate counts all IPv6 addresses of a /64 block as one client; \"identity\": { \"ipv6_prefix\": 128 } "
             "counts each address, as nginx does");
  auto name = limit.off ? std::string() : limit.name;
  work.limits[id] = name;
  put_limit(work.draft, std::move(limit));
  return name;
}

/// Sets how many requests may exceed the rate, and how many of them pass at once.
void set_burst(const Directive& use, const NginxZone& zone, DraftEntry& limit) {
  const auto burst = whole_count(value_of(use, "burst")).value_or(0);
  const auto at_once =
      has_word(use, "nodelay") ? burst : std::min(burst, whole_count(value_of(use, "delay")).value_or(0));
  const auto waiting = burst - at_once;
  const std::uint64_t period = zone.unit == "minute" ? 60'000 : 1000;
  if (waiting == 0) {
    limit.set("burst", std::to_string(burst + 1));
    if (burst > 0)
      limit.comments.push_back("nginx lets one request and " + std::to_string(burst) + " more through at once.");
    return;
  }
  const auto wait = (waiting * period + zone.count - 1) / zone.count;
  if (at_once == 0) {
    limit.set("algorithm", json_text("leaky_bucket"));
    limit.set("burst", std::to_string(burst + 1));
    limit.comments.push_back("Without nodelay, requests wait, as in nginx: one passes at once, and " +
                             std::to_string(burst) + " more follow one after the other.");
  } else {
    limit.set("burst", std::to_string(at_once + 1));
    limit.comments.push_back("One and " + std::to_string(at_once) + " more pass at once, and " +
                             std::to_string(waiting) + " after them wait for their turn.");
  }
  limit.set("wait", milliseconds(std::min(wait, kLongestWait)));
  if (wait > kLongestWait)
    say(limit, Matter::lost, use.spot, use.text(),
        "nginx lets requests wait for up to " + std::to_string(wait / 1000) +
            "s; headgate rejects those that would wait longer than a minute");
}

std::string limit_for_rate(NginxWork& work, const NginxScope& scope, const Directive& use, NginxZone& zone,
                           const std::string& name) {
  const bool observe = scope.on("limit_req_dry_run");
  const auto id = "rate " + name + ' ' + std::string(value_of(use, "burst")) + ' ' +
                  std::string(value_of(use, "delay")) + (has_word(use, "nodelay") ? " nodelay" : "") +
                  (observe ? " dry" : "");
  if (const auto known = work.limits.find(id); known != work.limits.end()) return known->second;
  const bool again = zone.used;
  zone.used = true;
  auto limit = begin_limit(work, name, zone, use);
  set_burst(use, zone, limit);
  if (observe) limit.set("mode", json_text("observe"));
  if (again)
    say(limit, Matter::lost, use.spot, use.text(),
        "zone " + name + " is used in several ways: nginx counts them together, headgate each by itself");
  say_status(work, scope, "limit_req_status", limit);
  return finish_limit(work, std::move(limit), id);
}

std::string limit_for_connections(NginxWork& work, const NginxScope& scope, const Directive& use, NginxZone& zone,
                                  const std::string& name) {
  const auto number = whole_count(use.word(1));
  if (!number || *number == 0)
    throw Unreadable(use.spot, "this is not a number of connections: " + one_line(use.text()),
                     "as in: limit_conn addr 10;");
  const bool observe = scope.on("limit_conn_dry_run");
  const auto id = "connections " + name + ' ' + std::to_string(*number) + (observe ? " dry" : "");
  if (const auto known = work.limits.find(id); known != work.limits.end()) return known->second;
  const bool again = zone.used;
  zone.used = true;
  auto limit = begin_limit(work, name, zone, use);
  limit.fields.insert(limit.fields.begin(), {"in_flight", std::to_string(*number)});
  if (observe) limit.set("mode", json_text("observe"));
  if (again)
    say(limit, Matter::lost, use.spot, use.text(),
        "zone " + name + " is used in several ways: nginx counts them together, headgate each by itself");
  say_status(work, scope, "limit_conn_status", limit);
  return finish_limit(work, std::move(limit), id);
}

}  // namespace

void find_zones(NginxWork& work, const std::vector<Directive>& level) {
  for (const auto& each : level) {
    if (each.name == "limit_req_zone" || each.name == "limit_conn_zone") find_zone(work, each);
    const bool map = each.name == "map" && each.words.size() == 2;
    const bool geo = each.name == "geo" && !each.words.empty();
    if ((map || geo) && each.words.back().starts_with('$')) work.maps[each.words.back().substr(1)] = &each;
  }
}

void apply_limits(NginxWork& work, const NginxScope& scope, DraftEntry& route) {
  const auto apply = [&](const Directive& use, const std::string& name, bool connections) {
    const auto zone = work.zones.find(name);
    if (zone == work.zones.end() || (zone->second.count == 0) != connections) {
      say(route, Matter::lost, use.spot, use.text(), "none of the files defines this zone");
      return;
    }
    const auto limit = connections ? limit_for_connections(work, scope, use, zone->second, name)
                                   : limit_for_rate(work, scope, use, zone->second, name);
    if (!limit.empty()) route.use(limit);
  };
  for (const auto* use : scope.all("limit_req")) apply(*use, std::string(value_of(*use, "zone")), false);
  for (const auto* use : scope.all("limit_conn")) apply(*use, std::string(use->word(0)), true);
}

void keep_unused_zones(NginxWork& work) {
  for (auto& [name, zone] : work.zones) {
    if (zone.used) continue;
    if (zone.count == 0) {
      work.draft.say(Matter::aside, zone.directive->spot, zone.directive->text(),
                     "no limit_conn in the files says how many connections");
      continue;
    }
    auto limit = begin_limit(work, name, zone, *zone.directive);
    limit.comments.push_back("No limit_req in the files uses it; without burst, as here, requests come evenly spaced.");
    limit.set("burst", "1");
    finish_limit(work, std::move(limit), "unused " + name);
  }
}

}  // namespace headgate::translate
