#include "headgate/admin/explain_json.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"
#include "headgate/limit/unit_text.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace headgate::admin {
namespace {

using ExplainJson = nlohmann::ordered_json;
using gateway::LimitState;

/// Returns seconds, rounded up to milliseconds.
double seconds_of(Duration duration) { return std::ceil(static_cast<double>(duration.count()) / 1'000) / 1'000; }

/// Rounds to thousandths, so that a share is shown as the configuration has it.
double thousandths(double share) { return std::round(share * 1'000) / 1'000; }

ExplainJson rule_json(const gateway::RuleState& rule) {
  ExplainJson out;
  if (!rule.name.empty()) out["rule"] = rule.name;
  out["rate"] = rule.rate;
  if (!rule.balance) {
    out["limit"] = rule.limit;
    out["used"] = rule.used();
  }
  out["remaining"] = rule.remaining;
  if (!rule.balance) out["reset"] = seconds_of(rule.reset_after);
  out["allowed"] = rule.allowed;
  if (!rule.allowed)
    out["retry_after"] = rule.retry_after >= limit::kNever ? ExplainJson() : ExplainJson(seconds_of(rule.retry_after));
  if (rule.delay > Duration(0)) out["delay"] = seconds_of(rule.delay);
  return out;
}

ExplainJson limit_json(const LimitState& state) {
  ExplainJson out = {{"limit", state.name}, {"per", state.per}};
  if (!state.tier.empty()) out["tier"] = state.tier;
  if (state.size) out["size"] = {{"from", state.size->from}, {"told", state.size->told}};
  if (state.override) {
    out["override"] = {{"until", moment_text(state.override->until)}};
    if (!state.override->why.empty()) out["override"]["why"] = state.override->why;
  }
  out["applies"] = gateway::to_text(state.applies);
  out["mode"] = state.observed ? "observe" : "enforce";
  if (state.suspended > Duration(0)) out["suspended"] = seconds_of(state.suspended);
  out["counted_in"] = gateway::to_text(state.source);
  if (state.applies != LimitState::Applies::counted) return out;
  if (!state.key.empty()) out["key"] = state.key;
  if (!state.key_id.empty()) out["key_id"] = state.key_id;
  out["cost"] = state.cost;
  if (state.unit != limit::Unit::request) out["unit"] = limit::to_text(state.unit);
  if (!state.currency.empty()) out["currency"] = state.currency;
  if (state.shards > 1) out["one_of_shards"] = state.shards;
  out["rules"] = ExplainJson::array();
  for (const auto& rule : state.rules) out["rules"].push_back(rule_json(rule));
  return out;
}

ExplainJson caller_json(const gateway::Explanation& told) {
  ExplainJson out = {{"address", told.address}, {"through_trusted_proxy", told.through_trusted}};
  if (told.through_trusted) out["hops_believed"] = told.hops;
  if (!told.owner.empty()) out["api_key_of"] = told.owner;
  for (const auto& [name, value] : told.groups) out["groups"][name] = value;
  if (!told.subject.empty()) out["jwt_sub"] = told.subject;
  if (!told.user.empty()) out["basic_user"] = told.user;
  out["proofs"] = ExplainJson::array();
  for (const auto& [kind, result] : told.proofs) out["proofs"].push_back({{"kind", kind}, {"result", result}});
  return out;
}

ExplainJson outcome_json(const gateway::Explanation& told) {
  ExplainJson out = {{"passes", told.status == 0 || told.ended_by == "respond" || told.ended_by == "preflight"}};
  if (told.call) {
    out["passes"] = told.call->code == "OK";
    out["code"] = told.call->code;
  } else if (told.status != 0) {
    out["status"] = told.status;
  }
  out["ended_by"] = told.ended_by;
  const auto text = [&out](const char* name, const std::string& value) {
    if (!value.empty()) out[name] = value;
  };
  text("limit", told.limit);
  text("detail", told.detail);
  text("location", told.location);
  text("challenge", told.challenge);
  if (told.retry_after > 0) out["retry_after"] = told.retry_after;
  if (told.delay > Duration(0)) out["delay"] = seconds_of(told.delay);
  if (told.queues) out["waits_in_queue_first"] = true;
  for (const auto& [member, sentence, value] : told.besides) {
    out[std::string(member)] = value.empty() ? ExplainJson(true) : ExplainJson(value);
    out["besides"].push_back(value.empty() ? std::string(sentence) : std::string(sentence) + ": " + value);
  }
  if (told.counted_without_redis) {
    out["redis"] = "does not answer";
    out["gateways"] = told.gateways;
  }
  if (!told.binding.empty()) {
    out["told"] = {{"limit", told.binding}, {"of", told.most}, {"remaining", told.remaining}};
    if (told.most == 0) out["told"].erase("of");  // a balance has no size
  }
  return out;
}

ExplainJson call_json(const gateway::ExplainedCall& call) {
  ExplainJson out = {{"domain", call.domain}, {"descriptors", ExplainJson::array()}};
  for (const auto& each : call.descriptors) {
    ExplainJson row = {{"descriptor", ExplainJson::object()}, {"entry", nullptr}};
    for (const auto& [key, value] : each.entries) row["descriptor"][key] = value;
    if (!each.entry.empty()) row["entry"] = each.entry;
    row["code"] = each.status.over ? "OVER_LIMIT" : "OK";
    row["hits"] = each.hits;
    row["limits"] = ExplainJson::array();
    for (const auto& state : each.limits) row["limits"].push_back(limit_json(state));
    out["descriptors"].push_back(std::move(row));
  }
  return out;
}

template <class T>
Result<T, std::string> wrong_body(std::string sentence) {
  return {boost::system::in_place_error, std::move(sentence)};
}

Result<gateway::ExplainedParts, std::string> parts_of(const ExplainJson& body) {
  gateway::ExplainedParts parts;
  if (!body.is_object()) return wrong_body<gateway::ExplainedParts>("the body is a JSON object");
  for (const auto& [name, value] : body.items()) {
    auto* const text = name == "method" ? &parts.method
                       : name == "url"  ? &parts.url
                       : name == "ip"   ? &parts.address
                                        : nullptr;
    if (text != nullptr) {
      if (!value.is_string()) return wrong_body<gateway::ExplainedParts>("\"" + name + "\" is a text");
      *text = value.get<std::string>();
    } else if (name != "headers") {
      return wrong_body<gateway::ExplainedParts>(R"(the keys are "method", "url", "headers" and "ip")");
    }
  }
  for (const auto& field : body.value("headers", ExplainJson::array())) {
    const bool pair = field.is_array() && field.size() == 2 && field[0].is_string() && field[1].is_string();
    if (!pair)
      return wrong_body<gateway::ExplainedParts>(R"("headers" is a list of pairs, as in [["Host", "a.example"]])");
    parts.fields.emplace_back(field[0].get<std::string>(), field[1].get<std::string>());
  }
  return parts;
}

constexpr std::string_view kCallExample = R"({"domain": "edge", "descriptors": [{"generic_key": "login"}]})";

Result<gateway::ExplainedRequest, std::string> call_of(const ExplainJson& body) {
  const auto wrong = [](std::string_view what) {
    return wrong_body<gateway::ExplainedRequest>(std::string(what) + ", as in " + std::string(kCallExample));
  };
  gateway::ExplainedRequest out;
  auto& call = out.call.emplace();
  for (const auto& [name, value] : body.items())
    if (name != "domain" && name != "descriptors" && name != "hits")
      return wrong(R"(the keys of a call are "domain", "descriptors" and "hits")");
  const auto domain = body.find("domain");
  if (domain == body.end() || !domain->is_string() || domain->get_ref<const std::string&>().empty())
    return wrong(R"("domain" is a text that is not empty)");
  call.domain = domain->get<std::string>();
  const auto descriptors = body.find("descriptors");
  if (descriptors == body.end() || !descriptors->is_array() || descriptors->empty() ||
      descriptors->size() > gateway::kMaxDescriptors)
    return wrong(R"("descriptors" is a list of 1 to 64 objects)");
  for (const auto& each : *descriptors) {
    if (!each.is_object() || each.empty()) return wrong("a descriptor is an object with a key and a text at least");
    auto& entries = call.descriptors.emplace_back().entries;
    for (const auto& [key, value] : each.items()) {
      if (!value.is_string()) return wrong("the values of a descriptor are texts");
      entries.emplace_back(key, value.get<std::string>());
    }
    std::ranges::sort(entries);
  }
  if (const auto hits = body.find("hits"); hits != body.end()) {
    constexpr std::uint64_t kMaxHits = std::numeric_limits<std::uint32_t>::max();
    if (!hits->is_number_unsigned() || *hits < 1 || *hits > kMaxHits)
      return wrong_body<gateway::ExplainedRequest>("\"hits\" is a number from 1 to " + std::to_string(kMaxHits));
    call.hits = hits->get<std::uint32_t>();
  }
  return out;
}

}  // namespace

ExplainJson to_json(const gateway::Explanation& told, const gateway::ConsideredRoutes& candidates) {
  if (told.call) return {{"call", call_json(*told.call)}, {"outcome", outcome_json(told)}};
  ExplainJson out = {{"request", {{"method", told.method}, {"host", told.host}, {"path", told.path}}},
                     {"route", nullptr}};
  if (!told.route.empty()) {
    out["route"] = {{"name", told.route}, {"path", told.pattern}};
    if (!told.upstream.empty()) out["route"]["to"] = told.upstream;
    for (const auto& [upstream, share] : told.drawn)
      out["route"]["by_chance"].push_back({{"to", upstream}, {"share", thousandths(share)}});
  }
  out["outcome"] = outcome_json(told);
  out["caller"] = caller_json(told);
  out["limits"] = ExplainJson::array();
  for (const auto& state : told.limits) out["limits"].push_back(limit_json(state));
  out["candidates"] = ExplainJson::array();
  for (const auto& each : candidates.routes) {
    ExplainJson row = {{"route", each.name}, {"path", each.path}};
    if (!each.host.empty()) row["host"] = each.host;
    if (!each.methods.empty()) row["methods"] = each.methods;
    row["why"] = gateway::to_text(each.why);
    out["candidates"].push_back(std::move(row));
  }
  out["other_routes"] = candidates.others;
  return out;
}

std::uint16_t https_port_of(const config::Config& config) {
  for (const auto& each : config.listen)
    if (!each.tls) return each.https_port;
  return 0;
}

Result<gateway::ExplainedRequest, std::string> explained_request(std::string_view body) {
  const auto json = ExplainJson::parse(body, nullptr, false);
  if (json.is_discarded()) return wrong_body<gateway::ExplainedRequest>("the body is not JSON");
  if (json.is_object() && (json.contains("domain") || json.contains("descriptors"))) return call_of(json);
  if (json.is_object() && !json.contains("url")) return wrong_body<gateway::ExplainedRequest>("\"url\" is missing");
  if (json.is_object() && json.contains("headers") && !json["headers"].is_array())
    return wrong_body<gateway::ExplainedRequest>("\"headers\" is a list");
  const auto parts = parts_of(json);
  if (parts.has_error()) return wrong_body<gateway::ExplainedRequest>(parts.error());
  return gateway::explained_request(*parts);
}

}  // namespace headgate::admin
