// Implements headgate usage KEY: the billed use of a key, by month and by day.

#include "admin_call.hpp"
#include "cli/commands.hpp"
#include "cli/money_text.hpp"
#include "cli/text_table.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

namespace headgate::cli {
namespace {

/// Long, because the days of a year are read from Redis one after another.
constexpr auto kHistoryPatience = std::chrono::seconds(60);

struct HistoryOptions {
  AdminOptions admin;
  std::string key;
  std::string limit;
  std::string from;
  std::string to;
  bool days = false;
};

AdminRequest history_request(const HistoryOptions& options) {
  AdminRequest out{.target = "/api/v1/usage?key=" + in_path(options.key), .patience = kHistoryPatience};
  const std::array<std::pair<const char*, const std::string*>, 3> more{
      {{"limit", &options.limit}, {"from", &options.from}, {"to", &options.to}}};
  for (const auto& [name, value] : more)
    if (!value->empty()) out.target += '&' + std::string(name) + '=' + in_path(*value);
  return out;
}

void print_history(const Json& answer, bool days) {
  TextTable table({"limit", days ? "day" : "month", "used", "requests", ""});
  for (const auto& limit : list_in(answer, "limits")) {
    const auto unit = text_in(limit, "unit");
    const auto name = text_in(limit, "limit") + (unit.empty() ? "" : " (" + unit + ")");
    for (const auto& row : list_in(limit, days ? "days" : "months"))
      table.row({name, text_in(row, days ? "day" : "month"), permits_text(unit, text_in(row, "used")),
                 text_in(row, "requests"), row.value("complete", false) ? "" : "not complete"});
  }
  std::fputs(table.empty() ? "nothing was used\n" : table.text(stdout_has_colours(), stdout_width()).c_str(), stdout);
}

}  // namespace

void offer_usage_history(CLI::App& app, int& result) {
  const auto options = std::make_shared<HistoryOptions>();
  auto* command = app.add_subcommand("usage", "Show what one key has used of billed limits, by month or by day");
  offer_admin(*command, options->admin);
  command->add_option("key", options->key, "The key, or its id (k_…): the owner of an API key …")->required();
  command->add_option("--limit", options->limit, "Only this limit");
  command->add_option("--from", options->from, "The first day, as in 2026-11-01 (default: the first that is kept)");
  command->add_option("--to", options->to, "The last day (default: today)");
  command->add_flag("--days", options->days, "Show days instead of months");
  command->callback([options, &result] {
    result = call_and_print(options->admin, history_request(*options),
                            [options](const Json& answer) { print_history(answer, options->days); });
  });
}

}  // namespace headgate::cli
