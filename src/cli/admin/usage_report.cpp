// Implements headgate usage-report: the use of a day, for billing, page by page from a running gateway, to stdout or to
// a file.

#include "admin_client.hpp"
#include "cli/commands.hpp"
#include "cli/printable.hpp"
#include "report_file.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace headgate::cli {
namespace {

using ReportJson = nlohmann::ordered_json;

/// Long, because the gateway may need many calls to Redis for one page.
constexpr auto kPagePatience = std::chrono::seconds(60);

struct ReportOptions {
  AdminOptions admin;
  std::string day;
  std::string limit;
  std::string output;
  bool again = false;
};

struct ReportDay {
  std::string day;
  bool complete = false;
  std::string complete_from;
};

std::string text_of_member(const ReportJson& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Returns the requested day; by default yesterday in the gateway's billing calendar.
Result<ReportDay, CommandFailure> find_report_day(const ReportOptions& options) {
  using Found = Result<ReportDay, CommandFailure>;
  const auto fail = [](std::string message, std::string help = {}) {
    return Found(boost::system::in_place_error, CommandFailure{kFailed, std::move(message), std::move(help)});
  };
  auto reply = call_gateway(options.admin, {.target = "/api/v1/usage"});
  if (reply.has_error()) return Found(boost::system::in_place_error, std::move(reply.error()));
  const auto days = reply->json.is_object() ? reply->json.value("days", ReportJson::array()) : ReportJson::array();
  if (days.empty()) return fail("no limit of this gateway has \"bill\"", "see docs/billing.md");
  for (std::size_t i = 0; i < days.size(); ++i) {
    const auto day = text_of_member(days[i], "day");
    if (options.day.empty() ? i != 1 : day != options.day) continue;
    return ReportDay{day, days[i].value("complete", false), text_of_member(days[i], "complete_from")};
  }
  return fail(options.day + " is not among the days that are kept",
              "they are " + text_of_member(days.back(), "day") + " to " + text_of_member(days.front(), "day"));
}

std::string last_line_of(std::string_view lines) {
  if (lines.ends_with('\n')) lines.remove_suffix(1);
  const auto before = lines.rfind('\n');
  return std::string(lines.substr(before == std::string_view::npos ? 0 : before + 1));
}

std::string cursor_of(const std::string& line) {
  return text_of_member(ReportJson::parse(line, nullptr, false), "cursor");
}

using Write = std::function<std::optional<std::string>(std::string_view lines)>;

/// Fetches the records after `cursor` page by page, and passes each page to `write`.
std::optional<CommandFailure> write_pages(const ReportOptions& options, const std::string& day, std::string cursor,
                                          const Write& write) {
  for (;;) {
    AdminRequest request{.target = "/api/v1/usage/" + in_path(day) + "?count=1000", .patience = kPagePatience};
    if (!options.limit.empty()) request.target += "&limit=" + in_path(options.limit);
    if (!cursor.empty()) request.target += "&after=" + cursor;
    auto page = call_gateway(options.admin, request);
    if (page.has_error()) return std::move(page.error());
    if (page->text.empty()) return std::nullopt;
    if (auto why = write(page->text)) return CommandFailure{kFailed, std::move(*why)};
    cursor = cursor_of(last_line_of(page->text));
    if (cursor.empty())
      return CommandFailure{kFailed, "the answer is no usage report", "is this the admin interface of a gateway?"};
  }
}

int report_to_stdout(const ReportOptions& options) {
  const auto day = find_report_day(options);
  if (day.has_error()) return complain(day.error());
  if (!day->complete)
    std::fprintf(stderr, "headgate: %s is not complete before %s\n", day->day.c_str(), day->complete_from.c_str());
  const auto failure = write_pages(options, day->day, {}, [](std::string_view page) -> std::optional<std::string> {
    const auto lines = printable_json(page);
    if (std::fwrite(lines.data(), 1, lines.size(), stdout) == lines.size() && std::fflush(stdout) == 0)
      return std::nullopt;
    return "cannot write to stdout";
  });
  return failure ? complain(*failure) : kWell;
}

// Writes the report to a file. Refuses a day that is not complete, because its records would change before the rest is
// written.
int report_to_file(const ReportOptions& options) {
  std::error_code unknown;
  if (!options.again && std::filesystem::exists(options.output, unknown)) {
    std::fprintf(stderr, "headgate: %s is there already: nothing is done\n", options.output.c_str());
    return kWell;
  }
  const auto day = find_report_day(options);
  if (day.has_error()) return complain(day.error());
  if (!day->complete)
    return complain({kFailed, day->day + " is not complete before " + day->complete_from,
                     "come back then, or leave --output out to see what is there now"});
  using Begin = ReportFile::Begin;
  const auto file = ReportFile::open(options.output, options.again ? Begin::anew : Begin::resume);
  if (file.has_error()) return complain({kFailed, file.error()});
  const auto cursor = cursor_of(file->last_line());
  const auto first = ReportJson::parse(file->last_line(), nullptr, false);
  if (!file->last_line().empty() && (cursor.empty() || text_of_member(first, "day") != day->day))
    return complain({kFailed, options.output + ".part is a part of something else", "remove it"});
  auto failure = write_pages(options, day->day, cursor, [&](std::string_view lines) { return file->append(lines); });
  if (failure) {
    if (failure->help.empty()) failure->help = "run this again: it goes on where it has stopped";
    return complain(*failure);
  }
  if (auto why = file->finish()) return complain({kFailed, std::move(*why)});
  return kWell;
}

}  // namespace

void offer_usage_report(CLI::App& app, int& result) {
  const auto options = std::make_shared<ReportOptions>();
  auto* command =
      app.add_subcommand("usage-report", "Print what each key of billed limits has used on a day, as JSON lines");
  offer_admin(*command, options->admin);
  command->add_option("--day", options->day, "The day, as in 2026-11-22 (default: yesterday)");
  command->add_option("--limit", options->limit, "Only this limit");
  auto* output = command->add_option("--output", options->output, "A file to write; an interrupted run is continued");
  command->add_flag("--again", options->again, "Write the file again, with usage that was added later")->needs(output);
  command->callback(
      [options, &result] { result = options->output.empty() ? report_to_stdout(*options) : report_to_file(*options); });
}

}  // namespace headgate::cli
