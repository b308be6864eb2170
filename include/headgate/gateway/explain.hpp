#pragma once
// What the gateway would do with a request, and why: found by the steps of the path, which take nothing meanwhile.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/gateway/exchange.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headgate::gateway {

/// The request that is asked about.
struct ExplainedRequest {
  std::string head;                       ///< as a client sends it, with the empty line at its end
  boost::asio::ip::address peer;          ///< who connects
  bool tls = false;                       ///< whether it comes over TLS
  std::uint16_t https_port = 0;           ///< without TLS: where its listener redirects to; 0: it does not
  const net::Secured* secured = nullptr;  ///< of TLS with us; null: nothing is known of it
};

/// A request in parts, as a user gives it.
struct ExplainedParts {
  std::string method = "GET";
  std::string url{};  ///< "https://api.example.com/v1/orders?page=2", or the path alone, for the host "localhost"
  std::vector<std::pair<std::string, std::string>> fields{};  ///< name and value
  std::string address = "127.0.0.1";                          ///< who connects
};
/// The error is a sentence without its dot.
Result<ExplainedRequest, std::string> explained_request(const ExplainedParts& parts);

/// A route, and why it was chosen or not.
struct ConsideredRoute {
  enum class Why : std::uint8_t {
    chosen,
    path,           ///< its path is another one
    host,           ///< its path fits, and its host does not
    method,         ///< both fit, and its methods do not
    conditions,     ///< all that fits, and its conditions do not hold
    unclear,        ///< whether they hold cannot be told, so the request is refused
    less_specific,  ///< all of it fits, and another route is more specific
  };
  std::size_t number = 0;  ///< as Route::number
  std::string name;
  std::string host;  ///< empty: any
  std::string path;
  std::vector<std::string> methods;  ///< empty: all
  Why why = Why::chosen;
};
std::string_view to_text(ConsideredRoute::Why why) noexcept;

struct ConsideredRoutes {
  std::vector<ConsideredRoute> routes;  ///< in the order of the configuration
  std::size_t others = 0;              ///< routes that are not among them
};

/// All routes if there are at most `most`; else those whose path fits, up to `most`. The chosen one is not known yet:
/// it is less_specific, or missing. Takes time in proportion to the routes: not for a worker. Any thread.
/// `peer`: who connects.
ConsideredRoutes considered_routes(const CompiledConfig& compiled, std::string_view head,
                                   const boost::asio::ip::address& peer, std::size_t most = 20);
/// `found` was chosen; null: none.
void choose(ConsideredRoutes& candidates, const Route* found);

/// One rule of a limit at this moment, for one request.
struct RuleState {
  std::string name;             ///< within its limit; empty for the only one
  std::string rate;             ///< "100/minute", "1000 tokens/minute"; of a limit in flight "2 in flight"
  std::uint64_t limit = 0;      ///< most that can be taken at once from an unused counter
  std::uint64_t remaining = 0;  ///< before the request
  Duration reset_after{0};      ///< until it is as if never used, before the request
  bool allowed = true;          ///< whether this rule would allow the request
  Duration retry_after{0};      ///< if not: until it would, or limit::kNever
  Duration delay{0};            ///< if it would: how long the request would wait for its permit
  std::uint64_t used() const noexcept { return limit - std::min(limit, remaining); }
};

/// One limit of the route, for one request.
struct LimitState {
  enum class Applies : std::uint8_t {
    counted,
    exempt,     ///< the caller is exempt
    unlimited,  ///< the caller's tier has no rules
    skipped,    ///< the caller has no key for it, and is not counted
    refused,    ///< the caller has no key for it, and is refused
    unknown     ///< Redis does not answer, and the limit is not counted here meanwhile
  };
  Applies applies = Applies::counted;
  std::string name;
  std::string per;   ///< "client_ip", "jwt.org_id, route"
  std::string tier;  ///< empty if it has none
  limit::Unit unit = limit::Unit::request;
  /// What an operator gives the key for a time; its tier is OverrideTable::kTier.
  struct Override {
    Instant until{};
    std::string why;
  };
  std::optional<Override> override;
  std::string key;     ///< as operators write it; empty if it may not be shown, because it has the value of a field
  std::string key_id;  ///< as in logs
  std::int64_t cost = 1;
  bool observed = false;     ///< it rejects nobody
  bool own_key = false;      ///< its counter is the caller's, not one that others share
  std::uint32_t shards = 1;  ///< above 1 the numbers are those of one of so many counters
  Duration suspended{0};     ///< for how long it refuses the caller whatever is left; 0: it does not
  Source source = Source::memory;
  std::vector<RuleState> rules;  ///< empty unless it is counted
};
std::string_view to_text(LimitState::Applies applies) noexcept;

/// What a step says besides: what was not asked, or may become of the answer.
struct Besides {
  std::string_view member;    ///< in JSON: "waiting_room_decides_too"
  std::string_view sentence;  ///< for people, behind "it passes; ": "its waiting room is not asked"
  std::string value{};        ///< of the member, and behind the sentence; empty: the member is true
};

struct Explanation {
  // The request, as it is understood.
  std::string method;
  std::string host;
  std::string path;  ///< normalised

  // Its route; empty: none was found.
  std::string route;
  std::string pattern;
  std::string upstream;  ///< empty if the gateway answers itself, or if `drawn` has more than one
  std::vector<std::pair<std::string, double>>
      drawn;  ///< if chance decides: the upstreams, and the share of each, below 1
  std::shared_ptr<const CompiledConfig> compiled;
  const Route* found = nullptr;  ///< in `compiled`

  // Its caller.
  std::string address;
  unsigned hops = 0;                                        ///< entries of the address field that were believed
  bool through_trusted = false;                             ///< whether the peer is a trusted proxy
  std::string owner;                                        ///< of its API key
  std::string subject;                                      ///< the claim `sub` of its token
  std::string user;                                         ///< of basic authentication
  std::vector<std::pair<std::string, std::string>> proofs;  ///< each credential that the route reads, and its result

  // What would happen.
  unsigned status = 0;            ///< of the gateway's own answer; 0: the request goes to the upstream
  std::string ended_by;           ///< as in the log: "limit", "auth", …
  std::string detail;             ///< what the caller is told; may be empty
  std::string limit;              ///< the limit that refuses the request
  std::string location;           ///< of a redirect
  std::string challenge;          ///< the value of WWW-Authenticate
  std::uint64_t retry_after = 0;  ///< in seconds; 0: none
  Duration delay{0};              ///< how long it would wait for its permit
  bool queues = false;            ///< it would wait in a queue for a permit in flight, and is refused if none comes
  std::string binding;            ///< the limit whose numbers the caller would be told; empty: none
  std::uint64_t remaining = 0;    ///< of it, after the request
  std::uint64_t most = 0;         ///< of it
  std::vector<Besides> besides;   ///< what its steps say besides (gateway/steps/table.hpp), in their order
  bool counted_without_redis = false;  ///< Redis does not answer
  std::uint32_t gateways = 1;          ///< of which this one then grants its part

  std::vector<LimitState> limits;
};

}  // namespace headgate::gateway
