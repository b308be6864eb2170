#include "admin/endpoint_groups.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/core/whole_number.hpp"
#include "headgate/observe/route_series.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

namespace headgate::admin {
namespace {

using TrafficJson = nlohmann::ordered_json;

/// The routes with their own series, plus "-" and kOther.
constexpr std::size_t kMaxRoutes = observe::CountedRoutes::kMax + 2;

double each_second(double number) {
  constexpr double kHundredths = 100;
  return std::round(number * kHundredths) / kHundredths;
}

void add_times(TrafficJson& out, const char* name, const TimesTaken& times) {
  constexpr double kMillion = 1e6;
  if (!times.p50) return;
  const auto seconds = [](double number) { return std::round(number * kMillion) / kMillion; };
  out[name] = {{"p50", seconds(*times.p50)}, {"p95", seconds(*times.p95)}, {"p99", seconds(*times.p99)}};
}

TrafficJson json_of(const RouteRates& rates) {
  TrafficJson out = TrafficJson::object();
  if (!rates.route.empty()) out["route"] = rates.route;
  out["requests_per_second"] = each_second(rates.requests);
  TrafficJson statuses = TrafficJson::object();
  for (std::size_t digit = 1; digit < rates.by_status.size(); ++digit)
    if (digit > 1 || rates.by_status[digit] > 0)
      statuses[std::to_string(digit) + "xx"] = each_second(rates.by_status[digit]);
  statuses["429"] = each_second(rates.rejected);
  if (rates.by_status[0] > 0) statuses["none"] = each_second(rates.by_status[0]);
  out["statuses_per_second"] = std::move(statuses);
  out["received_bytes_per_second"] = each_second(rates.received);
  out["sent_bytes_per_second"] = each_second(rates.sent);
  add_times(out, "seconds", rates.whole);
  add_times(out, "own_seconds", rates.own);
  return out;
}

bool is_route(const OperatorBoard& operators, const std::string& name) {
  if (name == "-" || name == observe::WorkerRoutes::kOther) return true;
  const auto state = operators.now();
  if (!state.active) return false;
  const auto routes = state.active->compiled->routes();
  return std::any_of(routes.begin(), routes.end(), [&](const auto& each) { return each->name == name; });
}

AdminAnswer answer_of(const std::vector<TrafficHistory::Row>& rows) {
  auto out = TrafficJson::array();
  for (const auto& each : rows) {
    TrafficJson row = {{"end", moment_text(each.end)}, {"over_seconds", each_second(each.seconds)}};
    row.update(json_of(each.all));
    out.push_back(std::move(row));
  }
  return {.body = services::text_of({{"rows", std::move(out)}}), .type = AdminAnswer::kJson};
}

AdminAnswer answer_of(const RoutesRates& now, std::string_view window, const std::optional<std::string>& only,
                      std::size_t most) {
  TrafficJson out = {{"window", window}, {"over_seconds", each_second(now.over_seconds)}, {"total", json_of(now.all)}};
  auto routes = TrafficJson::array();
  double left_out = 0;
  std::size_t others = 0;
  for (const auto& each : now.routes) {
    if (only && each.route != *only) continue;
    if (routes.size() < most) {
      routes.push_back(json_of(each));
      continue;
    }
    ++others;
    left_out += each.requests;
  }
  out["routes"] = std::move(routes);
  out["left_out"] = {{"routes", others}, {"requests_per_second", each_second(left_out)}};
  return {.body = services::text_of(out), .type = AdminAnswer::kJson};
}

}  // namespace

AdminEndpoint traffic_endpoint(const TrafficRates& rates, const OperatorBoard& operators) {
  const auto answer = [&rates, &operators](const AdminCall& call) -> AdminAnswer {
    const auto window = call.asked("window").value_or("10s");
    if (window != "10s" && window != "1m") return {.status = 400, .body = "\"window\" is 10s or 1m."};
    const auto most = whole_number<std::size_t>(call.asked("n").value_or("20"), 1, kMaxRoutes);
    if (!most) return {.status = 400, .body = "\"n\" is a number from 1 to " + std::to_string(kMaxRoutes) + '.'};
    const auto only = call.asked("route");
    if (only && !is_route(operators, *only))
      return {.status = 404, .body = "There is no route with this name: GET /api/v1/routes lists them."};
    const auto seconds = std::chrono::seconds(window == "1m" ? 60 : 10);
    return answer_of(rates.by_route(seconds), window, only, *most);
  };
  return {.method = "GET",
          .path = "/api/v1/traffic",
          .answer = answer,
          .about = {.summary = "What each route has to do at the moment, the busiest first",
                    .answer = "Traffic",
                    .query = {{.name = "window", .meaning = "10s (the default) or 1m"},
                              {.name = "n", .meaning = "How many routes at most, 1 to 1002; 20 without it"},
                              {.name = "route", .meaning = "Only the route with this name"}}}};
}

AdminEndpoint history_endpoint(const TrafficRates& rates) {
  return {
      .method = "GET",
      .path = "/api/v1/traffic/history",
      .answer = [&rates](const AdminCall&) { return answer_of(rates.history()); },
      .about = {.summary = "What all routes had to do in the last quarter of an hour, ten seconds a row, the oldest "
                           "first",
                .answer = "TrafficHistory"}};
}

}  // namespace headgate::admin
