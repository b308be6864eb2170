#pragma once
// The counters of the request path, of limits and of the main thread, under their names in the registry. Made when a
// configuration is loaded.

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

/// The place of a limit's counters: in this gateway's memory, or in Redis, with the fallback while Redis is
/// unavailable.
enum class Counted { in_memory, in_redis };

/// What happened to an appointment with a request. One request may do several of them.
enum class AppointmentEvent : std::uint8_t { offered, kept, early, missed, count };

/// One worker's counters of one tier of a limit, indexed by Source. None is null. For a source that the limit never
/// has, the counters are those of another source.
struct LimitCounters {
  std::array<Counter*, kCountOf<Source>> allowed{};
  std::array<Counter*, kCountOf<Source>> rejected{};
  std::array<Counter*, kCountOf<Source>> observed{};  ///< requests that would have been rejected
  /// By kLimitEvents. Null for what the limit does not have.
  std::array<Counter*, kLimitEvents.size()> events{};
  /// Units: the cost of allowed requests, and the cost that rejected or observed requests asked for.
  Counter* units_allowed = nullptr;
  Counter* units_rejected = nullptr;
  Counter* units_observed = nullptr;
  std::array<Histogram*, kCountOf<Source>> seconds{};
  /// By AppointmentEvent. Null for a limit that hands out none.
  std::array<Counter*, kCountOf<AppointmentEvent>> appointments{};
  LimitTop* top = nullptr;     ///< who is limited; one for all tiers
  Histogram* waits = nullptr;  ///< of a limit in flight with a queue; else null
  Gauge* remaining = nullptr;  ///< of a limit that all callers share, one for all workers; else null
  Gauge* in_flight = nullptr;  ///< permits that requests of this worker hold; null for a limit of a rate

  /// Counts what happened, by kLimitEvents.
  void count(const LimitSeen& seen) const noexcept {
    const auto row = [&]<std::size_t at> {
      if (events[at] != nullptr && kLimitEvents[at].happened(seen)) events[at]->add();
    };
    [&]<std::size_t... at>(std::index_sequence<at...>) { (row.template operator()<at>(), ...); }
    (std::make_index_sequence<kLimitEvents.size()>());
  }
};
/// The same names give the same counters. `tier` is empty if the limit has none.
LimitCounters limit_counters(Registry& registry, Writer writer, std::string_view limit, std::string_view tier,
                             Counted counted, const LimitNature& nature = {});

/// Makes the gauge of what is left.
void add_remaining(LimitCounters& counters, Registry& registry, std::string_view limit, std::string_view tier);
/// Makes the counters of appointments.
void add_appointments(LimitCounters& counters, Registry& registry, Writer writer, std::string_view limit);
/// Makes the times that requests waited for a permit in flight.
void add_waits(LimitCounters& counters, Registry& registry, Writer writer, std::string_view limit);

/// Makes the gauge of a limit of requests in flight.
void add_in_flight(LimitCounters& counters, Registry& registry, Writer worker, std::string_view limit);

/// How far the loop of this worker was behind at the last measurement.
Gauge& loop_lag_gauge(Registry& registry, Writer worker);

/// One worker's counters of the attempts at one upstream. Empty by default: nobody counts.
struct UpstreamCounters {
  Histogram* seconds = nullptr;      ///< until the head of an answer
  std::vector<CodeTable*> requests;  ///< by server
};
/// The same names give the same counters.
UpstreamCounters upstream_counters(Registry& registry, Writer worker, std::string_view upstream,
                                   const std::vector<std::string>& servers);

/// Why connections of HTTP/2 are ended: the words of session::H2Abuse, without its first.
inline constexpr std::array<std::string_view, 4> kHttp2Ends{"resets", "glitches", "queue", "head"};

/// One worker's counters of the connections that come through one listener; null: nobody counts.
struct ListenerCounters {
  Level* open = nullptr;
  Counter* accepted = nullptr;
  Counter* refused = nullptr;
  std::array<Counter*, kHttp2Ends.size()> http2_ended{};  ///< by kHttp2Ends
};
/// The same name gives the same counters.
ListenerCounters listener_counters(Registry& registry, Writer worker, std::string_view listener);

/// How a TLS handshake with a server ended.
enum class ServerHandshake : std::uint8_t { full, resumed, untrusted, timed_out, failed, count };
/// One worker's counters of the TLS handshakes with the servers of one upstream, by ServerHandshake.
using UpstreamHandshakeCounters = std::array<Counter*, kCountOf<ServerHandshake>>;
/// The same name gives the same counters.
UpstreamHandshakeCounters upstream_handshake_counters(Registry& registry, Writer worker, std::string_view upstream);

/// The kinds of credentials.
enum class AuthKind : std::uint8_t {
  api_key,
  jwt,
  mtls,
  service,  ///< of the auth service
  address,
  basic,
  count
};
enum class AuthStatus : std::uint8_t {
  ok,
  missing,
  ambiguous,  ///< more than one
  limited,    ///< its address has failed too often: not checked
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
  no_claim,      ///< a valid token without the claim that a limit counts by
  insufficient,  ///< a valid token or key that lacks what the route demands of it
  refused,       ///< by the auth service; or name or password is wrong
  unavailable,   ///< the auth service says nothing of it; or too many passwords wait
  denied,        ///< an address from which the route may not be used
  count
};
std::string_view to_text(AuthKind kind) noexcept;      ///< "api_key"
std::string_view to_text(AuthStatus result) noexcept;  ///< "bad_signature"

struct AuthResult {
  AuthKind kind = AuthKind::api_key;
  AuthStatus result = AuthStatus::missing;
};

/// What an exchange took, when it has ended.
struct Spent {
  Duration whole{0};
  Duration overhead{0};        ///< the gateway's own part of it; below 0 counts as 0
  std::uint64_t received = 0;  ///< bytes of the request's body
  std::uint64_t sent = 0;      ///< bytes of the answer with its head
};

/// One worker's counters of one route; the same name gives the same counters. Requests without a route count as the
/// route "-", routes beyond CountedRoutes::kMax together as "_OTHER".
class RouteCounters {
 public:
  RouteCounters() = default;
  /// That worker's thread only.
  RouteCounters(Registry& registry, Writer writer, std::string_view route);
  explicit RouteCounters(RouteSeries& series) noexcept : series_(&series) {}

  /// Counts an exchange at its end. A method that is not standard counts as "_OTHER". `status` is 0 if the client got
  /// no answer. That worker's thread only; takes no lock and allocates no memory.
  void count(std::string_view method, unsigned status, const Spent& spent) const noexcept;
  void count(std::string_view method, unsigned status, Duration took) const noexcept {
    count(method, status, Spent{.whole = took});
  }
  /// The exchange that was counted last was part of this trace. The first one of a route allocates their memory.
  void traced(std::string_view trace_id, Duration took, Instant when) const;
  /// One exchange more (1) or fewer (-1) is under way. The same thread.
  void under_way(int more) const noexcept { series_->in_flight.add(more); }
  /// Counts a request that goes to another upstream. The same thread.
  void sent_elsewhere(Elsewhere because) const noexcept { series_->elsewhere[static_cast<std::size_t>(because)].add(); }
  /// As above, for one credential. The first one of a route allocates its counters.
  void count(const AuthResult& auth_result) const;
  /// As above, for a call of gRPC; not for GrpcStatus::none.
  void count(GrpcStatus status) const;

  /// Whether it has counters: not if it was made by default.
  explicit operator bool() const noexcept { return series_ != nullptr; }

 private:
  RouteSeries* series_ = nullptr;
};

/// The counters of the main thread, which loads configurations.
class ReloadCounters {
 public:
  explicit ReloadCounters(Registry& registry);
  void started(Instant now) noexcept;  ///< for the first configuration, which does not count as a reload
  void applied(Instant now) noexcept;
  void refused() noexcept;

 private:
  Counter& applied_;
  Counter& refused_;
  Gauge& successful_;
  Gauge& time_;
};

}  // namespace headgate::observe
