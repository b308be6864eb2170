#include "headgate/admin/reload_endpoint.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/services/ban_json.hpp"

#include <boost/asio/post.hpp>

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace headgate::admin {
namespace {

using Json = nlohmann::ordered_json;

std::string_view word_of(ReloadFrom from) {
  static constexpr WordsUpTo<ReloadFrom::candidate> kWords({"file", "previous", "candidate"});
  return kWords[from];
}

/// Returns what the call wants to reload; empty if "previous" has a value other than yes or no.
std::optional<ReloadFrom> wanted(const AdminCall& call) {
  const auto word = call.asked("previous");
  if (!word || *word == "false" || *word == "0") return ReloadFrom::file;
  if (word->empty() || *word == "true" || *word == "1") return ReloadFrom::previous;
  return std::nullopt;
}

}  // namespace

Json mistakes_json(const ReloadResult& result) {
  Json out = Json::array();
  for (const auto& mistake : result.mistakes) {
    Json row;
    if (const auto& file = mistake.file.empty() ? result.file : mistake.file; !file.empty()) row["file"] = file;
    if (mistake.line > 0) {
      row["line"] = mistake.line;
      row["column"] = mistake.column;
    }
    if (!mistake.pointer.empty()) row["pointer"] = mistake.pointer;
    if (!mistake.code.empty()) row["code"] = mistake.code;
    row["severity"] = mistake.severity == config::Severity::error ? "error" : "warning";
    row["message"] = mistake.message;
    if (!mistake.help.empty()) row["help"] = mistake.help;
    out.push_back(std::move(row));
  }
  return out;
}

AdminAnswer reload_answer(const ReloadResult& result) {
  if (result.no_previous)
    return {.status = 409, .body = "There is no earlier configuration: since this process started, none was in force."};
  if (!result.applied) return mistakes_answer(result, "The configuration cannot be used. The active one stays in use.");
  Json out = {{"file", result.file}, {"from", word_of(result.from)}, {"changed", result.changed}};
  out["listeners"] = {
      {"added", result.listeners.added}, {"removed", result.listeners.removed}, {"changed", result.listeners.changed}};
  out["waiting_for_restart"] = result.waiting;
  out["limits_begun_anew"] = Json::array();
  for (const auto& each : result.anew) out["limits_begun_anew"].push_back({{"limit", each.limit}, {"why", each.why}});
  out["warnings"] = mistakes_json(result);
  AdminAnswer answer{.body = services::text_of(out), .type = AdminAnswer::kJson};
  if (result.from == ReloadFrom::previous) answer.target = "previous=true";
  return answer;
}

AdminAnswer mistakes_answer(const ReloadResult& result, const std::string& detail) {
  const Json problem = {{"type", "about:blank"},
                        {"title", "Unprocessable Entity"},
                        {"status", 422},
                        {"detail", detail},
                        {"mistakes", mistakes_json(result)}};
  return {.status = 422, .body = services::text_of(problem), .type = AdminAnswer::kProblem};
}

bool ReloadCalls::ask(ReloadFrom from, Tell tell) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  boost::asio::post(loop_, [this, from, tell = std::move(tell)]() mutable { reload_(from, std::move(tell)); });
  return true;
}

void ReloadCalls::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

AdminEndpoint reload_endpoint(std::shared_ptr<ReloadCalls> calls) {
  return {
      .method = "POST",
      .path = "/api/v1/reload",
      .answer_later =
          [calls = std::move(calls)](const AdminCall& call, const AdminEndpoint::Give& give) {
            const auto from = wanted(call);
            if (!from)
              return give({.status = 400, .body = R"("previous" stands without a value, or is "true" or "false".)"});
            // If the call is not accepted, `give` is dropped, and the caller gets a 503.
            (void)calls->ask(*from, [give](const ReloadResult& result) { give(reload_answer(result)); });
          },
      .about = {.summary = "Read the configuration again, as SIGHUP does, and say what changed",
                .answer = "Reloaded",
                .query = {{"previous",
                           "go back to the configuration that was in force before, instead: without a value, or true",
                           false}}}};
}

}  // namespace headgate::admin
