// The admin endpoints that list limited callers.

#include "admin/endpoint_groups.hpp"
#include "limit_keys.hpp"

#include "headgate/core/whole_number.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/gateway/logged_fields.hpp"
#include "headgate/http/named_values.hpp"
#include "headgate/services/ban_json.hpp"
#include "headgate/services/written_key.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace headgate::admin {
namespace {

/// The question of a call.
struct TopQuestion {
  std::optional<std::string> limit;  ///< Not set for all limits.
  services::TopBy by = services::TopBy::rejected;
  services::TopWindow window = services::TopWindow::minute;
  std::size_t most = 20;
};

using TopJson = nlohmann::ordered_json;

/// Whether the log shows this part of a key in clear. `callers` are the parts that it shows if they are named.
bool in_clear(const limit::Per& per, const std::vector<std::string>& callers) {
  const auto told = [&](const std::string& word) {
    return std::find(callers.begin(), callers.end(), word) != callers.end();
  };
  const auto word = per.source->word;
  if (word == "api_key") return told("owner");
  if (word == "group:") return told("group:" + per.name);
  if (word == "jwt.") return told("jwt." + per.name);
  if (word == "descriptor:") return told("descriptor:" + per.name);
  constexpr std::array<std::string_view, 7> kLogged{"client_ip", "route", "host", "upstream",
                                                    "method",    "path:", "total"};
  return std::find(kLogged.begin(), kLogged.end(), word) != kLogged.end();
}

}  // namespace

std::vector<std::string> named_in_log(const config::Config& config) {
  auto out = config.log.callers;
  if (const auto& logged = config.gateway.logged)
    for (const auto& key : logged->shown_keys) out.push_back("descriptor:" + key);
  return out;
}

bool shown_in_clear(const limit::Limit& limit, const std::vector<std::string>& callers) {
  const auto clear = [&](const std::vector<limit::Per>& key) {
    return std::all_of(key.begin(), key.end(), [&](const auto& per) { return in_clear(per, callers); });
  };
  return clear(limit.per) && std::all_of(limit.if_absent.instead.begin(), limit.if_absent.instead.end(), clear);
}

namespace {

double rounded(double number, double steps) { return std::round(number * steps) / steps; }

TopJson json_of(const services::TopBoard::Answer& top, const limit::Limit& limit, const TopQuestion& question,
                const std::vector<std::string>& callers, const observe::Logs& logs) {
  auto keys = top.list.keys;
  std::sort(keys.begin(), keys.end(),
            [](const auto& a, const auto& b) { return a.count != b.count ? a.count > b.count : a.key < b.key; });
  if (keys.size() > question.most) keys.resize(question.most);
  const auto seconds = std::chrono::duration<double>(top.covered).count();
  TopJson out = {{"limit", limit.name},
                 {"mode", limit.mode == limit::Mode::observe ? "observe" : "enforce"},
                 {"by", question.by == services::TopBy::rejected ? "rejected" : "allowed"},
                 {"window", question.window == services::TopWindow::minute ? "1m" : "1h"},
                 {"seconds", rounded(seconds, 10)},
                 {"requests", top.list.total},
                 {"missed", top.list.missed},
                 {"sampled", question.by == services::TopBy::allowed ? observe::LimitTop::kSampled : 1U},
                 {"keys", TopJson::array()}};
  const bool clear = shown_in_clear(limit, callers);
  for (const auto& each : keys) {
    TopJson row;
    if (clear) row["key"] = services::written_key(limit, each.key);
    row["key_id"] = logs.key_id(each.key);
    row["requests"] = each.count;
    row["share"] = rounded(static_cast<double>(each.count) / static_cast<double>(top.list.total), 10'000);
    row["per_second"] = seconds > 0 ? rounded(static_cast<double>(each.count) / seconds, 100) : 0.0;
    out["keys"].push_back(std::move(row));
  }
  return out;
}

/// Returns the names under which this limit counts: its own, and one for each route with a scale, such as
/// "plan@search".
std::vector<std::string> names_of(const services::TopBoard& board, const std::string& limit,
                                  const std::optional<std::string>& wanted) {
  const auto scaled = limit + '@';
  std::vector<std::string> out{limit};
  // A name is accepted even if nothing has counted under it yet.
  if (wanted && wanted->starts_with(scaled)) out.push_back(*wanted);
  if (!wanted)
    for (auto& counted : board.names(scaled)) out.push_back(std::move(counted));
  return out;
}

AdminAnswer answer_to(const TopQuestion& question, const services::TopService& service, const observe::Logs& logs) {
  const auto now = service.clock().steady();
  const auto& config = *service.active()->config;
  const auto callers = named_in_log(config);
  TopJson all = TopJson::array();
  for (const auto& limit : config.limits) {
    for (const auto& name : names_of(service.board(), limit.name, question.limit)) {
      if (question.limit && name != *question.limit) continue;
      const auto top = service.board().of(name, question.by, question.window, now);
      auto json = json_of(top, limit, question, callers, logs);
      json["limit"] = name;
      if (question.limit) return {.body = services::text_of(json), .type = "application/json"};
      all.push_back(std::move(json));
    }
  }
  if (question.limit) return {.status = 404, .body = "No limit here has this name."};
  return {.body = services::text_of({{"limits", std::move(all)}}), .type = "application/json"};
}

constexpr std::size_t kMaxKeys = observe::HeavyKeys::kCounters;

/// Returns what is wrong with the query, or null if it is valid.
const char* read_question(std::string_view query, TopQuestion& question) {
  const auto by = http::query_parameter(query, "by").value;
  if (by == "allowed")
    question.by = services::TopBy::allowed;
  else if (!by.empty() && by != "rejected")
    return "\"by\" is rejected or allowed.";
  const auto window = http::query_parameter(query, "window").value;
  if (window == "1h")
    question.window = services::TopWindow::hour;
  else if (!window.empty() && window != "1m")
    return "\"window\" is 1m or 1h.";
  const auto n = http::query_parameter(query, "n").value;
  if (n.empty()) return nullptr;
  const auto most = whole_number<std::size_t>(n, 1, kMaxKeys);
  if (!most) return "\"n\" is a number from 1 to 128.";
  question.most = *most;
  return nullptr;
}
static_assert(kMaxKeys == 128, "as the sentence says");

void answer_top(services::TopService& service, const observe::Logs& logs, const AdminCall& call,
                const AdminEndpoint::Give& give) {
  TopQuestion question;
  if (const auto* const wrong = read_question(call.query, question)) return give({.status = 400, .body = wrong});
  if (const auto name = call.parameter("name"); !name.empty()) question.limit = name;
  service.refresh([&service, &logs, question, give] { give(answer_to(question, service, logs)); });
}

}  // namespace

std::vector<AdminEndpoint> top_endpoints(std::shared_ptr<services::TopService> service, const observe::Logs& logs) {
  const auto answer_later = [service = std::move(service), &logs](const AdminCall& call,
                                                                  const AdminEndpoint::Give& give) {
    answer_top(*service, logs, call, give);
  };
  const std::vector<AdminAbout::Parameter> query = {{"by", "rejected, which is meant if it is not there, or allowed"},
                                                    {"window", "1m, which is meant if it is not there, or 1h"},
                                                    {"n", "how many keys, at most 128; 20 if it is not there"}};
  return {{.method = "GET",
           .path = "/api/v1/top",
           .answer_later = answer_later,
           .about = {.summary = "The heaviest keys of all limits", .answer = "Tops", .query = query}},
          {.method = "GET",
           .path = "/api/v1/limits/{name}/top",
           .answer_later = answer_later,
           .about = {.summary = "The heaviest keys of a limit", .answer = "Top", .query = query}}};
}

}  // namespace headgate::admin
