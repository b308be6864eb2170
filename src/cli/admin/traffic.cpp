#include "admin_print.hpp"
#include "cli/commands.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"
#include "live.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

namespace headgate::cli {
namespace {

/// Maximum number of routes that have figures of their own. A call that wants this many gets all of them.
constexpr unsigned kAllRoutes = 1002;

struct TrafficOptions {
  AdminOptions admin;
  std::string route;  ///< empty for all
  std::string window = "10s";
  unsigned most = 20;
  bool all = false;
  LiveOptions live;
};

const Json& part_of(const Json& object, const char* name) {
  static const Json kNone = Json::object();
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : kNone;
}

/// Returns a time such as "0.231 ms" or "3.26 s". Three digits are shown, because the gateway's own share is often less
/// than a tenth of a millisecond.
std::string time_in(const Json& object, const char* name) {
  constexpr double kThousand = 1000;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return {};
  std::array<char, 32> text{};
  const auto seconds = found->get<double>();
  const bool long_one = seconds >= 1;
  if (seconds >= kThousand)
    std::snprintf(text.data(), text.size(), "%.0f s", seconds);
  else
    std::snprintf(text.data(), text.size(), long_one ? "%.3g s" : "%.3g ms", long_one ? seconds : seconds * kThousand);
  return text.data();
}

void add_route(TextTable& table, const Json& route, const std::string& name) {
  const auto& statuses = part_of(route, "statuses_per_second");
  const auto failed = number_in(statuses, "5xx");
  std::vector<Cell> row{name, number_in(route, "requests_per_second")};
  for (const char* each : {"2xx", "3xx", "4xx", "429"}) row.emplace_back(number_in(statuses, each));
  row.emplace_back(failed, failed == "0" || failed.empty() ? Paint::none : Paint::bad);
  for (const char* whose : {"seconds", "own_seconds"})
    for (const char* share : {"p50", "p95", "p99"}) row.emplace_back(time_in(part_of(route, whose), share));
  table.row(std::move(row));
}

std::string traffic_text(const Json& answer) {
  TextTable table(
      {"route", "requests/s", "2xx", "3xx", "4xx", "429", "5xx", "p50", "p95", "p99", "own p50", "own p95", "own p99"});
  for (const auto& each : list_in(answer, "routes")) add_route(table, each, text_in(each, "route"));
  auto out = "in the last " + number_in(answer, "over_seconds") + " s";
  if (table.empty()) return out + "\nno requests\n";
  add_route(table, part_of(answer, "total"), "all routes");
  out += '\n' + table.text(stdout_has_colours(), stdout_width());
  const auto& left_out = part_of(answer, "left_out");
  if (const auto others = text_in(left_out, "routes"); !others.empty() && others != "0")
    out += "and " + others + " more, with " + number_in(left_out, "requests_per_second") +
           " requests/s together (--limit, --all)\n";
  return out;
}

Result<std::string, CommandFailure> traffic_picture(const TrafficOptions& options) {
  auto target =
      "/api/v1/traffic?window=" + options.window + "&n=" + std::to_string(options.all ? kAllRoutes : options.most);
  if (!options.route.empty()) target += "&route=" + in_path(options.route);
  const auto reply = call_gateway(options.admin, {.target = target});
  if (reply.has_error()) return reply.error();
  if (!reply->json.is_object())
    return CommandFailure{kFailed, "the answer is not JSON", "is this the admin interface of a gateway?"};
  return options.admin.json ? printable_json(reply->json.dump()) + '\n' : traffic_text(reply->json);
}

}  // namespace

void offer_traffic(CLI::App& app, int& result) {
  const auto options = std::make_shared<TrafficOptions>();
  auto* command = app.add_subcommand("traffic", "Show the traffic of each route live: requests, statuses and times");
  offer_admin(*command, options->admin);
  command->add_option("route", options->route, "Only the route with this name");
  command->add_option("--window", options->window, "The last ten seconds or the last minute: 10s or 1m")
      ->check(CLI::IsMember({"10s", "1m"}))
      ->capture_default_str();
  auto* most = command->add_option("--limit", options->most, "Maximum number of routes, the busiest first")
                   ->check(CLI::Range(1U, kAllRoutes))
                   ->capture_default_str();
  command->add_flag("--all", options->all, "Show all routes that have numbers of their own")->excludes(most);
  offer_live(*command, options->live);
  command->callback([options, &result] {
    result = show_live(options->live, options->admin.json, [&] { return traffic_picture(*options); });
  });
}

}  // namespace headgate::cli
