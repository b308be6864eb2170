#include "admin_client.hpp"
#include "cli/commands.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"
#include "live.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

namespace headgate::cli {
namespace {

using TopReply = nlohmann::ordered_json;

struct TopOptions {
  AdminOptions admin;
  std::string limit;  ///< empty for all
  std::string by = "rejected";
  std::string window = "1m";
  unsigned keys = 20;
  LiveOptions live;
};

std::string target_of(const TopOptions& options) {
  const auto what = "by=" + options.by + "&window=" + options.window + "&n=" + std::to_string(options.keys);
  return options.limit.empty() ? "/api/v1/top?" + what : "/api/v1/limits/" + in_path(options.limit) + "/top?" + what;
}

std::string with_digits(double number, const char* format) {
  std::array<char, 64> text{};
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), format, number))};
}

/// Adds one row for each key, in the order of the gateway: the heaviest limit first.
void add_rows(TextTable& table, const TopReply& limit) {
  for (const auto& key : limit.value("keys", TopReply::array())) {
    const auto shown = key.contains("key") ? key.value("key", "") : key.value("key_id", "");
    table.row({limit.value("limit", ""), shown, std::to_string(key.value("requests", std::uint64_t{0})),
               with_digits(100 * key.value("share", 0.0), "%.1f"), with_digits(key.value("per_second", 0.0), "%.2f")});
  }
}

std::string text_of(const TopReply& reply, const TopOptions& options) {
  TopReply limits = reply.value("limits", TopReply::array({reply}));
  std::stable_sort(limits.begin(), limits.end(), [](const auto& a, const auto& b) {
    return a.value("requests", std::uint64_t{0}) > b.value("requests", std::uint64_t{0});
  });
  TextTable table({"limit", "key", "requests", "share in %", "a second"});
  double seconds = 0;
  std::uint64_t missed = 0;
  unsigned sampled = 1;
  for (const auto& limit : limits) {
    add_rows(table, limit);
    seconds = std::max(seconds, limit.value("seconds", 0.0));
    missed = std::max(missed, limit.value("missed", std::uint64_t{0}));
    sampled = std::max(sampled, limit.value("sampled", 1U));
  }
  auto out = options.by + " in the last " + with_digits(seconds, "%.0f") + " s";
  if (sampled > 1) out += ", counted from one request of " + std::to_string(sampled);
  if (missed > 0) out += "; each key may have up to " + std::to_string(missed) + " more";
  out += '\n';
  return out + (table.empty() ? "nobody\n" : table.text(stdout_has_colours(), stdout_width()));
}

Result<std::string, CommandFailure> picture_of(const TopOptions& options) {
  const auto reply = call_gateway(options.admin, {.target = target_of(options)});
  if (reply.has_error()) return reply.error();
  if (!reply->json.is_object())
    return CommandFailure{kFailed, "the answer is not JSON", "is this the admin interface of a gateway?"};
  return options.admin.json ? printable_json(reply->json.dump()) + '\n' : text_of(reply->json, options);
}

}  // namespace

void offer_top(CLI::App& app, int& result) {
  const auto options = std::make_shared<TopOptions>();
  auto* command = app.add_subcommand("top", "Show live which keys the limits reject or allow most often");
  offer_admin(*command, options->admin);
  command->add_option("--limit", options->limit, "Only this limit");
  command->add_option("--by", options->by, "Sort by rejected or allowed requests")
      ->check(CLI::IsMember({"rejected", "allowed"}))
      ->capture_default_str();
  command->add_option("--window", options->window, "The last minute or the last hour: 1m or 1h")
      ->check(CLI::IsMember({"1m", "1h"}))
      ->capture_default_str();
  command->add_option("--keys", options->keys, "Number of keys per limit")
      ->check(CLI::Range(1, 128))
      ->capture_default_str();
  offer_live(*command, options->live);
  command->callback([options, &result] {
    result = show_live(options->live, options->admin.json, [&] { return picture_of(*options); });
  });
}

}  // namespace headgate::cli
