#pragma once
// Runs a configuration on a list of requests: the whole request path, without sockets and without waiting. Used by
// simulate, access_logs, offline and policy_test.

#include "headgate/engine/engine.hpp"
#include "headgate/engine/scripted_server.hpp"
#include "headgate/engine/virtual_clock.hpp"
#include "headgate/envoy/rate_limit_service.hpp"
#include "headgate/gateway/assumed_caller.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/explain.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::net {
struct Secured;
}

namespace headgate::engine {

/// A request and the answer of its server.
struct RequestArrival {
  /// time of arrival; a time before that of the previous request counts as the time of the previous request
  Instant at{};
  boost::asio::ip::address address{};  ///< address of the client
  std::string_view method = "GET";
  std::string_view host{};      ///< host as a client writes it, with an optional port; empty if the request has no Host
  std::string_view path = "/";  ///< path as a client writes it
  std::string_view query{};     ///< query of the target; begins with '?' or is empty
  std::span<const http::Field> fields{};  ///< fields of the head without Host
  std::uint64_t bytes = 0;                ///< bytes of the request body
  std::string_view text{};                ///< the body, of that length; empty for zeros; must outlive the exchange
  bool tls = false;                       ///< the request uses TLS
  std::uint16_t https_port = 0;  ///< without TLS, the port that its listener redirects to; 0 if it does not redirect
  /// facts from the handshake with a client certificate; null if there are none
  const net::Secured* secured = nullptr;
  /// the caller, accepted without a proof, and the cost; the text of the cost's limit is copied when the request is
  /// sent
  gateway::AssumedCaller assumed{};
  /// the call of the rate limit service that arrives in place of a request, with sorted entries; null for a request.
  /// Copied when the call is sent.
  const envoy::RateLimitRequest* call = nullptr;
  ScriptedAnswer answer{};
};

/// Returns the head of the request as its client would send it.
std::string head_of(const RequestArrival& arrival);

/// The source of arrivals, in the order of their times.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  /// Returns the next arrival, or null if there are no more. The arrival is valid until the next call; the fields of
  /// its answer must live longer.
  virtual const RequestArrival* next() = 0;
};

/// The result of an arrival. Views are valid during the call that reports it.
struct ArrivalResult {
  std::uint64_t number = 0;  ///< number of the arrival, from 0
  unsigned status = 0;
  gateway::EndedBy ended_by = gateway::EndedBy::upstream;
  std::string_view limit{};  ///< the limit that rejected the request, or whose numbers the answer shows; empty if none
  std::string_view tier{};   ///< the tier of this limit
  Duration retry_after{0};   ///< the wait that the client was told; 0 if none
  Duration took{0};          ///< time from the arrival to the end of the answer
  gateway::Exchange& exchange;  ///< the exchange with all details
  const envoy::RateLimitResponse* call =
      nullptr;  ///< the answer of a call of the rate limit service; null for a request
};

/// A run. One thread; while the run lives, this thread reports no events. The same configuration, seed and arrivals
/// give the same decisions.
class Simulation {
 public:
  struct Setup {
    Instant start;  ///< time at which the run starts
    std::uint64_t seed = 1;
    std::size_t max_keys = 1'000'000;  ///< maximum number of counters in memory, and of those of the Redis replacement
  };

  /// `parts` has a configuration and its keys; its servers are created here.
  Simulation(gateway::Snapshot parts, const Setup& setup);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Processes the arrivals in order and lets time pass until the last one has ended. Calls `tell` for each request
  /// when it has ended. Throws std::logic_error if a request would wait forever.
  void run(Arrivals& arrivals, const std::function<void(const ArrivalResult&)>& tell);

  // The functions below are for callers that let time pass themselves, with clock().
  /// Sends a request now, ignoring its `at`. Calls `tell` when it has ended: before this function returns, or while
  /// time passes. `tell` must live until then. Returns the number of the request.
  std::uint64_t send(const RequestArrival& arrival, const std::function<void(const ArrivalResult&)>& tell);
  /// Returns how a request would be handled now, without taking permits.
  gateway::Explanation explain(const RequestArrival& arrival);
  gateway::Explanation explain(gateway::ExplainedRequest asked, const gateway::AssumedCaller& assumed = {});
  /// Returns how many requests have been sent and have not ended.
  std::uint64_t under_way() const noexcept { return arrived_ - ended_; }

  /// Ends the background work, such as charges that are owed to Redis. No request may be sent afterwards.
  void stop() { offline_.stop(); }

  /// Returns the key of this owner, like ApiKeys::of_owner; null if there is none.
  const identity::ApiKeyRecord* key_of(std::string_view owner) const;

  VirtualClock& clock() noexcept { return clock_; }
  RedisInMemory& redis() noexcept { return offline_.redis(); }
  observe::Registry& metrics() noexcept { return offline_.metrics(); }
  limit::MemoryStore& memory() noexcept { return offline_.memory(); }

 private:
  struct Visit;
  static gateway::Snapshot with_servers(gateway::Snapshot parts, Clock& clock, const Scripts& scripts);
  /// Prefetches the counters of an arrival that will be sent after a few others.
  void expect(const RequestArrival& arrival) const noexcept;
  Visit& free_visit();
  void begin(const RequestArrival& arrival, const std::function<void(const ArrivalResult&)>& tell);
  Task<void> serve(Visit& visit);
  void end(Visit& visit);

  observe::NoEvents no_events_;
  VirtualClock clock_;
  Scripts scripts_;
  Offline offline_;
  std::vector<const limit::Rule*> by_address_;  ///< rules whose keys are client addresses
  std::vector<std::unique_ptr<Visit>> visits_;  ///< reused memory
  std::vector<Visit*> free_;
  std::uint64_t arrived_ = 0;
  std::uint64_t ended_ = 0;
};

}  // namespace headgate::engine
