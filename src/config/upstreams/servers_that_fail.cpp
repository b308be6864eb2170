// Servers that fail: when they get no requests, and when an upstream gets none.

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
    {"in_a_row", &kCountOfFailures, kOfOptions, "5",
     "A server is ejected after so many failures without an answer between them",
     into<&balance::EjectOptions::in_a_row>},
    {"share", &kShareOfFailures, "50%", R"("50%")", "Or if this share of its outcomes are failures ...",
     read_into<&parse_share, &balance::EjectOptions::share>},
    {"of_last", &kDuration, kOfOptions, R"("10s")", "... within this time ...", into<&balance::EjectOptions::of_last>},
    {"at_least", &kOutcomeCount, kOfOptions, "20", "... with at least so many outcomes",
     into<&balance::EjectOptions::at_least>},
    {"silent", &kDuration, kOfOptions, R"("3s")",
     "Or if it owes answers for this time and gives none, while the others answer; more where answers take long",
     into<&balance::EjectOptions::silent>},
    {"slower", &kTimesSlower, kOfOptions, "3",
     "Or if its p95 latency is more than so many times that of the others, in three windows of at least 50 answers",
     into<&balance::EjectOptions::slower>},
    {"time", &kDuration, kOfOptions, R"("5s")",
     "How long it gets no request; the second time twice as long, the third time three times, and so on",
     into<&balance::EjectOptions::time>},
    {"longest", &kDuration, kOfOptions, R"("5m")", "The longest such time", into<&balance::EjectOptions::longest>},
    {"most", &kShareOfServers, "50%", R"("50%")",
     "Maximum share of the servers that may be ejected at the same time, rounded up; never all of them",
     read_into<&parse_share, &balance::EjectOptions::most>},
    {"panic_below", &kShareOfServers, "30%", R"("30%")",
     "If a smaller share of the servers may be chosen, because others are unhealthy too, ejected ones come back",
     read_into<&parse_share, &balance::EjectOptions::panic_below>},
};
constexpr Section kEject{
    "eject", "upstreams.<name>.eject",
    "When a server gets no requests because it fails: an object, or `\"off\"`. On by default where "
    "an upstream has at least two servers, see [servers.md](servers.md).",
    kEjectKeys};
constexpr Shape kEjectObject = section(kEject);
constexpr std::string_view kEjectWords[] = {"off"};
constexpr Shape kEjectWord = choice(kEjectWords);
constexpr const Shape* kEjectForms[] = {&kEjectObject, &kEjectWord};

constexpr Key kCircuitKeys[] = {
    {"open_at", &kShareOfFailures, "50%", R"("50%")", "It opens if this share of the requests fail ...",
     read_into<&parse_share, &balance::CircuitOptions::open_at>},
    {"of_last", &kDuration, kOfOptions, R"("10s")", "... within this time ...",
     into<&balance::CircuitOptions::of_last>},
    {"at_least", &kOutcomeCount, kOfOptions, "20", "... of at least so many", into<&balance::CircuitOptions::at_least>},
    {"try_again", &kDuration, kOfOptions, R"("5s")", "How long it stays open; then some requests pass as trials",
     into<&balance::CircuitOptions::try_again>},
    {"trials", &kTrials, kOfOptions, "5",
     "How many trials pass at the same time; it closes if so many are answered, and one failure opens it again",
     into<&balance::CircuitOptions::trials>},
};
constexpr Section kCircuit{
    "circuit", "upstreams.<name>.circuit",
    "A circuit breaker: while most requests to the upstream fail, all are refused at once with 503 "
    "and `Retry-After`.",
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
