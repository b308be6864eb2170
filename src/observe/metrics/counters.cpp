#include "headgate/observe/counters.hpp"

#include "headgate/observe/families/callers.hpp"
#include "headgate/observe/families/fleet.hpp"
#include "headgate/observe/families/gateway.hpp"
#include "headgate/observe/families/limits.hpp"
#include "headgate/observe/families/permits.hpp"
#include "headgate/observe/families/requests.hpp"
#include "headgate/observe/families/rooms.hpp"
#include "headgate/observe/families/upstreams.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headgate::observe {
namespace {

constexpr WordsOf<Source> kSourceNames({"memory", "redis", "fallback"});

/// The methods of RFC 9110 section 9 and PATCH; all other methods share one label value.
constexpr std::array<std::string_view, 10> kMethods{"_OTHER", "GET",     "HEAD",    "POST",  "PUT",
                                                    "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"};
constexpr CounterTable::Key kCodes = 1024;
constexpr unsigned kMinCode = 100;
constexpr unsigned kMaxCode = 999;

/// Returns the index of a method in kMethods. Branches by the size first: texts of a known size are compared without a
/// function call.
CounterTable::Key place_of(std::string_view method) noexcept {
  const auto is = [&](CounterTable::Key at) { return method == kMethods[at] ? at : 0; };
  switch (method.size()) {
    case 3:
      return method == "GET" ? 1 : is(4);
    case 4:
      return method == "POST" ? 3 : is(2);
    case 5:
      return is(8) + is(9);
    case 6:
      return is(5);
    case 7:
      return is(6) + is(7);
    default:
      return 0;
  }
}

CounterTable::Key key_of(std::string_view method, unsigned status) noexcept {
  const auto code = status < kMinCode || status > kMaxCode ? 0 : status;
  return (place_of(method) + 1) * kCodes + code;  // the keys begin at kCodes, because 0 is kRest
}

LabelValues spell(CounterTable::Key key) {
  if (key == CounterTable::kRest) return {"_OTHER", "_OTHER"};
  const auto code = key % kCodes;
  return {std::string(kMethods[key / kCodes - 1]), code == 0 ? "-" : std::to_string(code)};
}

constexpr WordsOf<AuthKind> kKindNames({"api_key", "jwt", "mtls", "service", "address", "basic"});
constexpr WordsOf<AuthStatus> kResultNames({"ok",
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
                                            "no_claim",
                                            "no_group",
                                            "insufficient",
                                            "refused",
                                            "unavailable",
                                            "denied"});

CounterTable::Key key_of(const AuthResult& auth_result) noexcept {
  const auto number =
      static_cast<std::size_t>(auth_result.kind) * kCountOf<AuthStatus> + static_cast<std::size_t>(auth_result.result);
  return static_cast<CounterTable::Key>(number + 1);  // the keys begin at 1, because 0 is kRest
}

CounterTable::Key key_of(GrpcStatus status) noexcept {
  return static_cast<CounterTable::Key>(static_cast<int>(status) + 1);  // the keys begin at 1, because 0 is kRest
}

LabelValues spell_grpc_status(CounterTable::Key key) {
  const auto status =
      key == CounterTable::kRest ? GrpcStatus::other : static_cast<GrpcStatus>(static_cast<int>(key) - 1);
  return {std::string(to_text(status))};
}

LabelValues spell_auth_result(CounterTable::Key key) {
  if (key == CounterTable::kRest) return {"_OTHER", "_OTHER"};
  return {std::string(kKindNames[(key - 1) / kCountOf<AuthStatus>]),
          std::string(kResultNames[(key - 1) % kCountOf<AuthStatus>])};
}

}  // namespace

std::string_view to_text(AuthKind kind) noexcept { return kKindNames[kind]; }
std::string_view to_text(AuthStatus result) noexcept { return kResultNames[result]; }

LimitCounters limit_counters(Registry& registry, Writer writer, std::string_view limit, std::string_view tier,
                             Counted counted, const LimitNature& nature) {
  const std::string name(limit);
  const std::string tier_name(tier);
  LimitCounters counters;
  const auto fill = [&](Source source) {
    const auto i = static_cast<std::size_t>(source);
    const std::string from(kSourceNames[i]);
    const auto decision = [&](const char* word) {
      return &registry.counter(writer, family::limit_decisions, {name, tier_name, word, from});
    };
    counters.allowed[i] = decision("allowed");
    counters.rejected[i] = decision("rejected");
    counters.observed[i] = decision("observed");
    counters.seconds[i] = &registry.histogram(writer, family::limit_decision_seconds, {name, from});
  };
  const auto stand_in = [&](Source source, Source has) {
    const auto i = static_cast<std::size_t>(source);
    const auto j = static_cast<std::size_t>(has);
    counters.allowed[i] = counters.allowed[j];
    counters.rejected[i] = counters.rejected[j];
    counters.observed[i] = counters.observed[j];
    counters.seconds[i] = counters.seconds[j];
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
  counters.units_allowed = units("allowed");
  counters.units_rejected = units("rejected");
  counters.units_observed = units("observed");
  counters.top = &registry.tops(writer).of(limit);
  for (std::size_t row = 0; row < kLimitEvents.size(); ++row) {
    const auto& event = kLimitEvents[row];
    if (!event.had_by(nature)) continue;
    const bool by_tier = event.family.label_count() == 2;
    counters.events[row] = by_tier ? &registry.counter(writer, event.family, {name, tier_name})
                                   : &registry.counter(writer, event.family, {name});
  }
  return counters;
}

UpstreamCounters upstream_counters(Registry& registry, Writer worker, std::string_view upstream,
                                   const std::vector<std::string>& servers) {
  const std::string name(upstream);
  UpstreamCounters counters{.seconds = &registry.histogram(worker, family::upstream_seconds, {name}), .requests = {}};
  counters.requests.reserve(servers.size());
  for (const auto& server : servers)
    counters.requests.push_back(&registry.codes(worker, family::upstream_requests, {name, server}));
  return counters;
}

Gauge& loop_lag_gauge(Registry& registry, Writer worker) {
  return registry.gauge(family::event_loop_lag, {std::to_string(worker)});
}

void add_appointments(LimitCounters& counters, Registry& registry, Writer writer, std::string_view limit) {
  constexpr WordsOf<AppointmentEvent> kEvents({"offered", "kept", "early", "missed"});
  for (std::size_t i = 0; i < kEvents.size(); ++i)
    counters.appointments[i] =
        &registry.counter(writer, family::limit_appointments, {std::string(limit), std::string(kEvents[i])});
}

void add_waits(LimitCounters& counters, Registry& registry, Writer writer, std::string_view limit) {
  counters.waits = &registry.histogram(writer, family::limit_wait_seconds, {std::string(limit)});
}

void add_remaining(LimitCounters& counters, Registry& registry, std::string_view limit, std::string_view tier) {
  counters.remaining = &registry.gauge(family::limit_remaining, {std::string(limit), std::string(tier)});
}

void add_in_flight(LimitCounters& counters, Registry& registry, Writer worker, std::string_view limit) {
  counters.in_flight = &registry.gauge(family::limit_in_flight, {std::string(limit), std::to_string(worker)});
}

void add_settled(LimitCounters& counters, Registry& registry, Writer worker, std::string_view limit) {
  constexpr WordsOf<CostSaid> kSaid({"reported", "counted", "held"});
  const std::string name(limit);
  for (std::size_t i = 0; i < kSaid.size(); ++i)
    counters.settled[i] = &registry.counter(worker, family::limit_settled, {name, std::string(kSaid[i])});
  counters.overdrawn = &registry.counter(worker, family::limit_overdrawn, {name});
  counters.held = &registry.gauge(family::limit_held, {name, std::to_string(worker)});
}

Counter& model_counter(Registry& registry, Writer worker, std::string_view limit, std::string_view model) {
  return registry.counter(worker, family::limit_models, {std::string(limit), std::string(model)});
}

RouteCounters::RouteCounters(Registry& registry, Writer writer, std::string_view route)
    : series_(&registry.routes(writer).of(route)) {}

namespace {

/// Returns the table at `place`; creates it if it does not exist yet.
CounterTable& made(std::atomic<CounterTable*>& place) {
  auto* table = place.load(std::memory_order_relaxed);
  if (table == nullptr) {
    table = new CounterTable;  // NOLINT(cppcoreguidelines-owning-memory): RouteSeries owns it
    place.store(table, std::memory_order_release);
  }
  return *table;
}

}  // namespace

void RouteCounters::count(const AuthResult& auth_result) const { made(series_->auth_results).add(key_of(auth_result)); }

void RouteCounters::count(GrpcStatus status) const { made(series_->grpc).add(key_of(status)); }

void RouteCounters::traced(std::string_view trace_id, Duration took, Instant when) const {
  auto* exemplars = series_->exemplars.load(std::memory_order_relaxed);
  if (exemplars == nullptr) {
    exemplars = new Exemplars;  // NOLINT(cppcoreguidelines-owning-memory): RouteSeries owns it
    series_->exemplars.store(exemplars, std::memory_order_release);
  }
  exemplars->record(series_->seconds.bucket_of(took), trace_id, took, when);
}

void RouteCounters::count(std::string_view method, unsigned status, const Spent& spent) const noexcept {
  auto& series = *series_;
  series.requests.add(key_of(method, status));
  series.seconds.record(spent.whole);
  series.overhead.record(spent.overhead);
  series.received.add(spent.received);
  series.sent.add(spent.sent);
}

namespace {

void show_histogram(Scrape& scrape, const Family& family, const std::string& route, const Histogram& histogram) {
  std::array<std::uint64_t, Histogram::kMaxBounds + 1> counts{};
  const auto buckets = histogram.bounds().size() + 1;
  for (std::size_t i = 0; i < buckets; ++i) counts[i] = histogram.count(i);
  scrape.histogram(family, {route}, {counts.data(), buckets}, histogram.sum());
}

}  // namespace

void WorkerRoutes::read(Scrape& scrape) const {
  for (const auto* at = newest_.load(std::memory_order_acquire); at != nullptr; at = at->before.get()) {
    const auto show = [&](const CounterTable& table, const Family& family, Registry::Spell labels_of) {
      table.each([&](CounterTable::Key key, std::uint64_t count) {
        LabelValues labels{at->route};
        for (auto& label : labels_of(key)) labels.push_back(std::move(label));
        scrape.value(family, labels, static_cast<double>(count));
      });
    };
    show(at->requests, family::requests, spell);
    if (const auto* table = at->auth_results.load(std::memory_order_acquire))
      show(*table, family::auth, spell_auth_result);
    if (const auto* table = at->grpc.load(std::memory_order_acquire))
      show(*table, family::grpc_requests, spell_grpc_status);
    show_histogram(scrape, family::request_seconds, at->route, at->seconds);
    if (const auto* const exemplars = at->exemplars.load(std::memory_order_acquire)) {
      for (std::size_t i = 0; i < Exemplars::kMax; ++i)
        if (auto one = exemplars->read(i)) scrape.exemplar(family::request_seconds, {at->route}, i, std::move(*one));
    }
    show_histogram(scrape, family::overhead_seconds, at->route, at->overhead);
    scrape.value(family::received_bytes, {at->route}, static_cast<double>(at->received.read()));
    scrape.value(family::sent_bytes, {at->route}, static_cast<double>(at->sent.read()));
    at->read_elsewhere(scrape);
    scrape.level(family::requests_in_flight, {at->route}, static_cast<double>(at->in_flight.read()));
  }
}

namespace {

void add(const RouteSeries& series, Traffic& traffic) {
  constexpr unsigned kTooMany = 429, kSpent = 402, kFailed = 500, kHundred = 100;
  series.requests.each([&](CounterTable::Key key, std::uint64_t count) {
    const auto code = key == CounterTable::kRest ? 0 : key % kCodes;
    traffic.requests += count;
    const bool rejected = code == kTooMany || code == kSpent;
    if (rejected) traffic.rejected += count;
    if (code >= kFailed) traffic.failed += count;
    if (!rejected) traffic.classes[code / kHundred < traffic.classes.size() ? code / kHundred : 0] += count;
  });
  traffic.received += series.received.read();
  traffic.sent += series.sent.read();
  for (std::size_t i = 0; i <= series.seconds.bounds().size(); ++i) traffic.durations[i] += series.seconds.count(i);
  for (std::size_t i = 0; i <= series.overhead.bounds().size(); ++i) traffic.overheads[i] += series.overhead.count(i);
}

}  // namespace

void WorkerRoutes::add_to(Traffic& traffic) const {
  for (const auto* at = newest_.load(std::memory_order_acquire); at != nullptr; at = at->before.get())
    add(*at, traffic);
}

void WorkerRoutes::add_to(TrafficByRoute& by_route) const {
  for (const auto* at = newest_.load(std::memory_order_acquire); at != nullptr; at = at->before.get())
    add(*at, by_route[at->route]);
}

ReloadCounters::ReloadCounters(Registry& registry)
    : applied_(registry.counter(kMainThread, family::reloads, {"applied"})),
      refused_(registry.counter(kMainThread, family::reloads, {"refused"})),
      successful_(registry.gauge(family::reload_successful, {})),
      time_(registry.gauge(family::reload_time, {})) {}

void ReloadCounters::started(Instant now) noexcept {
  successful_.set(1);
  time_.set(std::chrono::duration<double>(now.time_since_epoch()).count());
}

void ReloadCounters::applied(Instant now) noexcept {
  started(now);
  applied_.add();
}

void ReloadCounters::refused() noexcept {
  successful_.set(0);
  refused_.add();
}

}  // namespace headgate::observe
