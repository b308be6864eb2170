#pragma once
// The options of the path: routes, what holds for all of them, and how a rejection looks. config fills them.

#include "headgate/core/time.hpp"
#include "headgate/gateway/address_rules.hpp"
#include "headgate/gateway/auth_service.hpp"
#include "headgate/gateway/basic/basic_auth.hpp"
#include "headgate/gateway/compression.hpp"
#include "headgate/gateway/cors.hpp"
#include "headgate/gateway/demands.hpp"
#include "headgate/gateway/edit_options.hpp"
#include "headgate/gateway/exchange_trace.hpp"
#include "headgate/gateway/forwarding.hpp"
#include "headgate/gateway/logged_fields.hpp"
#include "headgate/gateway/own_answers.hpp"
#include "headgate/gateway/route_conditions.hpp"
#include "headgate/gateway/split.hpp"
#include "headgate/gateway/waiting_room.hpp"
#include "headgate/http/head_bounds.hpp"
#include "headgate/identity/options.hpp"
#include "headgate/limit/calendar.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/shed/concurrency.hpp"

#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::gateway {

struct CostSource;

/// The cost of a request: how many permits it takes.
struct Cost {
  const CostSource* from = nullptr;  ///< what says it (gateway/cost_source.hpp); null: it is `default_value`
  std::int64_t default_value = 1;    ///< at least 1: the cost where nothing else is said, or what is held first
  std::vector<std::pair<std::string, std::int64_t>> methods;  ///< upper case; each cost at least 0
  std::string name;                                           ///< of the field, or what else the source is told
  std::int64_t most = 0;  ///< the largest cost that the source may say; a larger number counts as this
  bool debt = false;  ///< of a cost from the answer: whether missing permits become a debt; else they are not charged
};

/// How a route uses a limit.
struct LimitUse {
  std::string limit;  ///< name of a limit
  Cost cost;
  std::uint32_t scale_up = 1;  ///< "1/10": the route has a counter of its own, of scale_up / scale_down times the size
  std::uint32_t scale_down = 1;  ///< both at least 1; equal: not scaled, and counted together with other routes
};

/// The callers that a limit does not apply to.
struct Exemption {
  std::string limit;
  std::vector<identity::Network> addresses;
  std::vector<std::string> api_keys;  ///< owners of known API keys
};

/// A tier whose callers have a priority.
struct TierPriority {
  std::string limit;
  std::string tier;
  shed::Priority priority = shed::Priority::normal;
};

/// Load shedding of the whole process.
struct Shedding {
  std::string priority_from;  ///< lower case: a field of trusted hops that names a request's priority; empty: none
  Duration loop_lag{0};       ///< how far a worker may be behind before it refuses requests; 0: it never does
};

/// An answer from the gateway itself.
struct Respond {
  unsigned status = 200;  ///< 200 to 599
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
  std::string etag{};           ///< of a body from a file: a strong one, in quotes; empty: none
  std::string last_modified{};  ///< of the same, as in a field
  Instant modified{};           ///< the same, in whole seconds
};

/// The credential that a route requires. mtls: a client certificate that was verified here (TLS), or by a trusted hop
/// (PROXY protocol).
enum class Require { nothing, jwt, api_key, mtls };

/// How a caller is treated whose API key is unknown or no longer valid. Applies only if keys are known at all.
enum class UnknownKey { anonymous, reject };

/// How a path is treated in which some servers see more slashes: "%2F" or "%5C", encoded once or more often.
enum class EncodedSlash {
  reject,
  keep  ///< it is part of its segment and is forwarded unchanged
};

/// What becomes of a request whose client closes its connection, or only its sending side: nobody can tell the two
/// apart.
enum class ClientClose {
  end,    ///< it ends at once
  ignore  ///< it goes on: the client may still read
};

/// One route.
struct RouteOptions {
  std::string name;  ///< the path, if no name is given
  std::string host;  ///< lower case, without port; empty: any; "*.example.com": one or more labels before the domain
  std::string path;  ///< "/exact", "/prefix/*", "/accounts/{account}/charges"
  shed::Priority priority = shed::Priority::normal;  ///< of its requests, where nothing else names one
  std::optional<bool> ignore_case;                   ///< whether case in the path is ignored; not set: as all_routes
  EncodedSlash encoded_slash = EncodedSlash::reject;
  std::vector<std::string> methods;  ///< upper case; empty: all
  RouteConditions conditions;        ///< `any_case` as the route's case
  /// Requests without TLS are redirected to this port of https; 0: they are served. Not set: as their listener says.
  std::optional<std::uint16_t> https_port;
  std::string to;          ///< name of an upstream; empty if `respond` is set; with `split`: the first of its upstreams
  std::string to_instead;  ///< the upstream of what a limit rejects, or an open circuit refuses; empty: none
  SplitPtr split;          ///< null: all requests go to one upstream
  std::optional<Respond> respond;            ///< also of a redirect, which `edits` has
  std::shared_ptr<const EditOptions> edits;  ///< what it changes in messages; null: nothing
  std::vector<LimitUse> limits;              ///< limits of this route; they come after those of all_routes
  std::vector<std::string> skip_limits;      ///< names of limits of all_routes that do not apply here
  std::string waiting_room;                  ///< name of a room; empty: none
  AddressRulesPtr addresses;                 ///< that may use it, beside those of all_routes; null: all
  Require require = Require::nothing;
  std::shared_ptr<const Demands> demands;     ///< what the required credential must have; null: it need only be valid
  CorsPtr cors;                               ///< null: answers say nothing of other origins
  std::optional<UnknownKey> unknown_key;      ///< not set: as all_routes
  std::optional<Duration> timeout;            ///< longest wait for the head of the answer; not set: as all_routes
  std::optional<Duration> between_bytes;      ///< longest wait for a byte of its body; not set: as all_routes
  std::optional<std::uint64_t> max_body;      ///< largest body of a request, in bytes; not set: as all_routes
  std::optional<ClientClose> client_close{};  ///< not set: as all_routes
  std::optional<std::uint64_t> min_rate{};    ///< of bodies, in bytes a second; 0: any; not set: as all_routes
  std::uint64_t held_body = 0;                ///< how many bytes of a body are read before a server is chosen; 0: none
  bool grpc_web = false;                      ///< calls of gRPC-Web become calls of gRPC
  std::optional<Mirror> mirror{};             ///< not set: no request is copied
  std::shared_ptr<const AuthService> auth{};  ///< null: none is asked
  CompressionPtr compression{};               ///< null: its answers are not compressed
  std::shared_ptr<const BasicAuth> basic{};   ///< null: no password is asked for
  std::optional<OwnBody> own_body{};          ///< of its problems; not set: as `rejection` says
};

/// The values for all routes that do not set their own.
struct AllRoutes {
  bool ignore_case = false;
  std::shared_ptr<const EditOptions> edits;  ///< fields and Host; null: nothing
  std::vector<LimitUse> limits;
  AddressRulesPtr addresses;  ///< that may use any route; null: all
  UnknownKey unknown_key = UnknownKey::anonymous;
  CorsPtr cors;                ///< of answers without a route; config has given it to the routes
  CompressionPtr compression;  ///< config has given it to the routes
  Duration timeout = std::chrono::seconds(30);
  Duration between_bytes = std::chrono::seconds(60);
  std::uint64_t max_body = 1 << 20;
  ClientClose client_close = ClientClose::end;
  std::uint64_t min_rate = 500;
};

/// Fields that only a trusted hop may send: where a request came in, from whom, and with which path. Servers believe
/// these fields, and any client could send them ("Proxy" becomes the variable HTTP_PROXY).
inline constexpr std::string_view kProxyFields[] = {
    "X-Forwarded-*",      "X-Original-URL",       "X-Original-URI",      "X-Original-Host", "X-Original-Forwarded-For",
    "X-Rewrite-URL",      "X-HTTP-Host-Override", "X-Url-Scheme",        "X-Script-Name",   "Script-Name",
    "Path-Info",          "X-Client-IP",          "X-Cluster-Client-IP", "True-Client-IP",  "CF-Connecting-IP",
    "CF-Connecting-IPv6", "Fastly-Client-IP",     "Fly-Client-IP",       "X-Envoy-*",       "X-SSL-*",
    "SSL-Client-*",       "Front-End-Https",      "Remote-User",         "X-Remote-User",   "Proxy",
    "Headgate-Mirror",    "X-Consumer",           "X-Consumer-*",        "X-Credential-*",  "X-Anonymous-Consumer",
    "X-Authenticated-*"};

/// All options of the path.
struct PathOptions {
  std::vector<RouteOptions> routes;
  std::vector<WaitingRoom> rooms;
  std::vector<Exemption> exemptions;
  std::vector<TierPriority> tier_priorities;
  Shedding shedding;
  AllRoutes all_routes;
  Duration write_timeout = std::chrono::seconds(10);   ///< longest wait for a server to accept a byte
  Duration tunnel_timeout = std::chrono::minutes(10);  ///< longest time without a byte in either direction of a tunnel
  http::HeadBounds head_bounds;                        ///< of a head that is only explained
  std::uint64_t buffered = 0;  ///< bytes in the buffers of all connections; beyond it no body is held; 0: any
  Rejection rejection;
  ErrorPages error_pages = ErrorPages::as_accepted;
  std::vector<ErrorPage> pages;  ///< texts of the user; of two for one status and form the first counts
  std::string home = "/";        ///< where pages of problems lead visitors; empty: nowhere
  /// Fields that are forwarded only if a trusted hop sent them. A name that ends in "*" stands for all names with this
  /// beginning.
  std::vector<std::string> proxy_fields{std::begin(kProxyFields), std::end(kProxyFields)};
  /// Secrets that sign appointments: the first one signs, all are believed.
  std::vector<std::string> signing_keys;
  std::string hsts;                ///< the value of Strict-Transport-Security, for clients with TLS; empty: none
  std::optional<Tracing> tracing;  ///< not set: fields of Trace Context are passed on as they came
  std::shared_ptr<const LoggedFields> logged;  ///< in the access log beside what is always there; null: nothing
  std::string usage;  ///< the path at which callers ask what is left of their limits; empty: none
  std::shared_ptr<const limit::Calendar> billing_days;  ///< that billed use is summed by; null: nothing is billed
  std::string via = "headgate";                         ///< the name of this gateway in Via; empty: it adds no entry
};

}  // namespace headgate::gateway
