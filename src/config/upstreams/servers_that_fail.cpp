// Builds the settings for failing servers: when a server gets no requests, and when a whole upstream gets none.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"
#include "config/words.hpp"

#include "headgate/balance/share_window.hpp"
#include "headgate/core/literals.hpp"

#include <algorithm>
#include <vector>

namespace headgate::config {
namespace {

constexpr Shape kCountOfFailures = integer(1, 1'000);
constexpr Shape kOutcomeCount = integer(1, 1'000'000);
constexpr Shape kTrials = integer(1, 1'000);
constexpr Shape kTimesSlower = integer(2, 1'000);
constexpr Shape kShareOfFailures = text("a share", check_share);
constexpr Shape kShareOfServers = text("a share", check_share);
constexpr Key kEjectKeys[] = {
    {"in_a_row", &kCountOfFailures, kOfOptions, "5", "Number of consecutive failures that ejects a server",
     into<&balance::EjectOptions::in_a_row>},
    {"share", &kShareOfFailures, "50%", R"("50%")",
     "Share of failures that ejects a server, among at least `at_least` outcomes within `of_last`",
     read_into<&parse_share, &balance::EjectOptions::share>},
    {"of_last", &kDuration, kOfOptions, R"("10s")", "Time over which `share` is measured",
     into<&balance::EjectOptions::of_last>},
    {"at_least", &kOutcomeCount, kOfOptions, "20", "Minimum number of outcomes for `share`",
     into<&balance::EjectOptions::at_least>},
    {"silent", &kDuration, kOfOptions, R"("3s")",
     "Time without any answer that ejects a server which owes answers while others answer; longer where answers take "
     "long",
     into<&balance::EjectOptions::silent>},
    {"slower", &kTimesSlower, kOfOptions, "3",
     "Ejects a server whose p95 latency is this many times that of the others, in three windows of at least 50 answers",
     into<&balance::EjectOptions::slower>},
    {"time", &kDuration, kOfOptions, R"("5s")",
     "Duration of the first ejection; the second lasts twice as long, the third three times, and so on",
     into<&balance::EjectOptions::time>},
    {"longest", &kDuration, kOfOptions, R"("5m")", "Maximum duration of an ejection",
     into<&balance::EjectOptions::longest>},
    {"most", &kShareOfServers, "50%", R"("50%")",
     "Maximum share of servers ejected at the same time, rounded up; never all of them",
     read_into<&parse_share, &balance::EjectOptions::most>},
    {"panic_below", &kShareOfServers, "30%", R"("30%")",
     "Ejected servers come back if less than this share of the servers is available",
     read_into<&parse_share, &balance::EjectOptions::panic_below>},
};
constexpr Section kEject{"eject", "upstreams.<name>.eject",
                         "When failing servers get no requests: an object, or `\"off\"`. On by default for at least "
                         "two servers; see [servers.md](servers.md).",
                         kEjectKeys};
constexpr Shape kEjectObject = section(kEject);
constexpr std::string_view kEjectWords[] = {"off"};
constexpr Shape kEjectWord = choice(kEjectWords);
constexpr const Shape* kEjectForms[] = {&kEjectObject, &kEjectWord};

constexpr Key kCircuitKeys[] = {
    {"open_at", &kShareOfFailures, "50%", R"("50%")",
     "Share of failed requests that opens the circuit, among at least `at_least` within `of_last`",
     read_into<&parse_share, &balance::CircuitOptions::open_at>},
    {"of_last", &kDuration, kOfOptions, R"("10s")", "Time over which `open_at` is measured",
     into<&balance::CircuitOptions::of_last>},
    {"at_least", &kOutcomeCount, kOfOptions, "20", "Minimum number of requests for `open_at`",
     into<&balance::CircuitOptions::at_least>},
    {"try_again", &kDuration, kOfOptions, R"("5s")", "How long the circuit stays open before trial requests pass",
     into<&balance::CircuitOptions::try_again>},
    {"trials", &kTrials, kOfOptions, "5",
     "Concurrent trials; if all succeed the circuit closes, and one failure opens it again",
     into<&balance::CircuitOptions::trials>},
};
constexpr Section kCircuit{
    "circuit", "upstreams.<name>.circuit",
    "A circuit breaker: while most requests to the upstream fail, all are refused at once with 503 and `Retry-After`.",
    kCircuitKeys};

}  // namespace

constexpr Shape kEjectShape = either("an object or \"off\"", kEjectForms);
constexpr Shape kCircuitShape = section(kCircuit);

namespace {

void check_eject(Build& build, const Node& node, const balance::EjectOptions& out) {
  if (out.longest >= out.time) return;
  const Node* written = find(&node, "longest");
  build.report.error(code::kConflict, written != nullptr ? *written : *find(&node, "time"),
                     "\"longest\" (" + to_text(out.longest) + ") is shorter than \"time\" (" + to_text(out.time) + ")",
                     "raise \"longest\" or lower \"time\"");
}

}  // namespace

void build_servers_that_fail(Build& build, const Node& node, upstream::ServerGroupOptions& out) {
  if (const Node* written = find(&node, "eject")) {
    out.eject.on = written->kind == Kind::object;
    if (out.eject.on) check_eject(build, *written, out.eject);
    if (out.eject.on && out.servers.size() == 1)
      build.report.warning_at_key(code::kNoEffect, *written,
                                  "\"eject\" has no effect: a single server is never ejected",
                                  "add a server, or remove it");
  }
}

namespace {

std::string percent_of(std::uint32_t parts) {
  return std::to_string(std::uint64_t{parts} * 100 / balance::ShareWindow::kWhole) + '%';
}

std::string ejection_of(const std::string& names, const balance::EjectOptions& eject) {
  if (!eject.on) return "\nUpstream " + names + ": a server that fails keeps its requests (\"eject\" is off).\n";
  return "\nUpstream " + names + ": a server gets no requests for " + to_text(eject.time) + " or longer after " +
         std::to_string(eject.in_a_row) + " failures in a row,\n  " + percent_of(eject.share) + " failures within " +
         to_text(eject.of_last) + ", " + to_text(eject.silent) + " without an answer, or " +
         std::to_string(eject.slower) + " times the latency of the others; never all servers.\n";
}

}  // namespace

std::string servers_in_words(const Config& config) {
  std::vector<std::pair<balance::EjectOptions, std::string>> groups;
  for (const auto& upstream : config.upstreams) {
    if (upstream.servers.size() < 2) continue;
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const auto& each) { return each.first == upstream.eject; });
    if (same == groups.end())
      groups.emplace_back(upstream.eject, upstream.name);
    else
      same->second += ", " + upstream.name;
  }
  std::string out;
  for (const auto& [eject, names] : groups) out += ejection_of(names, eject);
  for (const auto& upstream : config.upstreams) {
    if (!upstream.circuit) continue;
    const auto& circuit = *upstream.circuit;
    out += "\nUpstream " + upstream.name + " gets no requests for " + to_text(circuit.try_again) + " if " +
           percent_of(circuit.open_at) + " of at least " + std::to_string(circuit.at_least) + " fail within " +
           to_text(circuit.of_last) + "; they are refused with 503.\n";
  }
  return out;
}

}  // namespace headgate::config
