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
#include "headgate/net/decisions.hpp"
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

/// The reason why an exchange ended. The log uses the same words.
enum class EndedBy : std::uint8_t {
  upstream,
  respond,
  preflight,
  limit,
  ban,
  waiting_room,
  shed,
  full,  ///< this gateway has reached its bound of connections or of buffered bytes
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

/// The reason why something other than the client ended the exchange before the answer was complete.
enum class BrokenOff : std::uint8_t {
  no,
  drain,     ///< the worker, because the drain timeout had passed
  operator_  ///< an operator (session/connection_call.hpp)
};

/// The result of looking up an API key.
enum class KeyState : std::uint8_t { none, good, unknown, disabled, expired };

/// The caller. Set by the steps `identify` and `authenticate`.
struct Caller {
  boost::asio::ip::address address;
  unsigned hops = 0;             ///< number of entries of the address field that were believed
  bool through_trusted = false;  ///< whether the peer is one of trusted_proxies, so that its fields are believed
  std::string_view ip_key;       ///< the key of the address in limits
  KeyState key_state = KeyState::none;
  /// the text by which limits count a caller with a good API key, such as its owner; never the API key itself
  std::string_view api_key_text;
  /// the record of a valid key; null if the configuration accepts any text as a key
  const identity::ApiKeyRecord* known_key = nullptr;
  identity::TokenPtr token;       ///< the verified token, or null
  std::string_view issuer;        ///< the issuer of the token, if several are configured; otherwise empty
  bool failures_used_up = false;  ///< whether the address has no failed attempt left
  /// The result of each credential that the route reads.
  boost::container::static_vector<observe::AuthResult, kCountOf<observe::AuthKind>> auth_results;

  /// Returns a claim of the token; "" if the token has no such claim.
  std::string_view claim(std::string_view name) const noexcept;
  /// Returns a group of the API key; "" if the key is not known or has no such group.
  std::string_view group(std::string_view name) const noexcept {
    return known_key ? known_key->group(name) : std::string_view();
  }
};

using observe::Source;
std::string_view to_text(Source source) noexcept;

/// The outcome of a limit's checks.
enum class LimitDecision : std::uint8_t {
  allowed,
  kept,     ///< allowed by an appointment; the limit only checks whether the appointment was used before
  rejected  ///< one of the rules rejected the request, whether the limit enforces or only observes
};

/// The source of the cost that a limit charges.
enum class CostFrom : std::uint8_t {
  request,    ///< the request: the permits that were held before the answer
  status,     ///< the status of the answer: nothing is charged if the status does not count
  answer,     ///< the answer, which named its cost
  none,       ///< the answer, which named no cost: the hold is charged, or nothing for an error
  counted,    ///< the bytes that passed, because the answer named no cost
  unreadable  ///< the answer named no valid number, so the hold is charged
};

/// Returns the word for the log.
std::string_view to_text(CostFrom from) noexcept;

struct UntilWait;

/// One limit of the plan that was checked for this exchange.
struct CheckedLimit {
  const RouteLimit* route_limit = nullptr;
  const CompiledTier* tier = nullptr;
  Source source = Source::memory;
  std::uint8_t first = 0;  ///< index of the limit's first check; the limit has one check for each rule of the tier
  std::uint8_t count = 0;
  std::uint8_t shard = 0;                           ///< the shard that was used last, from 1; 0 without shards
  std::uint8_t shards = 0;                          ///< number of shards that were used
  LimitDecision decision = LimitDecision::allowed;  ///< written by admission/rounds
  CostFrom cost_from = CostFrom::request;           ///< written by limits/settle
  /// the permits to charge in total: the cost, whose source is `cost_from`, and the further messages of a gRPC call
  std::int64_t used = 0;
  std::int64_t refused = 0;  ///< number of messages of a call that the limit rejected
  Duration took{0};          ///< time that the decision took
  Clock::Steady asked_at{};  ///< moment of the check; zero until there is a decision
  Instant asked_at_wall{};   ///< moment of the check on the wall clock; waits count from it
};

/// A billed limit that let the request through without a check: either its tier has no rates, or Redis is down and the
/// limit allows everything meanwhile.
struct UncheckedUse {
  const RouteLimit* route_limit = nullptr;
  std::string_view key;
  std::int64_t used = 0;
  CostFrom cost_from = CostFrom::request;
};

/// The size of a limit that is compiled for one exchange alone.
struct OwnSize {
  const CompiledLimit* limit = nullptr;
  std::shared_ptr<const CompiledTier> tier;
};

/// The result of the limits. Set by the steps of limits.
struct Admission {
  enum class Outcome : std::uint8_t { none, allowed, rejected };
  static constexpr std::size_t kMax = limit::kMaxRulesPerRequest;

  Outcome outcome = Outcome::none;
  const CheckedLimit* binding = nullptr;  ///< the limit whose numbers are sent to the caller; null if none applied
  std::size_t rule = 0;                   ///< the rule of `binding`: an index into checks and decisions
  Duration delay{0};                      ///< time for which the request waits for its permit
  std::size_t held = 0;   ///< number of limits, from the beginning of `limits`, whose permits were taken
  bool served = false;    ///< whether the request reaches its answer, so that the cost in the answer is charged
  bool late = false;      ///< whether a limit rejected messages of a call that had been let through
  bool returned = false;  ///< whether the permits were returned, because a later step ended the request
  /// Whether the steps only report what they would do (gateway/explain.hpp). The steps then decide as usual, but take
  /// no permits.
  bool peek = false;

  /// The checks in the order in which they are made. Call make_room() before a check is appended.
  PooledVector<limit::Check> checks;
  /// the decisions about the checks; at least as many elements as `checks` has
  PooledVector<limit::Decision> decisions;
  PooledVector<CheckedLimit> limits;
  std::vector<OwnSize> own_sizes;  ///< most requests have none
  /// the words of this rejection; null if the prepared ones of its limit fit
  std::shared_ptr<const UntilWait> own_words;
  std::vector<UncheckedUse> unchecked;  ///< in the order of the plan; most requests have none

  /// Makes room for one more limit with this number of checks. The existing limits may move; `binding` is adjusted.
  void make_room(std::size_t more) {
    const auto wanted = checks.size() + more;
    if (wanted > decisions.size() || limits.size() == limits.capacity()) grow(wanted);
  }

  std::span<CheckedLimit> held_limits() noexcept { return {limits.data(), held}; }
  std::span<const CheckedLimit> held_limits() const noexcept { return {limits.data(), held}; }
  const limit::Decision& decision() const noexcept { return decisions[rule]; }
  const limit::Rule& binding_rule() const noexcept { return *checks[rule].rule; }
  const std::string& rule_label() const noexcept { return binding->tier->labels[rule - binding->first]; }
  /// Returns the prepared words of the rejection.
  const UntilWait& rejection() const noexcept {
    const auto& tier = *binding->tier;
    const auto& words = binding->source == Source::fallback ? tier.local->current().rejections : tier.rejections;
    return words[rule - binding->first];
  }
  /// Returns the limit in observe mode that would have rejected the request, or null.
  const CheckedLimit* observed() const noexcept;
  /// Sets `binding` and `rule` from the limits at index `from` and later. Limits in observe mode do not count.
  void bind(std::size_t from) noexcept;
  void reset() noexcept;

 private:
  void grow(std::size_t wanted);
};

/// See gateway/assumed_caller.hpp.
struct AssumedCaller;
/// The wait of a request for its permit; see gateway/delay.hpp.
class Delay;
/// The same request under the candidate policy; see gateway/candidate.hpp.
struct CandidateExchange;
/// The use of earlier calls; see gateway/bodies/learned_use.hpp.
class LearnedUse;
/// See gateway/descriptors/rate_limit_call.hpp.
struct RateLimitCall;
/// A hook that unlinks itself when the exchange ends.
using InFlightHook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// Facts about a request that its session knows, in addition to the head and the address of the client.
struct Incoming {
  std::string_view peer_text;
  Clock* clock = nullptr;  ///< the clock of this exchange
  Clock::Steady started{};
  const net::Secured* secured = nullptr;  ///< the TLS connection of the client to this gateway; null without TLS
  /// The caller, assumed without proof; null to use the credentials of the request. Only simulations set it, for each
  /// exchange.
  const AssumedCaller* assumed = nullptr;
  /// the time within which a decision must be settled by a second call; 0 if decisions are not settled
  Duration settle_within{0};
  /// the https port to which the listener redirects requests without TLS; 0 if they are served
  std::uint16_t https_port = 0;
  /// the proxy that asks for a decision about a request of its client; `none` if the client itself sent the request
  net::AskingProxy asked_by = net::AskingProxy::none;
  net::ListenProtocol protocol = net::ListenProtocol::http;  ///< the protocol of the listener
  bool certificates_only = false;  ///< whether the listener refuses clients without a verified certificate
  bool client_tls = false;         ///< whether the client uses TLS, to this gateway or as a trusted hop says
  /// whether the client's certificate was verified on this connection, by this gateway or by a trusted hop
  bool client_certificate = false;
  /// true if the PROXY header of a trusted hop names no client; no address field is believed then
  bool source_untold = false;
  /// Whether the password of a known user counts as right although it was not checked. Only `explain`, which operators
  /// call, sets it.
  bool trusts_names = false;

  bool operator==(const Incoming&) const = default;
};

/// One exchange. Worker thread only. The worker keeps a pool of exchanges: reset() prepares one for a new request, and
/// its buffers keep their capacity.
struct Exchange : Incoming, StepState {
  // Set by the session.
  http::RequestHead request;
  boost::asio::ip::address peer;
  http::BodyReader* body = nullptr;
  http::ReplyWriter* reply = nullptr;
  const bool* draining = nullptr;  ///< whether the worker is draining now
  bool client_gone = false;        ///< whether the client reset its connection during the exchange
  /// the reason if something other than the client ended the exchange; `client_gone` is then true as well
  BrokenOff broken_off = BrokenOff::no;

  // Set by the steps.
  Random* random = nullptr;       ///< the worker's source of random numbers, set at the beginning of the path
  LearnedUse* learned = nullptr;  ///< what this worker has learned from calls; null if the exchange may not use it
  StepSet left;                   ///< the steps whose `leave` function was called already
  std::string_view request_id;
  std::unique_ptr<ExchangeTrace> trace;  ///< trace of the exchange; null if the configuration has no tracing
  SnapshotPtr snapshot;                  ///< the configuration at the start of this exchange; used until the end
  const Route* route = nullptr;
  std::string allowed_methods;  ///< the value of Allow for 405
  bool preflight = false;       ///< whether the request is a preflight, which the gateway answers
  /// whether the request goes to Route::instead, because a limit or the circuit of its own upstream refused it
  bool instead = false;
  Caller caller;
  Admission admission;
  InFlightHook in_flight;  ///< link into the list of exchanges whose permits are renewed
  /// the same request under the candidate policy, until the candidate has finished with it
  CandidateExchange* candidate = nullptr;
  RateLimitCall* rate_limit = nullptr;  ///< the call of the rate limit service that is being decided; otherwise null
  /// the same call as the log has it; empty if it is not logged
  std::string_view logged_call;
  std::string_view problem_limit;  ///< the limit that the problem names; empty if there is none
  Duration retry_after{0};         ///< the value of Retry-After; 0 if there is none
  unsigned status = 0;             ///< the status of the reply; 0 before the reply begins
  observe::GrpcStatus grpc_status =
      observe::GrpcStatus::none;  ///< the status of an answer to a gRPC call, as far as it is known
  EndedBy ended_by = EndedBy::upstream;
  std::string_view upstream;
  std::string_view server;
  std::string_view reason;  ///< the fault at the server or in the gateway; for the log only
  /// The observer of the answer's body; null if there is none. The observer of the request's body wraps `body`.
  http::BodyLook* answer_looks = nullptr;
  bool grpc_answer = false;              ///< whether the server's answer has begun and is one of gRPC
  upstream::Attempt* attempt = nullptr;  ///< the attempt under way; cancelled if the client leaves
  Delay* delay = nullptr;                ///< the wait for a permit under way
  std::string_view path_for_server;      ///< the path for the server, if the route rewrites it; otherwise empty
  /// The number of answers that this worker reads to their end without a client; null if this one is not read on if its
  /// client leaves.
  unsigned* drained_now = nullptr;
  bool drained = false;  ///< whether this exchange is one of them
  unsigned attempts = 0;
  /// Whether a server, an auth service or a check of a password got the request and has not answered yet.
  /// gateway/limits/unanswered.hpp says what that means at the end of the exchange.
  bool unanswered = false;
  std::string_view retried;  ///< the reasons for further attempts, as in "503,timeout"; empty if there was one attempt
  std::chrono::steady_clock::duration upstream_time{};
  /// time that was spent waiting for servers, and for a client that sends or reads slowly
  Duration awaited{0};
  /// the counters of the route in which the exchange counts as under way; null if it counts in none
  const observe::RouteCounters* counted = nullptr;
  std::uint64_t body_bytes = 0;  ///< number of bytes of the request's body that were relayed
  LoggedValues logged_answer;    ///< fields of the answer for the log, if the route has such fields

  // Memory for the steps.
  http::ReplyHead answer;
  http::Fields fields;  ///< fields of the message that is being built
  TextArena text;
  TextBuffer head;        ///< head of the request to the server
  TextBuffer reply_head;  ///< head of the reply to the client; used by the codec

  /// Copies the request of `other`, without the fields of its head.
  void copy_request(const Exchange& other);
  void reset();
};

}  // namespace headgate::gateway
