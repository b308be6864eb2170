#include "past_request.hpp"

#include "headgate/observe/access_fields.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace headgate::cli {
namespace {

using ExplainJson = nlohmann::ordered_json;

ExplainJson missing_from(const ExplainJson& record) {
  ExplainJson out = ExplainJson::array();
  const bool limited = record.contains("limit");
  for (const bool of_limit : {false, true})
    for (const auto& field : observe::kAccessFields)
      if (field.of_limit == of_limit && field.stands_always(limited) && !record.contains(field.name))
        out.push_back(field.name);
  if (!limited && record.value("ended_by", ExplainJson()) == "limit") out.push_back("limit");
  return out;
}

/// Copies the existing members of the record under other names.
void copy(const ExplainJson& record, ExplainJson& out,
          std::initializer_list<std::pair<const char*, const char*>> names) {
  for (const auto& [from, to] : names) {
    const auto at = record.find(from);
    if (at != record.end() && *at != "") out[to] = *at;
  }
}

ExplainJson caller_of_record(const ExplainJson& record) {
  ExplainJson out = {{"address", record.value("client_ip", ExplainJson(""))}};
  constexpr std::string_view kGroup = "group:";
  constexpr std::string_view kGroupLabel = "labels.group:";
  for (const auto& [name, value] : record.items()) {
    if (name == "owner" || name == "labels.owner") out["api_key_of"] = value;
    if (name.starts_with(kGroup)) out["groups"][name.substr(kGroup.size())] = value;
    if (name.starts_with(kGroupLabel)) out["groups"][name.substr(kGroupLabel.size())] = value;
    if (name == "jwt.sub" || name == "labels.jwt_sub") out["jwt_sub"] = value;
    if (name.starts_with("jwt.") || name.starts_with("labels.jwt_"))
      out["claims"][name.substr(name.find_first_of("._", name.starts_with("labels.") ? 7 : 0) + 1)] = value;
  }
  out["proofs"] = ExplainJson::array();
  if (const auto auth = record.find("auth"); auth != record.end() && auth->is_string()) {
    const auto text = auth->get<std::string>();
    const auto colon = std::min(text.find(':'), text.size());
    out["proofs"].push_back(
        {{"kind", text.substr(0, colon)}, {"result", text.substr(std::min(colon + 1, text.size()))}});
  }
  return out;
}

ExplainJson outcome_of_record(const ExplainJson& record) {
  const auto by = record.value("ended_by", ExplainJson());
  ExplainJson out = {{"passed", by == "upstream" || by == "respond" || by == "preflight"}};
  if (by.is_null()) out["passed"] = nullptr;
  copy(record, out,
       {{"status", "status"}, {"grpc_status", "grpc_status"}, {"ended_by", "ended_by"}, {"reason", "detail"}});
  const auto decision = record.value("decision", ExplainJson());
  if (decision == "rejected" || decision == "banned")
    copy(record, out, {{"limit", "limit"}, {"retry_after_s", "retry_after"}});
  return out;
}

}  // namespace

ExplainJson past_request(const ExplainJson& record) {
  ExplainJson out = {{"request", ExplainJson::object()}, {"route", nullptr}};
  copy(record, out["request"],
       {{"method", "method"},
        {"host", "host"},
        {"path", "path"},
        {"proto", "proto"},
        {"tls", "tls"},
        {"request_id", "id"},
        {"trace_id", "trace_id"},
        {"user_agent", "user_agent"},
        {"descriptors", "call"}});
  if (const auto route = record.find("route"); route != record.end() && *route != "-") {
    out["route"] = {{"name", *route}};
    copy(record, out["route"], {{"upstream", "to"}});
  }
  out["outcome"] = outcome_of_record(record);
  out["caller"] = caller_of_record(record);
  out["limits"] = ExplainJson::array();
  if (record.contains("limit")) {
    ExplainJson limit;
    copy(record, limit,
         {{"limit", "limit"},
          {"tier", "tier"},
          {"source", "counted_in"},
          {"key_id", "key_id"},
          {"cost", "cost"},
          {"held", "held"},
          {"remaining", "remaining"},
          {"decision", "decision"},
          {"retry_after_s", "retry_after"}});
    out["limits"].push_back(std::move(limit));
  }
  copy(record, out, {{"server", "server"}, {"attempts", "attempts"}, {"retried", "retried"}});
  out["times"] = ExplainJson::object();
  copy(record, out["times"],
       {{"ms", "all_ms"},
        {"limits_ms", "limits_ms"},
        {"delayed_ms", "delayed_ms"},
        {"queued_ms", "queued_ms"},
        {"upstream_ms", "upstream_ms"}});
  copy(record, out,
       {{"in_bytes", "in_bytes"},
        {"out_bytes", "out_bytes"},
        {"ts", "ended_at"},
        {"instance", "instance"},
        {"dropped", "lines_left_out_before"}});
  out["missing"] = missing_from(record);
  return out;
}

}  // namespace headgate::cli
