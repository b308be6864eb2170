#pragma once
// One request and its answer, as data: each step of the path fills its own part, and the end writes log and metrics
// from it.

#include "headgate/core/text_arena.hpp"
#include "headgate/gateway/site.hpp"
#include "headgate/gateway/snapshot.hpp"
#include "headgate/http/exchange_io.hpp"
#include "headgate/identity/token_memory.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/net/stream.hpp"
#include "headgate/observe/meters.hpp"

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
  std::string_view ip_subject;   ///< what the address is counted as
  KeyState key_state = KeyState::none;
  std::string_view key_subject;                       ///< what a good API key is counted as; never the key itself
  const identity::ApiKeyRecord* known_key = nullptr;  ///< whose a good key is; null where any text is a key
  identity::TokenPtr token;                           ///< verified; null where there is none
  std::string_view issuer;                            ///< whose token it is, where there are several; else empty
  bool failures_used_up = false;                      ///< its address has failed too often to be heard
  /// What became of each credential that the route asks for.
  boost::container::static_vector<observe::Proof, observe::kAuthKinds> proofs;

  /// A claim of the token; "" where there is none.
  std::string_view claim(std::string_view name) const noexcept;
};

using observe::Source;
std::string_view to_text(Source source) noexcept;

/// One limit of the plan as it was asked for this exchange.
struct AskedLimit {
  const PlannedLimit* planned = nullptr;
  const ReadyTier* tier = nullptr;
  Source source = Source::memory;
  std::uint8_t first = 0;  ///< its asks: one for each rule of the tier
  std::uint8_t count = 0;
  bool refused = false;   ///< one of its rules did, on trial or not
  std::int64_t used = 0;  ///< what the answer says it cost, where the cost is settled afterwards
  bool settled = false;   ///< the answer's head has been read for it
  Duration took{0};       ///< until it had decided
  std::chrono::steady_clock::time_point asked_at;
  Instant asked_on;         ///< the same on the wall clock: what its verdicts' waits are told from
  bool unreadable = false;  ///< the answer's cost was no number: what was held stays
};

/// What the limiter says; made by the steps `admit`.
struct Admission {
  enum class Outcome : std::uint8_t { none, allowed, rejected };
  static constexpr std::size_t kMost = limit::kMaxRulesPerRequest;

  Outcome outcome = Outcome::none;
  const AskedLimit* binding = nullptr;  ///< the limit whose numbers the caller is told; null where none applied
  std::size_t rule = 0;                 ///< and which of its rules: an index into asks and verdicts
  Duration delay{0};                    ///< how long the request is to be held back

  /// What was asked, in the order of the plan; those counted in memory stand before those counted in Redis.
  boost::container::static_vector<limit::Ask, kMost> asks;
  std::array<limit::Verdict, kMost> verdicts;
  boost::container::static_vector<AskedLimit, kMost> limits;

  const limit::Verdict& verdict() const noexcept { return verdicts[rule]; }
  const limit::Rule& binding_rule() const noexcept { return *asks[rule].rule; }
  const std::string& rule_label() const noexcept { return binding->tier->labels[rule - binding->first]; }
  const AskedLimit* observed() const noexcept;  ///< a limit on trial that would have refused, or null
  void bind(std::size_t from) noexcept;  ///< sets what binds, of the limits from the `from`th on: none on trial does
  void reset() noexcept;
};

/// A wait that whoever ends the exchange early can end.
class Hold;

/// All of it. Pooled by the worker; `reset()` makes it new while buffers keep their capacity.
struct Exchange {
  // From the codec.
  http::RequestHead request;
  http::BodyReader* body = nullptr;
  http::ReplyWriter* reply = nullptr;
  boost::asio::ip::address peer;
  std::string_view peer_text;
  std::chrono::steady_clock::time_point started;
  const bool* draining = nullptr;   ///< whether the worker is shutting down, now
  bool client_gone = false;         ///< the client reset its connection while its answer was being made
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
  net::Stream* server_stream = nullptr;  ///< while a server is at work on it; interrupted when the client is gone
  Hold* hold = nullptr;                  ///< while it waits for its permit
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
