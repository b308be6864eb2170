#include "headgate/observe/meters.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::observe {
namespace {

constexpr std::array<std::string_view, kSources> kSourceNames{"memory", "redis", "fallback"};

/// RFC 9110 section 9 and PATCH; any other word a client thinks of is one label value.
constexpr std::array<std::string_view, 10> kMethods{"_OTHER", "GET",     "HEAD",    "POST",  "PUT",
                                                    "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"};
constexpr CounterTable::Key kCodes = 1024;
constexpr unsigned kLeastCode = 100;
constexpr unsigned kMostCode = 999;

CounterTable::Key key_of(std::string_view method, unsigned status) noexcept {
  CounterTable::Key index = 1;
  while (index < kMethods.size() && kMethods[index] != method) ++index;
  if (index == kMethods.size()) index = 0;
  const auto code = status < kLeastCode || status > kMostCode ? 0 : status;
  return (index + 1) * kCodes + code;  // + 1: no key is kRest
}

LabelValues spell(CounterTable::Key key) {
  if (key == CounterTable::kRest) return {"_OTHER", "_OTHER"};
  const auto code = key % kCodes;
  return {std::string(kMethods[key / kCodes - 1]), code == 0 ? "-" : std::to_string(code)};
}

constexpr std::array<std::string_view, kAuthKinds> kKindNames{"api_key", "jwt", "mtls"};
constexpr std::array<std::string_view, kAuthResults> kResultNames{"ok",
                                                                  "missing",
                                                                  "ambiguous",
                                                                  "limited",
                                                                  "unknown_key",
                                                                  "disabled",
                                                                  "expired",
                                                                  "malformed",
                                                                  "unsupported_algorithm",
                                                                  "wrong_type",
                                                                  "no_keys",
                                                                  "bad_signature",
                                                                  "not_yet_valid",
                                                                  "too_old",
                                                                  "wrong_issuer",
                                                                  "wrong_audience",
                                                                  "too_large",
                                                                  "no_claim"};

CounterTable::Key key_of(const Proof& proof) noexcept {
  const auto number = static_cast<std::size_t>(proof.kind) * kAuthResults + static_cast<std::size_t>(proof.result);
  return static_cast<CounterTable::Key>(number + 1);  // + 1: no key is kRest
}

LabelValues spell_proof(CounterTable::Key key) {
  if (key == CounterTable::kRest) return {"_OTHER", "_OTHER"};
  return {std::string(kKindNames[(key - 1) / kAuthResults]), std::string(kResultNames[(key - 1) % kAuthResults])};
}

}  // namespace

std::string_view to_text(AuthKind kind) noexcept { return kKindNames[static_cast<std::size_t>(kind)]; }
std::string_view to_text(AuthResult result) noexcept { return kResultNames[static_cast<std::size_t>(result)]; }

LimitCells limit_cells(Registry& registry, Writer writer, std::string_view limit, std::string_view tier,
                       Counted counted) {
  const std::string name(limit);
  const std::string tier_name(tier);
  LimitCells cells;
  const auto fill = [&](Source source) {
    const auto i = static_cast<std::size_t>(source);
    const std::string from(kSourceNames[i]);
    const auto decision = [&](const char* word) {
      return &registry.counter(writer, family::limit_decisions, {name, tier_name, word, from});
    };
    cells.allowed[i] = decision("allowed");
    cells.rejected[i] = decision("rejected");
    cells.observed[i] = decision("observed");
    cells.seconds[i] = &registry.histogram(writer, family::limit_decision_seconds, {name, from});
  };
  const auto stand_in = [&](Source source, Source has) {
    const auto i = static_cast<std::size_t>(source);
    const auto j = static_cast<std::size_t>(has);
    cells.allowed[i] = cells.allowed[j];
    cells.rejected[i] = cells.rejected[j];
    cells.observed[i] = cells.observed[j];
    cells.seconds[i] = cells.seconds[j];
  };
  if (counted == Counted::in_redis) {
    fill(Source::redis);
    fill(Source::fallback);
    stand_in(Source::memory, Source::fallback);
  } else {
    fill(Source::memory);
    stand_in(Source::redis, Source::memory);
    stand_in(Source::fallback, Source::memory);
  }
  const auto units = [&](const char* word) {
    return &registry.counter(writer, family::limit_units, {name, tier_name, word});
  };
  cells.units_allowed = units("allowed");
  cells.units_rejected = units("rejected");
  cells.units_observed = units("observed");
  cells.near = &registry.counter(writer, family::limit_near, {name, tier_name});
  cells.unreadable = &registry.counter(writer, family::limit_unreadable, {name});
  return cells;
}

RouteCells::RouteCells(Registry& registry, Writer writer, std::string_view route)
    : requests_(&registry.table(writer, family::requests, {std::string(route)}, spell)),
      proofs_(&registry.table(writer, family::auth, {std::string(route)}, spell_proof)),
      seconds_(&registry.histogram(writer, family::request_seconds, {std::string(route)})) {}

void RouteCells::count(const Proof& proof) const noexcept { proofs_->add(key_of(proof)); }

void RouteCells::count(std::string_view method, unsigned status, Duration took) const noexcept {
  requests_->add(key_of(method, status));
  seconds_->record(took);
}

ReloadCells::ReloadCells(Registry& registry)
    : applied_(registry.counter(kMainThread, family::reloads, {"applied"})),
      refused_(registry.counter(kMainThread, family::reloads, {"refused"})),
      successful_(registry.gauge(family::reload_successful, {})),
      time_(registry.gauge(family::reload_time, {})) {}

void ReloadCells::started(Instant now) noexcept {
  successful_.set(1);
  time_.set(std::chrono::duration<double>(now.time_since_epoch()).count());
}

void ReloadCells::applied(Instant now) noexcept {
  started(now);
  applied_.add();
}

void ReloadCells::refused() noexcept {
  successful_.set(0);
  refused_.add();
}

}  // namespace headgate::observe
