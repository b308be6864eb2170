#include "endpoint_groups.hpp"

#include "headgate/core/text.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace headgate::admin {
namespace {

using OperateJson = nlohmann::ordered_json;
using observe::LogLevel;

constexpr std::size_t kMaxOperateBody = 1024;
constexpr std::array<std::pair<std::string_view, LogLevel>, 5> kEventLevels = {{{"debug", LogLevel::debug},
                                                                                {"info", LogLevel::info},
                                                                                {"warning", LogLevel::warning},
                                                                                {"error", LogLevel::error},
                                                                                {"off", LogLevel::off}}};

AdminAnswer refuse_with(unsigned status, std::string why) { return {.status = status, .body = std::move(why)}; }

/// Returns the string member `name` of a JSON object; "" if there is none.
std::string text_in(const std::string& body, const char* name) {
  const auto asked = OperateJson::parse(body, nullptr, false);
  const bool there = asked.is_object() && asked.contains(name) && asked[name].is_string();
  return there ? asked[name].get<std::string>() : std::string();
}

AdminAnswer use_level(observe::Logs& logs, const AdminCall& call) {
  const auto word = text_in(call.body, "level");
  const auto found =
      std::find_if(kEventLevels.begin(), kEventLevels.end(), [&](const auto& each) { return each.first == word; });
  if (found == kEventLevels.end())
    return refuse_with(400, "Send JSON like {\"level\": \"debug\"}; a level is debug, info, warning, error or off.");
  if (!logs.use_level(found->second))
    return refuse_with(409,
                       "The configuration logs no events (log.error or log.level is \"off\"), so there is no level.");
  AdminAnswer out{.body = services::text_of({{"level", word}, {"until", "the next reload or restart"}}),
                  .type = AdminAnswer::kJson};
  out.target = "level=" + word;
  return out;
}

struct Named {
  std::shared_ptr<balance::Watch> watch;
  std::size_t at = 0;
};

Result<Named, AdminAnswer> find_server(const AdminBoard& board, std::string_view upstream, std::string_view server) {
  using FoundServer = Result<Named, AdminAnswer>;
  const auto upstreams = board.watched();
  std::vector<std::string> names;
  names.reserve(upstreams.size());
  for (const auto& each : upstreams) {
    names.push_back('"' + each.name + '"');
    if (each.name != upstream) continue;
    const auto& servers = each.watch->servers();
    const auto at = std::find(servers.begin(), servers.end(), server);
    if (at != servers.end()) return Named{each.watch, static_cast<std::size_t>(at - servers.begin())};
    return FoundServer(boost::system::in_place_error,
                       refuse_with(404, "This upstream has no such server. It has " + joined(servers, ", ") + "."));
  }
  return FoundServer(boost::system::in_place_error,
                     refuse_with(404, "No upstream has this name. Known upstreams: " + joined(names, ", ") + "."));
}

/// Returns whether the call forces the change; empty if "force" has a value other than yes or no.
std::optional<bool> forced(const AdminCall& call) {
  const auto word = call.asked("force");
  if (!word) return false;
  return word->empty() || *word == "true" || *word == "1" ? std::optional(true) : std::nullopt;
}

/// Returns the refusal. Its message names the query parameter "force", because the command has an option of the same
/// name.
AdminAnswer refuse_last_server(bool drain) {
  const std::string done = drain ? "drained" : "taken out";
  const OperateJson problem = {
      {"title", "Conflict"},
      {"status", 409},
      {"detail", "This is the last server of its upstream that is not " + done + ": every request would be refused."},
      {"help", std::string("Add ?force to ") + (drain ? "drain it" : "take it down") + " all the same."},
      {"parameter", "force"}};
  return {.status = 409, .body = services::text_of(problem), .type = AdminAnswer::kProblem};
}

AdminAnswer use_state(const AdminBoard& board, const AdminCall& call, const TellState& tell) {
  const auto upstream = call.parameter("name");
  const auto server = call.parameter("server");
  const auto state = text_in(call.body, "state");
  if (state != "up" && state != "drain" && state != "down")
    return refuse_with(400, R"(Send JSON like {"state": "drain"}; a state is "up", "drain" or "down".)");
  const auto force = forced(call);
  if (!force) return refuse_with(400, R"("force" stands without a value, or is "true" or "1".)");
  const auto found = find_server(board, upstream, server);
  if (found.has_error()) return found.error();
  const auto now = std::chrono::steady_clock::now();
  const auto report = found->watch->report(now);
  const bool drain = state == "drain";
  const bool down = state == "down";
  const auto others = std::count_if(report.servers.begin(), report.servers.end(), [&](const auto& each) {
    return each.server != server && (each.out & balance::kTakenOut) == 0;
  });
  if ((drain || down) && others == 0 && !*force) return refuse_last_server(drain);
  const bool was_down = found->watch->marked(found->at, balance::kDown);
  for (std::size_t at = 0; at < report.servers.size(); ++at) {
    if (report.servers[at].server != server) continue;  // A server that is listed twice has two rows.
    // Sets one bit before it clears the other. Otherwise the server would be in rotation for a moment.
    if (down) found->watch->mark(at, balance::kDown, true, now);
    found->watch->mark(at, balance::kDrained, drain, now);
    if (!down) found->watch->mark(at, balance::kDown, false, now);
  }
  OperateJson out = {{"upstream", upstream}, {"server", server}, {"state", state}};
  if (drain || down) {
    std::uint64_t flying = 0;
    for (const auto& each : found->watch->report(now).servers) flying += each.server == server ? each.in_flight : 0;
    out["in_flight"] = flying;
  }
  if (down || was_down) tell({std::string(upstream), std::string(server), down});
  AdminAnswer answer{.body = services::text_of(out), .type = AdminAnswer::kJson};
  answer.target = "state=" + state + (*force ? " force=true" : "");
  return answer;
}

/// Reads the member `name` of a body. Null stands for the configured value and gives 0. Empty if the member is not a
/// number in range.
std::optional<std::uint32_t> size_in(const OperateJson& body, const char* name, std::uint32_t most) {
  const auto& value = body[name];
  if (value.is_null()) return 0U;
  const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() >= 1 && value.get<std::uint64_t>() <= most;
  return fits ? std::optional(value.get<std::uint32_t>()) : std::nullopt;
}

AdminAnswer use_size(const AdminBoard& board, const AdminCall& call, const TellSize& tell) {
  constexpr std::uint32_t kMaxInFlight = 10'000'000;
  const auto refused = [] {
    return refuse_with(
        400,
        "Send JSON like {\"weight\": 3, \"max_in_flight\": 50}: whole numbers, a weight up to 1000; null "
        "stands for what the configuration says.");
  };
  const auto body = OperateJson::parse(call.body, nullptr, false);
  if (!body.is_object() || body.empty()) return refused();
  WantedSize size;
  for (const auto& [name, value] : body.items()) {
    auto& wanted = name == "weight" ? size.weight : size.max_in_flight;
    if (name != "weight" && name != "max_in_flight") return refused();
    wanted = size_in(body, name.c_str(), name == "weight" ? balance::kMaxWeight : kMaxInFlight);
    if (!wanted) return refused();
  }
  const std::string upstream(call.parameter("name"));
  const std::string server(call.parameter("server"));
  const auto found = find_server(board, upstream, server);
  if (found.has_error()) return found.error();
  for (const auto& each : board.watched())
    if (each.name == upstream && found->at < each.sizes.size() && each.sizes[found->at].max_in_flight == 0 &&
        size.max_in_flight.value_or(0) > 0)
      return refuse_with(409,
                         "The configuration does not bound this server: give it a max_in_flight there, and reload.");
  if (!tell(upstream, server, size)) return refuse_with(503, "This gateway is shutting down.");
  OperateJson out = {{"upstream", upstream}, {"server", server}};
  if (size.weight) out["weight"] = body["weight"];
  if (size.max_in_flight) out["max_in_flight"] = body["max_in_flight"];
  AdminAnswer answer{.body = services::text_of(out), .type = AdminAnswer::kJson};
  answer.target = body.dump();
  return answer;
}

}  // namespace

std::vector<AdminEndpoint> operate_endpoints(OperatorBoard& operators, AdminBoard& board, observe::Logs& logs,
                                             std::function<void()> drain, TellState tell, TellSize size) {
  std::vector<AdminEndpoint> out;
  out.push_back({.method = "POST",
                 .path = "/api/v1/drain",
                 .answer =
                     [&operators, drain = std::move(drain)](const AdminCall&) {
                       if (operators.now().draining) return refuse_with(409, "This gateway is draining already.");
                       operators.begin_drain();
                       if (!operators.on_main_thread(drain)) return refuse_with(503, "This gateway is shutting down.");
                       return AdminAnswer{.status = 202,
                                          .body = services::text_of({{"state", "draining"}}),
                                          .type = AdminAnswer::kJson};
                     },
                 .about = {.summary = "Finish what is in flight, then end, as SIGTERM does", .answer = "Draining"}});
  out.push_back({.method = "PUT",
                 .path = "/api/v1/log-level",
                 .most_body = kMaxOperateBody,
                 .answer = [&logs](const AdminCall& call) { return use_level(logs, call); },
                 .about = {.summary = "Choose the lowest level of events that is logged, until the next reload",
                           .body = "LogLevel",
                           .answer = "LogLevel"}});
  out.push_back(
      {.method = "PUT",
       .path = "/api/v1/upstreams/{name}/servers/{server}/size",
       .most_body = kMaxOperateBody,
       .answer = [&board, size = std::move(size)](const AdminCall& call) { return use_size(board, call, size); },
       .about = {.summary = "Give a server another weight or max_in_flight than the configuration says",
                 .body = "ServerSize",
                 .answer = "ServerSize"}});
  out.push_back(
      {.method = "PUT",
       .path = "/api/v1/upstreams/{name}/servers/{server}/state",
       .most_body = kMaxOperateBody,
       .answer = [&board, tell = std::move(tell)](const AdminCall& call) { return use_state(board, call, tell); },
       .about = {
           .summary = "Take a server out, so that it gets no new requests (drain), end also those that it has "
                      "(down), or let it in again (up)",
           .body = "ServerState",
           .answer = "ServerState",
           .query = {{"force", "take it out also if it is the last server: without a value, or true or 1", false}}}});
  return out;
}

}  // namespace headgate::admin
