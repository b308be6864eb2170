#pragma once
// One request and its answer, as data. Each step of the path fills its own part; the last step writes the log and the
// metrics from it.

#include "headgate/core/clock.hpp"
#include "headgate/core/pooled_memory.hpp"
#include "headgate/core/random.hpp"
#include "headgate/core/text_arena.hpp"
#include "headgate/core/text_buffer.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/exchange_trace.hpp"
#include "headgate/gateway/snapshot.hpp"
#include "headgate/gateway/step_state.hpp"
#include "headgate/http/exchange_io.hpp"
#include "headgate/identity/token_cache.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/observe/counters.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/container/static_vector.hpp>
#include <boost/intrusive/list.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::http {
class BodyLook;
}

namespace headgate::net {
struct Secured;
}

namespace headgate::gateway {

/// What ended an exchange. The log has these words.
enum class EndedBy : std::uint8_t {
  upstream,
  respond,
  preflight,
  limit,
  ban,
  waiting_room,
  shed,
  full,  ///< this gateway holds as much as it may: connections, or bytes
  circuit,
  auth,
  no_route,
  no_server,
  timeout_connect,
  timeout_upstream,
  deadline,
  timeout_client,
  client_closed,
  upstream_closed,
  too_large,
  bad_request,
  drain,
  operator_,
  bug
};
std::string_view to_text(EndedBy ended_by) noexcept;

/// Who ended an exchange from outside, before its answer was complete.
enum class BrokenOff : std::uint8_t {
  no,
  drain,     ///< the worker: its time to drain was over
  operator_  ///< an operator (session/connection_call.hpp)
};

/// The result of looking up an API key.
enum class KeyState : std::uint8_t { none, good, unknown, disabled, expired };

/// The caller. Set by the steps `identify` and `authenticate`.
struct Caller {
  boost::asio::ip::address address;
  unsigned hops = 0;             ///< how many entries of the address field were believed
  bool through_trusted = false;  ///< whether the peer is one of trusted_proxies and its fields are believed
  std::string_view ip_key;       ///< the key of the address in limits
  KeyState key_state = KeyState::none;
  std::string_view api_key_text;                      ///< the key of a good API key in limits; never the API key itself
  const identity::ApiKeyRecord* known_key = nullptr;  ///< the record of a good key; null if any text is a key
  identity::TokenPtr token;                           ///< the verified token, or null
  std::string_view issuer;        ///< the issuer of the token, if several are configured; else empty
  bool failures_used_up = false;  ///< whether its address has no failed attempts left
  /// The result of each credential that the route reads.
  boost::container::static_vector<observe::AuthResult, kCountOf<observe::AuthKind>> auth_results;

  /// A claim of the token; "" if it has none.
  std::string_view claim(std::string_view name) const noexcept;
};

using observe::Source;
std::string_view to_text(Source source) noexcept;

/// What came of the checks of a limit.
enum class LimitDecision : std::uint8_t {
  allowed,
  kept,     ///< allowed: an appointment is kept, and its one check is whether it was used before
  rejected  ///< one of its rules said no, in either mode
};

/// Where the cost that a limit charges comes from.
enum class CostFrom : std::uint8_t {
  request,    ///< what was held before the answer
  status,     ///< the answer's status is known: nothing if it does not count
  answer,     ///< the answer said it
  unreadable  ///< the answer said no number, so the hold stays as it is
};

/// One limit of the plan that was checked for this exchange.
struct CheckedLimit {
  const RouteLimit* route_limit = nullptr;
  const CompiledTier* tier = nullptr;
  Source source = Source::memory;
  std::uint8_t first = 0;  ///< index of its first check; it has one check for each rule of the tier
  std::uint8_t count = 0;
  std::uint8_t shard = 0;                           ///< the shard that was asked last, from 1; 0 without shards
  std::uint8_t shards = 0;                          ///< how many it has asked
  LimitDecision decision = LimitDecision::allowed;  ///< written by admission/rounds
  CostFrom cost_from = CostFrom::request;           ///< written by limits/settle
  std::int64_t used = 0;                            ///< the cost, from there, or with the messages of its call
  std::int64_t refused = 0;                         ///< messages of its call that it rejected
  Duration took{0};                                 ///< how long the decision took
  Clock::Steady asked_at{};                         ///< when it was checked; zero until there is a decision
  Instant asked_at_wall{};                          ///< the same on the wall clock; waits count from it
};

/// A billed limit that let the request through without a check: its tier has no rates, or Redis is away and the limit
/// then allows everything.
struct UncheckedUse {
  const RouteLimit* route_limit = nullptr;
  std::string_view key;
  std::int64_t used = 0;
  CostFrom cost_from = CostFrom::request;
};

/// What the limits decided. Set by the steps of limits.
struct Admission {
  enum class Outcome : std::uint8_t { none, allowed, rejected };
  static constexpr std::size_t kMax = limit::kMaxRulesPerRequest;

  Outcome outcome = Outcome::none;
  const CheckedLimit* binding = nullptr;  ///< the limit whose numbers go to the caller; null if none applied
  std::size_t rule = 0;                   ///< its rule: an index into checks and decisions
  Duration delay{0};                      ///< how long the request waits for its permit
  std::size_t held = 0;                   ///< of so many of the first `limits` permits were taken
  bool served = false;                    ///< whether it reaches its answer, and what that says is charged
  bool late = false;                      ///< rejected after the request was let through: messages of its call
  bool returned = false;  ///< whether what was taken was given back, because a later step ended the request
  /// Whether the request is only asked about (gateway/explain.hpp): the steps decide the same, and take nothing.
  bool peek = false;

  /// The checks in the order in which they were asked. What appends to them calls make_room() first.
  PooledVector<limit::Check> checks;
  PooledVector<limit::Decision> decisions;  ///< at least as many as checks
  PooledVector<CheckedLimit> limits;
  std::vector<UncheckedUse> unchecked;  ///< in the order of the plan; most requests have none

  /// Room for one more limit with so many checks. Those that are there may move; `binding` moves along.
  void make_room(std::size_t more) {
    const auto wanted = checks.size() + more;
    if (wanted > decisions.size() || limits.size() == limits.capacity()) grow(wanted);
  }

  std::span<CheckedLimit> held_limits() noexcept { return {limits.data(), held}; }
  std::span<const CheckedLimit> held_limits() const noexcept { return {limits.data(), held}; }
  const limit::Decision& decision() const noexcept { return decisions[rule]; }
  const limit::Rule& binding_rule() const noexcept { return *checks[rule].rule; }
  const std::string& rule_label() const noexcept { return binding->tier->labels[rule - binding->first]; }
  /// The words of the rejection.
  const UntilWait& rejection() const noexcept {
    const auto& tier = *binding->tier;
    const auto& words = binding->source == Source::fallback ? tier.local->current().rejections : tier.rejections;
    return words[rule - binding->first];
  }
  const CheckedLimit* observed() const noexcept;  ///< an observed limit that would have rejected the request, or null
  void bind(std::size_t from) noexcept;  ///< sets `binding` and `rule`, from the limits at index `from` and later;
                                         ///< observed limits do not count
  void reset() noexcept;

 private:
  void grow(std::size_t wanted);
};

/// See gateway/assumed_caller.hpp.
struct AssumedCaller;
/// The wait of a request for its permit; see gateway/delay.hpp.
class Delay;
/// The same request in another policy; see gateway/candidate.hpp.
struct CandidateExchange;
/// Ends with the exchange.
using InFlightHook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// A request as its session got it, beside its head and the address of its client.
struct Incoming {
  std::string_view peer_text;
  Clock* clock = nullptr;  ///< the clock of this exchange
  Clock::Steady started{};
  const net::Secured* secured = nullptr;  ///< of TLS with us; else null
  /// Who the caller is without a proof; null: what the request shows counts. Only simulations set it, for each
  /// exchange.
  const AssumedCaller* assumed = nullptr;
  std::uint16_t https_port = 0;     ///< where its listener sends requests without TLS; 0: they are served
  bool client_tls = false;          ///< the client uses TLS with us, or a trusted hop says that it used TLS
  bool client_certificate = false;  ///< its certificate on this connection was verified, by us or a trusted hop
  bool source_untold = false;  ///< the PROXY header of a trusted hop names no client; then no field is believed either
  /// Whether the password of a known user is taken for right although nobody has checked it. Only explain sets it,
  /// which operators ask.
  bool trusts_names = false;

  bool operator==(const Incoming&) const = default;
};

/// One exchange. Worker thread only. The worker keeps a pool of them: reset() makes one new, and its buffers keep their
/// capacity.
struct Exchange : Incoming, StepState {
  // Set by the session.
  http::RequestHead request;
  boost::asio::ip::address peer;
  http::BodyReader* body = nullptr;
  http::ReplyWriter* reply = nullptr;
  const bool* draining = nullptr;        ///< whether the worker is draining now
  bool client_gone = false;              ///< the client reset its connection during the exchange
  BrokenOff broken_off = BrokenOff::no;  ///< not by its client; `client_gone` is true then, too

  // Set by the steps.
  Random* random = nullptr;  ///< of its worker, from the beginning of the path on
  StepSet left;              ///< the steps that were left at its end
  std::string_view request_id;
  std::unique_ptr<ExchangeTrace> trace;  ///< null: the configuration has no tracing
  SnapshotPtr snapshot;                  ///< the configuration at the start of this exchange, used until its end
  const Route* route = nullptr;
  std::string allowed_methods;  ///< for 405
  bool preflight = false;       ///< it only asks what a page of another origin may do; the gateway answers
  bool instead = false;         ///< it goes to another upstream, because its own refused it or a limit rejected it
  Caller caller;
  Admission admission;
  InFlightHook in_flight;                  ///< in the list of exchanges whose permits are renewed
  CandidateExchange* candidate = nullptr;  ///< the same request in the candidate, while that has something left to do
  std::string_view problem_limit;          ///< the limit that the problem names; else empty
  Duration retry_after{0};                 ///< the value of Retry-After; 0: none
  unsigned status = 0;                     ///< the status of the reply; 0 before it
  observe::GrpcStatus grpc_status =
      observe::GrpcStatus::none;  ///< of the answer to a call of gRPC, as far as it is known
  EndedBy ended_by = EndedBy::upstream;
  std::string_view upstream;
  std::string_view server;
  std::string_view reason;  ///< what went wrong at the server or in the gateway; for the log only
  /// Who looks at the body of the answer as it passes; null: nobody. Who looks at that of the request stands before
  /// `body`.
  http::BodyLook* answer_looks = nullptr;
  bool grpc_answer = false;              ///< the answer of a server that has begun is one of gRPC
  upstream::Attempt* attempt = nullptr;  ///< the attempt under way; cancelled if the client goes away
  Delay* delay = nullptr;                ///< the wait for a permit under way
  std::string_view path_for_server;      ///< of a route that rewrites it; else empty
  unsigned attempts = 0;
  /// Whether somebody was asked about the request (a server, an auth service, who checks passwords) and has not said
  /// yet what comes of it. What that means at its end: gateway/limits/unanswered.hpp.
  bool unanswered = false;
  std::string_view retried;  ///< why there was more than one, as in "503,timeout"; else empty
  std::chrono::steady_clock::duration upstream_time{};
  Duration awaited{0};  ///< of its time: waits for servers, and for a client that sends or reads slowly
  const observe::RouteCounters* counted = nullptr;  ///< of its route, which count it as under way; null: none do
  std::uint64_t body_bytes = 0;                     ///< bytes of the request's body that were relayed
  LoggedValues logged_answer;                       ///< fields of its answer for the log, where the route has them

  // Memory for the steps.
  http::ReplyHead answer;
  http::Fields fields;  ///< fields of the message that is being made
  TextArena text;
  TextBuffer head;        ///< head of the request to the server
  TextBuffer reply_head;  ///< head of the reply to the client; used by the codec

  /// Makes it the same request as `other`, without the fields of its head.
  void copy_request(const Exchange& other);
  void reset();
};

}  // namespace headgate::gateway
