// The admin endpoints of a candidate: set, compare, drop and promote it.

#include "admin/limits/limit_keys.hpp"
#include "endpoint_groups.hpp"

#include "headgate/config/config.hpp"
#include "headgate/core/moment_text.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/candidate.hpp"
#include "headgate/services/ban_json.hpp"
#include "headgate/services/written_key.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace headgate::admin {
namespace {

using CandidateJson = nlohmann::ordered_json;

constexpr std::uint64_t kMaxCandidate = std::uint64_t{64} << 20U;
constexpr std::size_t kKeysShown = 20;

constexpr std::string_view kListeners = "listeners";

bool takes(const std::optional<std::string>& word) {
  return word && (word->empty() || *word == "true" || *word == "1");
}

/// Returns the answer that refuses a promotion if it would change listeners and the call does not demand that;
/// otherwise empty.
std::optional<AdminAnswer> refuse_listeners(const services::ActiveConfig* active, const AdminCall& call) {
  if (active == nullptr || !active->candidate || takes(call.asked(kListeners))) return std::nullopt;
  const auto others = other_listeners(*active->config, *active->candidate->config);
  if (others.empty()) return std::nullopt;
  const CandidateJson problem = {
      {"type", "about:blank"},
      {"title", "Conflict"},
      {"status", 409},
      {"detail", "The candidate has another " + joined(others, " and another ") +
                     ": to promote it closes addresses at once, and opens others."},
      {"help", "Add ?listeners to change the listeners too, or write the listeners in force into the candidate."},
      {"parameter", kListeners}};
  return AdminAnswer{.status = 409, .body = services::text_of(problem), .type = AdminAnswer::kProblem};
}

AdminAnswer no_candidate() { return {.status = 404, .body = "No candidate is set."}; }

CandidateJson facts_of(const CandidateFacts& facts) {
  CandidateJson out = {{"from", facts.by_file ? "file" : "admin"}};
  if (!facts.file.empty()) out["file"] = facts.file;
  out["sha256"] = facts.sha256;
  out["since"] = moment_text(facts.since);
  out["routes"] = facts.routes;
  out["limits"] = facts.limits;
  out["keys"] = facts.keys;
  out["max_keys"] = facts.max_keys;
  out["notes"] = facts.notes;
  return out;
}

std::uint64_t count_of(const std::map<std::string, std::uint64_t>& counts, std::string_view name) {
  const auto found = counts.find(std::string(name));
  return found == counts.end() ? 0 : found->second;
}

CandidateJson counts_of(const std::map<std::string, std::uint64_t>& counts, std::size_t words) {
  CandidateJson out = CandidateJson::object();
  for (std::size_t i = 0; i < words; ++i)
    out[std::string(gateway::kComparedWords[i])] = count_of(counts, gateway::kComparedWords[i]);
  return out;
}

/// Returns the limit of this name, which may also be that of a limit at a scale ("plan@search"). Null if the
/// configuration has no such limit, because the gateway itself uses the name.
const limit::Limit* limit_called(const config::Config& config, const std::string& name) {
  const auto base = name.substr(0, name.find('@'));
  for (const auto& each : config.limits)
    if (each.name == name || each.name == base) return &each;
  return nullptr;
}

CandidateJson keys_of(const observe::HeavyList& list, const limit::Limit* limit, const config::Config& config,
                      const observe::Logs& logs) {
  auto keys = list.keys;
  std::sort(keys.begin(), keys.end(),
            [](const auto& a, const auto& b) { return a.count != b.count ? a.count > b.count : a.key < b.key; });
  if (keys.size() > kKeysShown) keys.resize(kKeysShown);
  const bool clear = limit != nullptr && shown_in_clear(*limit, named_in_log(config));
  CandidateJson out = CandidateJson::array();
  for (const auto& each : keys) {
    CandidateJson row;
    if (clear) row["key"] = services::written_key(*limit, each.key);
    row["key_id"] = logs.key_id(each.key);
    row["requests"] = each.count;
    out.push_back(std::move(row));
  }
  return out;
}

CandidateJson diff_of(const CandidateDiff& diff, const services::ActiveConfig& active, const observe::Logs& logs) {
  CandidateJson out = {{"candidate", facts_of(diff.candidate)},
                       {"requests", counts_of(diff.totals, gateway::kComparedWords.size())}};
  out["undecided"] = CandidateJson::object();
  for (const auto& [why, count] : diff.undecided) out["undecided"][why] = count;
  out["limits"] = CandidateJson::array();
  for (const auto& row : diff.rows) {
    CandidateJson json = {{"limit", row.limit}, {"tier", row.tier}};
    json.update(counts_of(row.by, 4));
    out["limits"].push_back(std::move(json));
  }
  out["keys"] = CandidateJson::array();
  const auto* const candidate = active.candidate ? active.candidate->config.get() : active.config.get();
  for (const auto& each : diff.keys) {
    CandidateJson row = {{"limit", each.limit}, {"missed", std::max(each.hit.missed, each.freed.missed)}};
    row["hit"] = keys_of(each.hit, limit_called(*candidate, each.limit), *active.config, logs);
    row["freed"] = keys_of(each.freed, limit_called(*active.config, each.limit), *active.config, logs);
    out["keys"].push_back(std::move(row));
  }
  return out;
}

AdminAnswer answer_to_set(const ReloadResult& result) {
  if (!result.applied) return mistakes_answer(result, "The candidate cannot be used. Nothing has changed.");
  CandidateJson out = {{"set", true}};
  if (!result.file.empty()) out["file"] = result.file;
  out["warnings"] = mistakes_json(result);
  AdminAnswer answer{.body = services::text_of(out), .type = AdminAnswer::kJson};
  if (!result.file.empty()) answer.target = "file=" + result.file;
  return answer;
}

}  // namespace

std::vector<std::string> other_listeners(const config::Config& live, const config::Config& candidate) {
  const auto print_of = [](const config::Config& config, const std::string& key) {
    const auto found = config.fingerprints.find(key);
    return found == config.fingerprints.end() ? std::optional<std::uint64_t>() : found->second;
  };
  std::vector<std::string> out;
  for (const std::string key : {"listen", "admin"})
    if (print_of(live, key) != print_of(candidate, key)) out.push_back(key);
  return out;
}

std::vector<AdminEndpoint> candidate_endpoints(const OperatorBoard& operators, const CandidateCalls& calls,
                                               const observe::Logs& logs) {
  std::vector<AdminEndpoint> out;
  out.push_back({.method = "GET",
                 .path = "/api/v1/candidate",
                 .answer_later =
                     [ask = calls.ask](const AdminCall&, const AdminEndpoint::Give& give) {
                       (void)ask([give](const std::optional<CandidateDiff>& diff) {
                         if (!diff) return give(no_candidate());
                         give({.body = services::text_of(facts_of(diff->candidate)), .type = AdminAnswer::kJson});
                       });
                     },
                 .about = {.summary = "Which candidate runs beside the policy in force", .answer = "Candidate"}});
  out.push_back(
      {.method = "PUT",
       .path = "/api/v1/candidate",
       .most_body = kMaxCandidate,
       .answer_later =
           [set = calls.set](const AdminCall& call, const AdminEndpoint::Give& give) {
             if (call.body.empty())
               return give({.status = 400, .body = R"(Send a configuration, or {"file": "next.json"}.)"});
             (void)set(call.body, call.asked("name").value_or(""),
                       [give](const ReloadResult& result) { give(answer_to_set(result)); });
           },
       .about = {.summary = "Let another policy decide beside the one in force: the body is a configuration, or names "
                            "its file",
                 .body = "CandidateText",
                 .answer = "CandidateSet",
                 .query = {{"name", "what messages call a configuration that is sent"}}}});
  out.push_back(
      {.method = "DELETE",
       .path = "/api/v1/candidate",
       .answer_later =
           [drop = calls.drop](const AdminCall&, const AdminEndpoint::Give& give) {
             (void)drop([give](bool there_was) {
               if (!there_was) return give(no_candidate());
               give({.body = services::text_of({{"dropped", true}}), .type = AdminAnswer::kJson});
             });
           },
       .about = {.summary = "Drop the candidate, with all that it has counted", .answer = "CandidateDropped"}});
  out.push_back(
      {.method = "POST",
       .path = "/api/v1/candidate/promote",
       .answer_later =
           [promote = calls.promote, &operators](const AdminCall& call, const AdminEndpoint::Give& give) {
             const auto active = operators.now().active;
             if (auto refused = refuse_listeners(active.get(), call)) return give(std::move(*refused));
             (void)promote([give](const std::optional<ReloadResult>& result) {
               give(result ? reload_answer(*result) : no_candidate());
             });
           },
       .about = {.summary = "Put the candidate in force, as a reload does",
                 .answer = "Reloaded",
                 .query = {{kListeners, "also if it listens elsewhere, which is a 409 without this", false}}}});
  out.push_back({.method = "GET",
                 .path = "/api/v1/candidate/diff",
                 .answer_later =
                     [ask = calls.ask, &operators, &logs](const AdminCall&, const AdminEndpoint::Give& give) {
                       (void)ask([give, &operators, &logs](const std::optional<CandidateDiff>& diff) {
                         const auto active = operators.now().active;
                         if (!diff || !active) return give(no_candidate());
                         give({.body = services::text_of(diff_of(*diff, *active, logs)), .type = AdminAnswer::kJson});
                       });
                     },
                 .about = {.summary = "What both policies made of the same requests, since the candidate was set",
                           .answer = "CandidateDiff"}});
  return out;
}

}  // namespace headgate::admin
