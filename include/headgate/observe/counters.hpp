#pragma once
// Counters of the request path, of limits and of the main thread, with their names in the registry. They are created
// when a configuration is loaded.

#include "headgate/core/per_enum.hpp"
#include "headgate/observe/grpc_status.hpp"
#include "headgate/observe/limit_events.hpp"
#include "headgate/observe/metrics.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::observe {

/// The source of a limit's decision. Known rejections and leased permits of Redis count as redis.
enum class Source : std::uint8_t { memory, redis, fallback, count };

/// The store of a limit: this gateway's memory, or Redis with the fallback while Redis is unavailable.
enum class Counted { in_memory, in_redis };

/// Events of an appointment. One request may cause several of them.
enum class AppointmentEvent : std::uint8_t { offered, kept, early, missed, count };

/// The source of a cost that only the answer says.
enum class CostSaid : std::uint8_t {
  reported,  ///< the answer reported it
  counted,   ///< it was counted from the text that passed
  held,      ///< neither, so the hold is charged
  count
};

/// One worker's counters of one tier of a limit, indexed by Source and never null. A source that the limit never has
/// shares the counters of another source.
struct LimitCounters {
  std::array<Counter*, kCountOf<Source>> allowed{};
  std::array<Counter*, kCountOf<Source>> rejected{};
  std::array<Counter*, kCountOf<Source>> observed{};  ///< requests that would have been rejected
  /// Counters by kLimitEvents; null for events that the limit cannot have.
  std::array<Counter*, kLimitEvents.size()> events{};
  /// Costs in units: of allowed requests, and of requests that were rejected or observed.
  Counter* units_allowed = nullptr;
  Counter* units_rejected = nullptr;
  Counter* units_observed = nullptr;
  std::array<Histogram*, kCountOf<Source>> seconds{};
  /// Counters by AppointmentEvent; null if the limit offers no appointments.
  std::array<Counter*, kCountOf<AppointmentEvent>> appointments{};
  LimitTop* top = nullptr;  ///< keys that are limited; one for all tiers
  /// times that requests wait for a permit of a limit in flight with a queue; otherwise null
  Histogram* waits = nullptr;
  /// remaining units of a limit that all callers share, one gauge for all workers; otherwise null
  Gauge* remaining = nullptr;
  /// Units by CostSaid, and those above the hold of their call; null unless a cost of the limit is settled.
  std::array<Counter*, kCountOf<CostSaid>> settled{};
  Counter* overdrawn = nullptr;
  Gauge* held = nullptr;       ///< units that calls of this worker hold; null unless a cost of the limit is settled
  Gauge* in_flight = nullptr;  ///< permits that requests of this worker hold; null unless the limit is in flight

  /// Counts the events of `seen`, by kLimitEvents.
  void count(const LimitSeen& seen) const noexcept {
    const auto row = [&]<std::size_t at> {
      if (events[at] != nullptr && kLimitEvents[at].happened(seen)) events[at]->add();
    };
    [&]<std::size_t... at>(std::index_sequence<at...>) { (row.template operator()<at>(), ...); }
    (std::make_index_sequence<kLimitEvents.size()>());
  }
};
/// Returns the counters of a limit's tier; the same names return the same counters. `tier` is empty if the limit has no
/// tiers.
LimitCounters limit_counters(Registry& registry, Writer writer, std::string_view limit, std::string_view tier,
                             Counted counted, const LimitNature& nature = {});

/// Adds the gauge of remaining units.
void add_remaining(LimitCounters& counters, Registry& registry, std::string_view limit, std::string_view tier);
/// Adds the counters of appointments.
void add_appointments(LimitCounters& counters, Registry& registry, Writer writer, std::string_view limit);
/// Adds the histogram of waits for a permit in flight.
void add_waits(LimitCounters& counters, Registry& registry, Writer writer, std::string_view limit);

/// Adds the counters and the gauge of settled costs.
void add_settled(LimitCounters& counters, Registry& registry, Writer worker, std::string_view limit);
/// Returns the counter of the units that calls of a language model used. The caller bounds the number of models.
Counter& model_counter(Registry& registry, Writer worker, std::string_view limit, std::string_view model);

/// Adds the gauge of permits in flight.
void add_in_flight(LimitCounters& counters, Registry& registry, Writer worker, std::string_view limit);

/// Returns the gauge of the delay of this worker's loop at the last measurement.
Gauge& loop_lag_gauge(Registry& registry, Writer worker);

/// One worker's counters of the attempts at one upstream. Empty counters count nothing.
struct UpstreamCounters {
  Histogram* seconds = nullptr;      ///< time to the head of the answer
  std::vector<CodeTable*> requests;  ///< counters by server
};
/// Returns the counters of an upstream; the same names return the same counters.
UpstreamCounters upstream_counters(Registry& registry, Writer worker, std::string_view upstream,
                                   const std::vector<std::string>& servers);

/// The reasons for ending HTTP/2 connections: the words of session::H2Abuse, except the first one.
inline constexpr std::array<std::string_view, 4> kHttp2Ends{"resets", "glitches", "queue", "head"};

/// One worker's counters of the connections of one listener; null members are not counted.
struct ListenerCounters {
  Level* open = nullptr;
  Counter* accepted = nullptr;
  Counter* refused = nullptr;
  std::array<Counter*, kHttp2Ends.size()> http2_ended{};  ///< counters by kHttp2Ends
};
/// Returns the counters of a listener; the same name returns the same counters.
ListenerCounters listener_counters(Registry& registry, Writer worker, std::string_view listener);

/// The result of a TLS handshake with a server.
enum class ServerHandshake : std::uint8_t { full, resumed, untrusted, timed_out, failed, count };
/// One worker's counters of TLS handshakes with the servers of one upstream, by ServerHandshake.
using UpstreamHandshakeCounters = std::array<Counter*, kCountOf<ServerHandshake>>;
/// Returns the counters of an upstream; the same name returns the same counters.
UpstreamHandshakeCounters upstream_handshake_counters(Registry& registry, Writer worker, std::string_view upstream);

enum class AuthKind : std::uint8_t {
  api_key,
  jwt,
  mtls,
  service,  ///< a credential that the auth service checks
  address,
  basic,
  count
};
enum class AuthStatus : std::uint8_t {
  ok,
  missing,
  ambiguous,  ///< more than one credential
  limited,    ///< not checked, because the address has failed too often
  unknown_key,
  disabled,
  expired,
  malformed,
  unsupported_algorithm,
  wrong_type,
  no_keys,
  bad_signature,
  not_yet_valid,
  too_old,
  wrong_issuer,
  wrong_audience,
  too_large,
  no_claim,      ///< a valid token without the claim that a limit uses as its key
  no_group,      ///< a valid API key without the group that a limit uses as its key
  insufficient,  ///< a valid token or key that lacks something the route requires
  refused,       ///< refused by the auth service, or a wrong name or password
  unavailable,   ///< the auth service does not answer, or too many passwords wait to be checked
  denied,        ///< an address that the route does not allow
  count
};
std::string_view to_text(AuthKind kind) noexcept;      ///< Returns the word of a kind, such as "api_key".
std::string_view to_text(AuthStatus result) noexcept;  ///< Returns the word of a result, such as "bad_signature".

struct AuthResult {
  AuthKind kind = AuthKind::api_key;
  AuthStatus result = AuthStatus::missing;
};

/// The time and bytes of an exchange that has ended.
struct Spent {
  Duration whole{0};
  Duration overhead{0};        ///< part of the time that the gateway itself used; negative values count as 0
  std::uint64_t received = 0;  ///< bytes of the request body
  std::uint64_t sent = 0;      ///< bytes of the answer, including its head
};

/// One worker's counters of one route. The same name gives the same counters. Requests without a route count as route
/// "-", and routes beyond CountedRoutes::kMax count together as "_OTHER".
class RouteCounters {
 public:
  RouteCounters() = default;
  /// Finds or creates the counters. That worker's thread only.
  RouteCounters(Registry& registry, Writer writer, std::string_view route);
  explicit RouteCounters(RouteSeries& series) noexcept : series_(&series) {}

  /// Counts an exchange at its end. A non-standard method counts as "_OTHER". `status` is 0 if the client got no
  /// answer. That worker's thread only; takes no lock and allocates no memory.
  void count(std::string_view method, unsigned status, const Spent& spent) const noexcept;
  void count(std::string_view method, unsigned status, Duration took) const noexcept {
    count(method, status, Spent{.whole = took});
  }
  /// Records the trace of the exchange that was counted last. The first trace of a route allocates memory.
  void traced(std::string_view trace_id, Duration took, Instant when) const;
  /// Changes the number of exchanges in progress by `more`, which is 1 or -1. That worker's thread only.
  void under_way(int more) const noexcept { series_->in_flight.add(more); }
  /// Counts a request that goes to another upstream. That worker's thread only.
  void sent_elsewhere(Elsewhere because) const noexcept { series_->elsewhere[static_cast<std::size_t>(because)].add(); }
  /// Counts the check of one credential. The first check of a route allocates memory. That worker's thread only.
  void count(const AuthResult& auth_result) const;
  /// Counts a gRPC call; `status` must not be GrpcStatus::none. The first call of a route allocates memory. That
  /// worker's thread only.
  void count(GrpcStatus status) const;

  /// Returns whether there are counters; a default-constructed object has none.
  explicit operator bool() const noexcept { return series_ != nullptr; }

 private:
  RouteSeries* series_ = nullptr;
};

/// The counters of the main thread, which loads configurations.
class ReloadCounters {
 public:
  explicit ReloadCounters(Registry& registry);
  void started(Instant now) noexcept;  ///< Records the first configuration, which does not count as a reload.
  void applied(Instant now) noexcept;
  void refused() noexcept;

 private:
  Counter& applied_;
  Counter& refused_;
  Gauge& successful_;
  Gauge& time_;
};

}  // namespace headgate::observe
