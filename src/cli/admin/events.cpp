// Implements headgate events: the recent events of a gateway, and with --follow the later ones too.

#include "admin_client.hpp"
#include "admin_print.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/printable.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

namespace headgate::cli {
namespace {

constexpr auto kBetweenCalls = std::chrono::seconds(1);

struct EventsOptions {
  AdminOptions admin;
  unsigned count = 100;
  bool follow = false;
};

std::string value_text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// Returns "2026-11-23T05:17:41Z warning redis_lost: Redis at 127.0.0.1:6379 does not answer: … (lines_left_out=3)". A
/// field whose value is in the sentence is not repeated.
std::string event_text(const Json& event) {
  constexpr std::array<std::string_view, 6> kShown{"ts", "level", "instance", "event", "message", "sentence"};
  // Older gateways deliver no sentence.
  const auto sentence = text_in(event, event.contains("sentence") ? "sentence" : "message");
  auto out = text_in(event, "ts") + ' ' + text_in(event, "level") + ' ' + text_in(event, "event");
  if (!sentence.empty()) out += ": " + sentence;
  std::string fields;
  for (const auto& [name, value] : event.items()) {
    const auto text = value_text(value);
    if (std::find(kShown.begin(), kShown.end(), name) != kShown.end()) continue;
    if (!text.empty() && sentence.find(text) != std::string::npos) continue;
    fields += (fields.empty() ? "" : ", ") + name + '=' + text;
  }
  return fields.empty() ? out : out + " (" + fields + ')';
}

void print_event(const Json& event, bool json) {
  if (json)
    std::puts(printable_json(event.dump()).c_str());
  else
    print_line(event_text(event));
}

/// Prints the events after number `after`. Returns the number of the last event; the error says why there is none.
Result<std::uint64_t, CommandFailure> print_events(const EventsOptions& options, std::uint64_t after, bool first) {
  const auto target = first ? "?limit=" + std::to_string(options.count) : "?after=" + std::to_string(after);
  const auto reply = call_gateway(options.admin, {.target = "/api/v1/events/last" + target});
  if (reply.has_error()) return reply.error();
  if (!reply->json.is_object())
    return CommandFailure{kFailed, "the answer is not JSON", "is this the admin interface of a gateway?"};
  const bool json = options.admin.whole().json;
  if (json && !options.follow) {
    std::puts(printable_json(reply->json.dump()).c_str());
    return Result<std::uint64_t, CommandFailure>(boost::system::in_place_value, count_in(reply->json, "number"));
  }
  const auto missed = count_in(reply->json, "missed");
  if (!first && missed > 0)
    std::fprintf(stderr, "headgate: %llu events came and went between two looks\n",
                 static_cast<unsigned long long>(missed));
  for (const auto& each : list_in(reply->json, "events")) print_event(each, json);
  if (first && !options.follow && list_in(reply->json, "events").empty()) print_line("no events");
  return Result<std::uint64_t, CommandFailure>(boost::system::in_place_value, count_in(reply->json, "number"));
}

int show_events(const EventsOptions& options) {
  std::uint64_t number = 0;
  for (bool first = true;; first = false) {
    const auto last = print_events(options, number, first);
    if (last.has_error()) return complain(last.error());
    if (!flush_output()) return kFailed;
    if (!options.follow) return kWell;
    number = *last;
    std::this_thread::sleep_for(kBetweenCalls);
  }
}

}  // namespace

void offer_events(CLI::App& app, int& result) {
  const auto options = std::make_shared<EventsOptions>();
  auto* command = app.add_subcommand("events", "Show recent events of a running gateway: reloads, failures, alarms");
  offer_admin(*command, options->admin);
  command->add_option("--last", options->count, "Number of past events to show")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_flag("-f,--follow", options->follow, "Keep printing new events until interrupted");
  command->callback([options, &result] { result = show_events(*options); });
}

}  // namespace headgate::cli
