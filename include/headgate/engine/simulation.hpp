#pragma once
// A configuration run against a list of arrivals: the whole path, without sockets and without waiting.

#include "headgate/engine/engine.hpp"
#include "headgate/engine/scripted_server.hpp"
#include "headgate/engine/virtual_clock.hpp"
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

/// One request, and what its server would answer.
struct RequestArrival {
  Instant at{};                        ///< an earlier moment than that of the arrival before counts as that
  boost::asio::ip::address address{};  ///< who connects
  std::string_view method = "GET";
  std::string_view host{};                ///< with an optional port, as a client writes it; empty: it names none
  std::string_view path = "/";            ///< as a client writes it
  std::string_view query{};               ///< begins with '?', or is empty
  std::span<const http::Field> fields{};  ///< without Host
  std::uint64_t bytes = 0;                ///< of its body
  bool tls = false;                       ///< whether it comes over TLS
  std::uint16_t https_port = 0;           ///< without TLS: where its listener redirects to; 0: it does not
  const net::Secured* secured = nullptr;  ///< what its handshake told, with a client's certificate; null: nothing
  gateway::AssumedCaller assumed{};       ///< who sends it, without a proof
  ScriptedAnswer answer{};
};

/// The head of the request, as its client sends it.
std::string head_of(const RequestArrival& arrival);

/// Where arrivals come from, in the order of their moments.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  /// Null: there are no more. What it points to is valid until the next call; the fields of its answer, for longer.
  virtual const RequestArrival* next() = 0;
};

/// What became of an arrival. Views are valid during the call that tells it.
struct Decided {
  std::uint64_t number = 0;  ///< of the arrival, from 0
  unsigned status = 0;
  gateway::EndedBy ended_by = gateway::EndedBy::upstream;
  std::string_view limit{};     ///< that refused it, or whose numbers it was told; empty: none
  std::string_view tier{};      ///< of this limit
  Duration retry_after{0};      ///< what it was told; 0: nothing
  Duration took{0};             ///< from its arrival to the end of its answer
  gateway::Exchange& exchange;  ///< all there is to know
};

/// One thread, which reports no events while it lives. The same configuration, seed and arrivals make the same
/// decisions.
class Simulation {
 public:
  struct Setup {
    Instant start;  ///< what time it is first
    std::uint64_t seed = 1;
    std::size_t max_keys = 1'000'000;  ///< of counters in memory, and of those in the place of Redis
  };

  /// `parts` has a configuration and its keys; servers for it are made here.
  Simulation(gateway::Snapshot parts, const Setup& setup);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Lets time pass from one arrival to the next, and then until the last of them has ended. `tell` is called for each
  /// when it has ended. Throws std::logic_error if one waits for nothing.
  void run(Arrivals& arrivals, const std::function<void(const Decided&)>& tell);

  // For whoever lets time pass on their own: with clock().
  /// Sends a request now; its `at` does not count. `tell` is called when it has ended: before this returns, or while
  /// time passes. It lives until then. Returns its number.
  std::uint64_t send(const RequestArrival& arrival, const std::function<void(const Decided&)>& tell);
  /// What would happen to a request now. Nothing is taken for it.
  gateway::Explanation explain(const RequestArrival& arrival);
  gateway::Explanation explain(gateway::ExplainedRequest asked, const gateway::AssumedCaller& assumed = {});
  /// Returns how many have been sent and have not ended.
  std::uint64_t under_way() const noexcept { return arrived_ - ended_; }

  /// Ends what goes on in the background, such as charges that are owed to Redis. No request may be sent after it.
  void stop() { offline_.stop(); }

  /// The key of this owner, as ApiKeys::of_owner; null: none.
  const identity::ApiKeyRecord* key_of(std::string_view owner) const;

  VirtualClock& clock() noexcept { return clock_; }
  RedisInMemory& redis() noexcept { return offline_.redis(); }
  observe::Registry& metrics() noexcept { return offline_.metrics(); }
  limit::MemoryStore& memory() noexcept { return offline_.memory(); }

 private:
  struct Visit;
  static gateway::Snapshot with_servers(gateway::Snapshot parts, Clock& clock, const Scripts& scripts);
  /// An arrival that comes when others have been answered: its counters are brought near meanwhile.
  void expect(const RequestArrival& arrival) const noexcept;
  Visit& free_visit();
  void begin(const RequestArrival& arrival, const std::function<void(const Decided&)>& tell);
  Task<void> serve(Visit& visit);
  void end(Visit& visit);

  observe::NoEvents no_events_;
  VirtualClock clock_;
  Scripts scripts_;
  Offline offline_;
  std::vector<const limit::Rule*> by_address_;  ///< whose counters the address of an arrival names
  std::vector<std::unique_ptr<Visit>> visits_;  ///< their memory is used again
  std::vector<Visit*> free_;
  std::uint64_t arrived_ = 0;
  std::uint64_t ended_ = 0;
};

}  // namespace headgate::engine
