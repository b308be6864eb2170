#pragma once
// The explanation of a request: what the gateway would do with it, and why. The steps of the path decide as for a real
// request, but take no permits.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/envoy/rate_limit_service.hpp"
#include "headgate/gateway/exchange.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headgate::gateway {

/// The request to explain.
struct ExplainedRequest {
  std::string head;               ///< the head as a client sends it, with the empty line at its end
  boost::asio::ip::address peer;  ///< the address that connects
  bool tls = false;               ///< whether the connection uses TLS
  /// without TLS: the https port that the listener redirects to; 0 if it redirects to none
  std::uint16_t https_port = 0;
  const net::Secured* secured = nullptr;  ///< the TLS connection; null if nothing is known about it
  /// the call of the rate limit service to explain in place of a request, with sorted entries; `head` is then not read
  std::optional<envoy::RateLimitRequest> call{};
};

/// The parts of a request, as a user names them.
struct ExplainedParts {
  std::string method = "GET";
  std::string url{};  ///< "https://api.example.com/v1/orders?page=2", or only the path; the host is then "localhost"
  std::vector<std::pair<std::string, std::string>> fields{};  ///< name and value
  std::string address = "127.0.0.1";                          ///< the address that connects
};
/// Builds the request from its parts. The error is a sentence without its full stop.
Result<ExplainedRequest, std::string> explained_request(const ExplainedParts& parts);

/// A route, and why it was chosen or not.
struct ConsideredRoute {
  enum class Why : std::uint8_t {
    chosen,
    path,           ///< the path of the route does not match
    host,           ///< the path matches, but the host of the route does not
    method,         ///< path and host match, but the methods of the route do not
    conditions,     ///< everything matches, but the conditions of the route do not hold
    unclear,        ///< the conditions of the route are unclear, so the request is refused
    less_specific,  ///< everything matches, but another route is more specific
  };
  std::size_t number = 0;  ///< number of the route, as Route::number
  std::string name;
  std::string host;  ///< host of the route; empty for any host
  std::string path;
  std::vector<std::string> methods;  ///< methods of the route; empty for all methods
  Why why = Why::chosen;
};
std::string_view to_text(ConsideredRoute::Why why) noexcept;

struct ConsideredRoutes {
  std::vector<ConsideredRoute> routes;  ///< the considered routes, in the order of the configuration
  std::size_t others = 0;               ///< number of routes that are left out
};

/// Returns all routes if there are at most `most`, and otherwise up to `most` routes whose path matches. The choice is
/// not known yet, so the chosen route is listed as less_specific, or not at all. The call takes time in proportion to
/// the number of routes, so do not make it on the thread of a worker. Any thread. `peer` is the address that connects.
ConsideredRoutes considered_routes(const CompiledConfig& compiled, std::string_view head,
                                   const boost::asio::ip::address& peer, std::size_t most = 20);
/// Marks the route `found` as chosen. `found` is null if no route was found.
void choose(ConsideredRoutes& candidates, const Route* found);

/// The state of one rule of a limit now, for one request.
struct RuleState {
  std::string name;             ///< name within the limit; empty if the limit has only one rule
  std::string rate;             ///< "100/minute", "1000 tokens/minute"; for a limit in flight "2 in flight"
  bool balance = false;         ///< whether the rule is a balance, which has no limit, and no reset
  std::uint64_t limit = 0;      ///< the permits of an unused counter, which can all be taken at once
  std::uint64_t remaining = 0;  ///< permits left before the request
  Duration reset_after{0};      ///< time until the counter equals an unused one if the request is not made
  bool allowed = true;          ///< whether this rule would allow the request
  /// time until the rule would allow the request, or limit::kNever; only valid if it does not allow the request now
  Duration retry_after{0};
  Duration delay{0};  ///< time for which the request would wait for its permit; only valid if the rule allows it
  std::uint64_t used() const noexcept { return limit - std::min(limit, remaining); }
};

/// The state of one limit of the route now, for one request.
struct LimitState {
  enum class Applies : std::uint8_t {
    counted,
    exempt,     ///< the caller is exempt
    unlimited,  ///< the caller's tier has no rules
    skipped,    ///< the caller has no key for the limit, and is not counted
    refused,    ///< the caller has no key for the limit, and is refused
    unknown     ///< Redis does not answer, and the limit is not counted locally meanwhile
  };
  Applies applies = Applies::counted;
  std::string name;
  std::string per;   ///< "client_ip", "jwt.org_id, route"
  std::string tier;  ///< name of the tier; empty if the limit has no tiers
  limit::Unit unit = limit::Unit::request;
  std::string currency;  ///< currency of the price file if the unit is money; otherwise empty
  /// The override that an operator set for the key; its tier is OverrideTable::kTier.
  struct Override {
    Instant until{};
    std::string why;
  };
  std::optional<Override> override;
  /// The source of the count, if it is a number in the caller's credential.
  struct Size {
    std::string from;   ///< "jwt.rpm"
    bool told = false;  ///< whether the credential has a number; otherwise the count is that of the configuration
  };
  std::optional<Size> size;
  std::string key;  ///< the key as operators write it; empty if it contains the value of a field and must not be shown
  std::string key_id;  ///< the id of the key, as in logs
  std::int64_t cost = 1;
  bool observed = false;     ///< whether the limit only observes
  bool own_key = false;      ///< whether the counter belongs to the caller alone
  std::uint32_t shards = 1;  ///< if above 1: number of shards of the key; the numbers in `rules` are those of one shard
  Duration suspended{0};     ///< time for which the caller is still suspended; 0 if it is not suspended
  Source source = Source::memory;
  std::vector<RuleState> rules;  ///< states of the rules; empty if the caller is not counted
};
std::string_view to_text(LimitState::Applies applies) noexcept;

/// A remark of a step: a check that was left out, or something that may happen to the answer.
struct Besides {
  std::string_view member;    ///< the name in JSON: "waiting_room_decides_too"
  std::string_view sentence;  ///< the sentence for people, after "it passes; ": "its waiting room is not asked"
  std::string value{};        ///< the value in JSON, also shown after the sentence; empty if the value is `true`
};

/// A descriptor of a call of the rate limit service, and what the service would say about it.
struct ExplainedDescriptor {
  std::vector<std::pair<std::string, std::string>> entries;  ///< keys and values, sorted
  std::string entry;                                         ///< name of the matching entry of `decide`; empty if none
  std::int64_t hits = 1;  ///< permits that the descriptor takes; below 0 if it gives them back
  envoy::DescriptorStatus
      status;  ///< the status in the answer, with the numbers after the call; views into Explanation::compiled
  std::vector<LimitState> limits;  ///< limits that count the descriptor, each as if it were asked alone
};
struct ExplainedCall {
  std::string domain;
  std::string_view code;  ///< "OK", "OVER_LIMIT", or the gRPC status with which the call would fail
  std::vector<ExplainedDescriptor> descriptors;
};

struct Explanation {
  // The request, as the gateway understands it.
  std::string method;
  std::string host;
  std::string path;  ///< the normalised path

  // The name of the route; empty if none was found.
  std::string route;
  std::string pattern;
  /// name of the upstream; empty if the gateway answers itself, or if `drawn` has more than one upstream
  std::string upstream;
  std::vector<std::pair<std::string, double>>
      /// the upstreams between which chance decides, with the share of each, below 1; empty if chance does not decide
      drawn;
  std::shared_ptr<const CompiledConfig> compiled;
  const Route* found = nullptr;  ///< the route in `compiled`

  // The caller.
  std::string address;
  unsigned hops = 0;             ///< number of entries of the address field that were believed
  bool through_trusted = false;  ///< whether the peer is a trusted proxy
  std::string owner;             ///< the owner of the API key
  identity::KeyGroups groups;    ///< the groups of the API key
  std::string subject;           ///< the claim `sub` of the token
  std::string user;              ///< the user of basic authentication
  /// each credential that the route reads, and the result of its check
  std::vector<std::pair<std::string, std::string>> proofs;

  // The outcome.
  unsigned status = 0;            ///< the status of the gateway's own answer; 0 if the request goes to the upstream
  std::string ended_by;           ///< the word of the log: "limit", "auth", …
  std::string detail;             ///< the text for the caller; may be empty
  std::string limit;              ///< the limit that refuses the request
  std::string location;           ///< the target of a redirect
  std::string challenge;          ///< the value of WWW-Authenticate
  std::uint64_t retry_after = 0;  ///< the value of Retry-After in seconds; 0 if there is none
  Duration delay{0};              ///< time for which the request would wait for its permit
  /// whether the request would wait in a queue for a permit in flight, and is refused if none comes
  bool queues = false;
  std::string binding;                 ///< the limit whose numbers would be sent to the caller; empty if there is none
  std::uint64_t remaining = 0;         ///< permits of `binding` left after the request
  std::uint64_t most = 0;              ///< size of `binding`; 0 for a balance
  std::vector<Besides> besides;        ///< remarks of the steps (gateway/steps/table.hpp), in the order of the path
  bool counted_without_redis = false;  ///< whether Redis does not answer
  std::uint32_t gateways = 1;          ///< number of gateways that share the limits without Redis

  std::vector<LimitState> limits;

  /// the explained call of the rate limit service; request, route, caller, status and limits are then empty
  std::optional<ExplainedCall> call;
};

}  // namespace headgate::gateway
