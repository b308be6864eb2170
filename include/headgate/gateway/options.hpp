#pragma once
// The options of the path: routes, the values for all of them, and the form of rejections. config fills them.

#include "headgate/core/time.hpp"
#include "headgate/gateway/address_rules.hpp"
#include "headgate/gateway/auth_service.hpp"
#include "headgate/gateway/basic/basic_auth.hpp"
#include "headgate/gateway/compression.hpp"
#include "headgate/gateway/cors.hpp"
#include "headgate/gateway/demands.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"
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

/// How much is held for a request whose cost only its answer says: the output that the request allows, and its input.
struct Hold {
  std::string pointer;    ///< the pointer (RFC 6901) to the largest output in the request's body; "" if there is none
  std::size_t at = 0;     ///< the index of `pointer` in BodyPlan::request
  bool of_usage = false;  ///< whether the API that `usage` names says where the largest output stands
  /// Bytes of text in the request's body that count as one permit; 0 if the input is free. With `usage`, a number
  /// above 1 applies until calls have been learned (gateway/bodies/learned_use.hpp).
  std::int64_t input = 0;
  /// whether the largest output of the last calls is held, if it is smaller than the output that the request allows
  bool learned = false;
  bool otherwise_most = false;  ///< whether `learned` has no `otherwise`, so that Cost::most is held instead
  /// whether a request whose hold does not fit gets a smaller maximum of output, which fits
  bool clamp = false;
  std::int64_t at_least = 1;  ///< the smallest maximum that `clamp` writes into a request, in tokens

  /// Whether the gateway takes more permits when a stream has used its hold, and ends the stream if there are none.
  bool extends = false;

  bool reads_body() const noexcept { return !pointer.empty() || of_usage || input > 0; }
  bool operator==(const Hold&) const = default;
};

/// The treatment of an answer whose cost stands in its body, if its client leaves before it has ended.
enum class OnHangup : std::uint8_t {
  cancel,  ///< the request to the server is cancelled
  drain    ///< the answer is read to its end and thrown away, so that its cost is known
};

/// The cost of a request, in permits.
struct Cost {
  const CostSource* from = nullptr;  ///< the source of the cost (gateway/cost_source.hpp); null to use `default_value`
  /// the cost if the source names none, or the hold until the answer names the cost; at least 1
  std::int64_t default_value = 1;
  std::vector<std::pair<std::string, std::int64_t>> methods;  ///< methods in upper case, each with a cost of at least 0
  std::string name;       ///< the name of the field, a pointer into a body, or another argument of the source
  std::size_t at = 0;     ///< the index of the pointer in a list of BodyPlan
  Hold hold;              ///< what is added to `default_value`, or replaces it, for a cost from the answer
  std::int64_t most = 0;  ///< the largest cost that the source may say; a larger number counts as this one
  /// The cost of a call whose model has no price, in micro-units, if the limit counts money; not set to refuse it.
  std::optional<std::int64_t> unpriced{};
  bool priced = false;     ///< whether the usage is multiplied by the prices of its model; set when it is compiled
  bool ask_usage = false;  ///< whether streams that would report no usage are asked to report it
  std::uint64_t learned_as = 0;  ///< seed of the keys of LearnedUse; 0 if nothing is learned; set when it is compiled
  /// for a cost from the answer: whether missing permits become a debt; otherwise they are not charged
  bool debt = false;
  OnHangup on_hangup = OnHangup::cancel;
};

/// The treatment of a request whose body a limit of its route cannot read.
enum class UnreadableBody : std::uint8_t {
  reject,  ///< the request is refused
  count    ///< the request costs what `otherwise` says; a key that is read from the body is missing
};

/// How a route uses a limit.
struct LimitUse {
  std::string limit;  ///< name of the limit
  Cost cost;
  /// for "1/10": the route has its own counter, with scale_up / scale_down times the limit's size
  std::uint32_t scale_up = 1;
  /// both at least 1; if they are equal, the limit is not scaled and is counted together with other routes
  std::uint32_t scale_down = 1;
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
  /// lower case: the field of trusted hops that names a request's priority; empty if there is none
  std::string priority_from;
  Duration loop_lag{0};  ///< the loop delay at which a worker begins to refuse requests; 0 to ignore the delay
};

/// An answer that the gateway gives without a server.
struct Respond {
  unsigned status = 200;  ///< status of the answer, 200 to 599
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
  std::string etag{};           ///< for a body from a file: a strong ETag, in quotes; empty if there is none
  std::string last_modified{};  ///< for a body from a file: the value of Last-Modified
  Instant modified{};           ///< the moment of `last_modified`, in whole seconds
};

/// The credential that a route requires. mtls is a client certificate that was verified by the gateway (TLS) or by a
/// trusted hop (PROXY protocol).
enum class Require { nothing, jwt, api_key, mtls };

/// The treatment of a caller whose API key is unknown or no longer valid. Applies only if keys are configured.
enum class UnknownKey { anonymous, reject };

/// The treatment of a path with "%2F" or "%5C", encoded once or more often, which some servers read as a slash.
enum class EncodedSlash {
  reject,
  keep  ///< the escape is part of its segment and is forwarded unchanged
};

/// The treatment of a request whose client closes its connection, or only its sending side. The gateway cannot tell the
/// two cases apart.
enum class ClientClose {
  end,    ///< the request ends at once
  ignore  ///< the request goes on, because the client may still read
};

/// One route.
struct RouteOptions {
  std::string name;  ///< the path, if the configuration gives no name
  /// lower case, without port; empty for any host; "*.example.com" for one or more labels before the domain
  std::string host;
  /// the descriptors that the route decides about; not set for a route of requests
  std::optional<DescriptorMatch> descriptor{};
  std::string path;  ///< pattern of the path: "/exact", "/prefix/*", "/accounts/{account}/charges"
  shed::Priority priority = shed::Priority::normal;  ///< priority of requests whose caller has none
  std::optional<bool> ignore_case;  ///< whether case in the path is ignored; if not set, as in all_routes
  EncodedSlash encoded_slash = EncodedSlash::reject;
  std::vector<std::string> methods;  ///< methods in upper case; empty for all methods
  /// conditions on the request; `any_case` is `ignore_case` as it applies to this route: its own value, or that of
  /// all_routes
  RouteConditions conditions;
  /// The https port that requests without TLS are redirected to; 0 to serve them. If not set, the listener decides.
  std::optional<std::uint16_t> https_port;
  std::string to;  ///< name of an upstream; empty if `respond` is set; with `split` the first of its upstreams
  /// the upstream for requests that a limit rejects or an open circuit refuses; empty if there is none
  std::string to_instead;
  std::string model_instead;                 ///< the model that their bodies name from then on; empty to leave it
  SplitPtr split;                            ///< the split of the requests; null if all of them go to one upstream
  std::optional<Respond> respond;            ///< the fixed answer; also set for a redirect, whose target is in `edits`
  std::shared_ptr<const EditOptions> edits;  ///< the changes to messages; null if there are none
  std::vector<LimitUse> limits;              ///< limits of this route; they come after those of all_routes
  std::vector<std::string> skip_limits;      ///< names of limits of all_routes that do not apply here
  std::string waiting_room;                  ///< name of a waiting room; empty if there is none
  /// the addresses that may use the route, in addition to the rules of all_routes; null for all
  AddressRulesPtr addresses;
  Require require = Require::nothing;
  std::shared_ptr<const Demands> demands;  ///< the demands on the required credential; null if any valid one will do
  CorsPtr cors;                            ///< the rights of other origins; null if answers have no fields for them
  std::optional<UnknownKey> unknown_key;   ///< treatment of callers with an unknown key; if not set, as in all_routes
  std::optional<Duration> timeout;         ///< longest wait for the head of the answer; if not set, as in all_routes
  /// longest wait for the next byte of the answer's body; if not set, as in all_routes
  std::optional<Duration> between_bytes;
  std::optional<std::uint64_t> max_body;  ///< largest body of a request, in bytes; if not set, as in all_routes
  /// treatment of a client that closes its connection; if not set, as in all_routes
  std::optional<ClientClose> client_close{};
  /// lowest rate of bodies, in bytes per second; 0 for no bound; if not set, as in all_routes
  std::optional<std::uint64_t> min_rate{};
  /// the largest body of a request that limits read, in bytes; not set for the default
  std::optional<std::uint64_t> read_body{};
  /// not set: `reject` if a key is read from the body, otherwise `count`
  std::optional<UnreadableBody> unreadable_body{};
  std::uint64_t held_body = 0;  ///< bytes of a body that are read before a server is chosen; 0 if the body is not held
  bool grpc_web = false;        ///< whether calls of gRPC-Web are translated to calls of gRPC
  std::optional<Mirror> mirror{};             ///< the mirror; not set if no request is copied
  std::shared_ptr<const AuthService> auth{};  ///< the auth service; null if there is none
  CompressionPtr compression{};               ///< compression of answers; null if answers are not compressed
  std::shared_ptr<const BasicAuth> basic{};   ///< basic authentication; null if no password is required
  std::optional<OwnBody> own_body{};          ///< the body of the route's problems; if not set, as in `rejection`
};

/// The values for all routes that do not set their own.
struct AllRoutes {
  bool ignore_case = false;
  std::shared_ptr<const EditOptions> edits;  ///< changes to fields and Host; null if there are none
  std::vector<LimitUse> limits;
  AddressRulesPtr addresses;  ///< the addresses that may use any route; null for all
  UnknownKey unknown_key = UnknownKey::anonymous;
  CorsPtr cors;  ///< the rules for answers without a route; config has copied them to the routes
  /// the default of routes without compression options; config has already copied it to them
  CompressionPtr compression;
  Duration timeout = std::chrono::seconds(30);
  Duration between_bytes = std::chrono::seconds(60);
  std::uint64_t max_body = 1 << 20;
  ClientClose client_close = ClientClose::end;
  std::uint64_t min_rate = 500;
};

/// Fields that only a trusted hop may send: the address, port, path and caller of the original request. Servers believe
/// these fields, but any client could send them. "Proxy" is one of them because some servers turn it into the variable
/// HTTP_PROXY.
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
  http::HeadBounds head_bounds;                        ///< bounds of the head in a request to explain
  /// once the buffers of all connections have this many bytes, no further body is held; 0 for no bound
  std::uint64_t buffered = 0;
  Rejection rejection;
  ErrorPages error_pages = ErrorPages::as_accepted;
  /// texts from the configuration; if two texts fit a status and form, the first one is used
  std::vector<ErrorPage> pages;
  std::string home = "/";  ///< the link in pages of problems; empty if the pages have no link
  /// Fields that are forwarded only if a trusted hop sent them. A name that ends in "*" stands for all names with this
  /// beginning.
  std::vector<std::string> proxy_fields{std::begin(kProxyFields), std::end(kProxyFields)};
  /// Secrets that sign appointments: the first one signs, and all of them verify.
  std::vector<std::string> signing_keys;
  std::string hsts;  ///< the value of Strict-Transport-Security, for clients with TLS; empty if it is not sent
  /// how traces are made; not set if the fields of Trace Context are forwarded unchanged
  std::optional<Tracing> tracing;
  std::shared_ptr<const LoggedFields> logged;  ///< additional fields of the access log; null if there are none
  std::string usage;  ///< the path where callers ask for their remaining permits; empty if there is none
  /// the days that billed use is summed by; null if no limit is billed
  std::shared_ptr<const limit::Calendar> billing_days;
  std::string via = "headgate";  ///< the name of this gateway in Via; empty if it adds no entry
};

}  // namespace headgate::gateway
