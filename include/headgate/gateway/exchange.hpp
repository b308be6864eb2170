#pragma once
// One request and its answer, as data: each step of the path fills its own part, and the end writes log and metrics
// from it.

#include "headgate/core/clock.hpp"
#include "headgate/core/text_arena.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/snapshot.hpp"
#include "headgate/http/exchange_io.hpp"
#include "headgate/identity/token_cache.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/observe/counters.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/container/static_vector.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// What ended an exchange; as the log calls it.
enum class EndedBy : std::uint8_t {
  upstream,
  respond,
  limit,
  auth,
  no_route,
  no_server,
  timeout_connect,
  timeout_upstream,
  timeout_client,
  client_closed,
  upstream_closed,
  too_large,
  bad_request,
  drain,
  bug
};
std::string_view to_text(EndedBy ended_by) noexcept;

/// What an API key turned out to be.
enum class KeyState : std::uint8_t { none, good, unknown, disabled, expired };

/// Who is asking; made by the steps `identify` and `authenticate`.
struct Caller {
  boost::asio::ip::address address;
  unsigned hops = 0;             ///< entries of the hops' field that were believed
  bool through_trusted = false;  ///< the peer is one of trusted_proxies
  std::string_view ip_key;       ///< what the address is counted as
  KeyState key_state = KeyState::none;
  std::string_view api_key_text;                      ///< what a good API key is counted as; never the key itself
  const identity::ApiKeyRecord* known_key = nullptr;  ///< whose a good key is; null where any text is a key
  identity::TokenPtr token;                           ///< verified; null where there is none
  std::string_view issuer;                            ///< whose token it is, where there are several; else empty
  bool failures_used_up = false;                      ///< its address has failed too often to be heard
  /// What became of each credential that the route asks for.
  boost::container::static_vector<observe::AuthResult, observe::kAuthKinds> auth_results;

  /// A claim of the token; "" where there is none.
  std::string_view claim(std::string_view name) const noexcept;
};

using observe::Source;
std::string_view to_text(Source source) noexcept;

/// One limit of the plan as it was asked for this exchange.
struct CheckedLimit {
  const RouteLimit* route_limit = nullptr;
  const CompiledTier* tier = nullptr;
  Source source = Source::memory;
  std::uint8_t first = 0;  ///< its asks: one for each rule of the tier
  std::uint8_t count = 0;
  bool refused = false;     ///< one of its rules did, observed or not
  std::int64_t used = 0;    ///< what the answer says it cost, where the cost is settled afterwards
  bool settled = false;     ///< the answer's head has been read for it
  Duration took{0};         ///< until it had decided
  Clock::Steady asked_at;   ///< none while it is not decided
  Instant asked_on;         ///< the same on the wall clock: what its decisions' waits are told from
  bool unreadable = false;  ///< the answer's cost was no number: what was held stays
};

/// What the limiter says; made by the steps `admit`.
struct Admission {
  enum class Outcome : std::uint8_t { none, allowed, rejected };
  static constexpr std::size_t kMax = limit::kMaxRulesPerRequest;

  Outcome outcome = Outcome::none;
  const CheckedLimit* binding = nullptr;  ///< the limit whose numbers the caller is told; null where none applied
  std::size_t rule = 0;                   ///< and which of its rules: an index into asks and decisions
  Duration delay{0};                      ///< how long the request is to be held back
  bool returned = false;                  ///< a later step refused, and what had been taken is given back

  /// What was asked, in the order of the plan; those counted in memory stand before those counted in Redis.
  boost::container::static_vector<limit::Check, kMax> checks;
  std::array<limit::Decision, kMax> decisions;
  boost::container::static_vector<CheckedLimit, kMax> limits;

  const limit::Decision& decision() const noexcept { return decisions[rule]; }
  const limit::Rule& binding_rule() const noexcept { return *checks[rule].rule; }
  const std::string& rule_label() const noexcept { return binding->tier->labels[rule - binding->first]; }
  const std::string& refusal() const noexcept {
    const auto& tier = *binding->tier;
    return (binding->source == Source::fallback ? tier.local_refusals : tier.refusals)[rule - binding->first];
  }
  const CheckedLimit* observed() const noexcept;  ///< a limit observed that would have refused, or null
  void bind(std::size_t from) noexcept;  ///< sets what binds, of the limits from the `from`th on: none observed does
  void reset() noexcept;
};

/// A wait that whoever ends the exchange early can end.
class Delay;

/// All of it. Pooled by the worker; `reset()` makes it new while buffers keep their capacity.
struct Exchange {
  // From the codec.
  http::RequestHead request;
  http::BodyReader* body = nullptr;
  http::ReplyWriter* reply = nullptr;
  boost::asio::ip::address peer;
  std::string_view peer_text;
  Clock* clock = nullptr;  ///< what time it is for this exchange
  Clock::Steady started;
  const bool* draining = nullptr;   ///< whether the worker is shutting down, now
  bool client_gone = false;         ///< the client reset its connection while its answer was being made
  bool broken_off = false;          ///< or the worker did, because it could wait no longer for its end
  bool client_tls = false;          ///< a trusted hop says that the client came to it by TLS
  bool source_untold = false;       ///< a trusted hop's PROXY header names no client: no field is believed either
  bool client_certificate = false;  ///< a trusted hop verified the client's certificate on this connection

  // Filled on the way.
  std::string_view request_id;
  SnapshotPtr snapshot;  ///< the configuration this exchange began under, to its end
  const Route* route = nullptr;
  std::string allowed_methods;  ///< for 405
  Caller caller;
  Admission admission;
  std::string_view refused_by;  ///< the limit in whose name the caller was refused; else empty
  Duration retry_after{0};      ///< what a refused caller was told to wait
  unsigned status = 0;          ///< told to the client; 0 while nothing was
  EndedBy ended_by = EndedBy::upstream;
  std::string_view upstream;
  std::string_view server;
  std::string_view reason;  ///< what went wrong behind us or in here, for the log alone; empty where nothing did
  upstream::Attempt* attempt = nullptr;  ///< while a server is at work on it; cancelled when the client is gone
  Delay* delay = nullptr;                ///< while it waits for its permit
  unsigned attempts = 0;
  std::chrono::steady_clock::duration upstream_time{};
  std::uint64_t body_bytes = 0;  ///< of the request, relayed

  // Room for the steps.
  http::ReplyHead answer;
  http::Fields fields;  ///< of the message being built
  TextArena text;
  std::string head;        ///< of the request to the server
  std::string reply_head;  ///< of the reply to the client; the codec's

  void reset();
};

}  // namespace headgate::gateway
