#pragma once
// A configuration in the form that the path uses: the routes with their limits, all names resolved. Immutable; shared
// by all workers.

#include "headgate/core/hash.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/gateway/capacity.hpp"
#include "headgate/gateway/fleet_size.hpp"
#include "headgate/gateway/forwarding.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/gateway/options.hpp"
#include "headgate/gateway/router.hpp"
#include "headgate/gateway/steps.hpp"
#include "headgate/gateway/until_wait.hpp"
#include "headgate/gateway/upstream_options.hpp"
#include "headgate/http/field_names.hpp"
#include "headgate/identity/options.hpp"
#include "headgate/limit/limit.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headgate::gateway {

struct BodyPlan;
struct RouteEdits;
class ToldSizes;
struct Keyed;

/// The moment on the path when a limit is checked. Limits that need only the head come first, so that a flood costs no
/// signature check and no Redis call. Limits that count by a credential come after the check of the credential, so that
/// a forged credential takes no permits of another caller. `no_request` has the limits that count glitches and not
/// requests.
enum class Stage { memory, memory_after_auth, redis, no_request, count };

/// The fraction of a limit's size that a route uses.
struct Fraction {
  std::uint32_t up = 1;
  std::uint32_t down = 1;  ///< equal to `up` for the whole limit; all routes that use the whole limit share one counter
  std::string route;       ///< the route that has its own counter, if the fraction is below 1
  Sharers sharers{};       ///< number of gateways that share the limit while Redis is down
  /// the fixed part of the limit that this gateway grants while Redis is down; 0 for an equal share among `sharers`
  std::uint32_t alone_up = 0;
  std::uint32_t alone_down = 1;
  bool is_partial() const noexcept { return up != down; }
};

/// The part of a tier's rules that one of several gateways grants.
struct LocalShare {
  std::vector<limit::Rule> rules;
  std::vector<UntilWait> rejections;  ///< the prepared text of the rejection by each rule
};

/// One tier of a limit, with everything that a check needs.
struct CompiledTier {
  std::size_t number = 0;          ///< index among all tiers of the configuration
  std::string name;                ///< name of the tier; empty if the limit has no tiers
  std::vector<limit::Rule> rules;  ///< rules of the tier; empty if it is unlimited
  std::uint32_t shards = 1;        ///< above 1: the number of counters in Redis, of which a request uses one
  std::vector<limit::Rule> shard;  ///< the rules of each shard; empty without shards
  /// This gateway's share of the rules; used while Redis is down.
  std::shared_ptr<const ForSharers<LocalShare>> local;
  std::string policy;                      ///< the value of RateLimit-Policy
  std::vector<std::string> labels;         ///< the name of each rule in RateLimit
  std::vector<UntilWait> rejections;       ///< the prepared text of the rejection by each rule
  std::optional<shed::Priority> priority;  ///< the priority of the tier's callers
};

/// A limit at one scale. One object serves all routes that use the limit at this scale.
struct CompiledLimit {
  limit::Limit limit;
  std::string base;  ///< name of the limit in the configuration
  Fraction share;
  std::vector<CompiledTier> tiers;
  std::optional<Exemption> exemption;
  std::shared_ptr<ToldSizes> told{};  ///< the sizes that credentials have named; null without Limit::size_from
  bool in_flight = false;  ///< whether it counts requests in flight, whose permits are returned when they end
  bool in_turn = false;    ///< whether requests in flight wait for a permit
  bool ranks = false;      ///< whether one of its tiers has a priority
  bool plain = true;       ///< whether it has no requests in flight, no appointments and no shards, like most limits
};

/// A limit as one route uses it.
struct RouteLimit {
  const limit::Limit* limit = nullptr;
  const CompiledLimit* ready = nullptr;
  Cost cost;
  Stage stage = Stage::memory;
  bool after_auth = false;  ///< whether the key is known only after the credentials are checked
  /// whether the limit counts statuses, and is checked before the credentials so that refused credentials count
  bool of_guesses = false;
  bool reads_body = false;  ///< whether its key, its cost or its hold is read from the request's body
};

/// Returns whether one of these limits lets requests wait for a permit.
bool lets_wait(std::span<const RouteLimit> limits) noexcept;

/// A limit of a route that suspends keys, or whose keys an operator may suspend.
struct RouteBan {
  const RouteLimit* route_limit = nullptr;   ///< the limit in the plan of the route
  const limit::BanPolicy* policy = nullptr;  ///< the policy for suspensions; null if only operators suspend keys
  std::size_t number = 0;                    ///< index among the limits that suspend; only valid if there is a policy
  bool by_address = false;                   ///< whether blocks of addresses may be suspended
  bool after_auth = false;                   ///< whether the key is known only after the credentials are checked
};

struct CompiledSplit;
struct CompiledUsage;

/// A compiled route: which requests go to which upstream, under which limits.
struct Route {
  /// the options in the configuration; the members below are compiled, or read often
  const RouteOptions* options = nullptr;
  std::size_t number = 0;  ///< the index among the routes of the configuration
  std::string name;
  std::string path;              ///< pattern of the path
  Case letters = Case::matters;  ///< whether case matters in the path, and in keys that are parts of it
  EncodedSlash encoded_slash = EncodedSlash::reject;
  std::size_t upstream = 0;  ///< index of the upstream; unused if `respond` is set
  std::string upstream_name;
  /// The same route with another upstream. That upstream gets the requests that a limit rejects, and all requests while
  /// the circuit of this route's own upstream is open. Null if such requests are refused instead. The `instead` of that
  /// route is null.
  std::shared_ptr<const Route> instead;
  std::string model;  ///< the model that the bodies of this route's requests are changed to; "" to leave it
  std::shared_ptr<const CompiledSplit> split;  ///< the split of the requests; null if all of them go to one upstream
  std::optional<Respond> respond;
  std::shared_ptr<const RouteEdits> edits;  ///< the changes to messages; null if there are none
  /// the rules for all routes, then the rules of this route; an address must be allowed by all of them
  std::vector<const AddressRules*> address_rules;
  std::shared_ptr<const Forwarding> forwarding;  ///< retries, held bodies, a mirror; null if the route has none of them
  std::shared_ptr<const CompiledAuth> auth;      ///< the auth service; null if there is none
  std::shared_ptr<const BodyPlan> bodies;        ///< what limits read from bodies; null if they read none
  std::shared_ptr<const CompiledBasic> basic;    ///< the passwords that are required; null if there are none
  std::vector<RouteLimit> plan;                  ///< the limits of the route, in the order of the stages
  std::array<std::size_t, kCountOf<Stage> + 1>
      stage_begin{};  ///< the index in the plan where each stage begins; the last element is the end of the plan
  /// The limits of the plan that have a tier with a priority, in the order of the configuration.
  std::vector<const RouteLimit*> ranking;
  std::vector<RouteBan> bans;  ///< limits whose key is known from the head come first
  /// All limits under which an operator may suspend a key or a block of addresses. Searched only once an operator has
  /// done so.
  std::vector<RouteBan> suspendable;
  /// Header fields that a request may have only once, in lower case. If a request had two, the server could read a
  /// different one than the gateway does.
  std::vector<std::string> counted_headers;
  /// The cookies by which requests are counted or identified, and the cookie with the waiting room's ticket. Each may
  /// have only one value.
  std::vector<std::string> read_cookies;
  StepSet steps;              ///< the steps that requests of the route take
  StepSet left;               ///< the steps whose `leave` function is called, at the latest when the exchange ends
  StepSet counted, recorded;  ///< the steps that write metrics, and those that write to the log
  /// the additional fields of the access log, with fields of answers; null if there are none
  const LoggedFields* logged = nullptr;
  /// the answers on the route on which callers ask for their remaining permits; null on all other routes
  const CompiledUsage* usage = nullptr;
  /// The sources of the route's keys, and the credentials that the route demands, uses in edits, or uses to exempt
  /// callers. Other parts of a request are not read.
  NeedSet reads;
  const CompiledRoom* room = nullptr;  ///< the waiting room of the route's visitors; null if there is none
  const std::vector<limit::Per>* balance_per =
      nullptr;  ///< the source of the value that chooses the server; null if requests have no such value
  shed::Priority priority = shed::Priority::normal;
  const UpstreamOptions* upstream_options = nullptr;  ///< options of the upstream; null if the route answers itself
  /// the options of load shedding, which are the same for all upstreams; null if the route answers itself
  const Shedding* shedding = nullptr;
  const Capacity* capacity = nullptr;         ///< the capacity of the upstream; null if it has none
  const ServerQueue* server_queue = nullptr;  ///< the bound of requests per server; null if there is none
  Hash server_queue_key;                      ///< the key of the queue before the servers, which all workers share
  std::optional<std::uint16_t> https_port;    ///< the port to redirect to, as in RouteOptions
  Require require = Require::nothing;
  const Cors* cors = nullptr;        ///< the rights of other origins; null if answers have no fields for them
  const Demands* demands = nullptr;  ///< the demands on the required credential; null if any valid one will do
  UnknownKey unknown_key = UnknownKey::anonymous;
  Duration timeout{};          ///< longest wait for the head of the answer
  Duration between_bytes{};    ///< longest wait for the next byte of the answer's body
  std::uint64_t max_body = 0;  ///< largest body of a request, in bytes
  /// lowest rate of a body, from and to clients and servers, in bytes per second; 0 if there is no bound
  std::uint64_t min_rate = 0;
  ClientClose client_close = ClientClose::end;

  /// Returns the limits of one stage.
  std::span<const RouteLimit> limits_at(Stage stage) const noexcept {
    const auto at = static_cast<std::size_t>(stage);
    return {plan.data() + stage_begin[at], stage_begin[at + 1] - stage_begin[at]};
  }
  bool checks(Stage stage) const noexcept { return !limits_at(stage).empty(); }
  bool bans_by_head() const noexcept { return !bans.empty() && !bans.front().after_auth; }
  bool bans_after_auth() const noexcept { return !bans.empty() && bans.back().after_auth; }
  bool takes(Step step) const noexcept { return steps.has(step); }
  /// Returns whether requests go to the servers over HTTP/2.
  bool asks_http2() const noexcept { return upstream_options != nullptr && upstream_options->http2; }
};

/// A route that splits its requests, as one route for each upstream.
struct CompiledSplit {
  const Split* options = nullptr;
  /// one route for each of Split::shares, in the same order; all have the same number and name
  std::vector<std::unique_ptr<const Route>> routes;
  bool after_auth = false;  ///< whether the key is known only after the credentials are checked
};

/// Compiles `tier` at the scale `share`, in at most `shards` shards. The caller sets the number of the tier.
CompiledTier compile_tier(const limit::Tier& tier, const Fraction& share, std::uint32_t shards);

/// Returns the tier of a limit with limit::SizeFrom for callers whose credential has the number `count`. Null if the
/// limit's algorithm does not allow this size, which `headgate check` prevents.
std::unique_ptr<const CompiledTier> compile_size(const CompiledLimit& limit, std::uint64_t count);

/// Returns the name of a rule in RateLimit and RateLimit-Policy: the name of the limit, and that of the rule if it has
/// one.
std::string rule_label(const limit::Rule& rule);

/// The name of the built-in limit of failed authentications.
inline constexpr std::string_view kFailureLimit = "failed-authentication";
/// The name of the built-in limit of preflights, and its size for one address.
inline constexpr std::string_view kPreflightLimit = "preflights";
inline constexpr Rate kPreflightRate{50, std::chrono::seconds(1)};
inline constexpr std::uint64_t kPreflightBurst = 500;
/// The name of the built-in limit of requests for the remaining permits, and its size for one address.
inline constexpr std::string_view kUsageLimit = "usage";
inline constexpr Rate kUsageRate{5, std::chrono::seconds(1)};
inline constexpr std::uint64_t kUsageBurst = 50;

/// Returns a built-in rule by address. Such rules are always counted in memory, because a request that costs its sender
/// nothing must not cost a call to Redis.
limit::Rule built_in_rule(std::string_view name, const Rate& rate, std::uint64_t burst);

/// Returns whether the key of `limit` always has a part that the caller has proven: the address, or a value of a
/// credential. If so, the number of remaining permits concerns no other caller.
bool is_own_key(const limit::Limit& limit);

/// The answers to callers who ask for the remaining permits of their limits.
struct CompiledUsage {
  /// the route of these requests, with its path and the credentials that it reads; its limits take no permits
  const Route* route = nullptr;
  limit::Rule rule;  ///< the rule by address that such requests are charged to
  /// The limits whose key depends only on the credentials or the address of a caller, not on the request.
  std::vector<RouteLimit> limits;
  std::vector<const Route*> by_name;  ///< all routes of the configuration, sorted by name, then by number
};

/// The whole configuration of the path. Built once from checked options. Throws std::invalid_argument if a route names
/// an upstream or limit that does not exist.
class CompiledConfig {
 public:
  CompiledConfig(const PathOptions& options, const identity::IdentityOptions& identity,
                 std::vector<limit::Limit> limits, std::vector<UpstreamOptions> upstreams, Sharers sharers);
  ~CompiledConfig();
  CompiledConfig(const CompiledConfig&) = delete;
  CompiledConfig& operator=(const CompiledConfig&) = delete;

  const Router& router() const noexcept { return router_; }
  const PathOptions& options() const noexcept { return options_; }
  const identity::IdentityOptions& identity() const noexcept { return identity_; }
  /// Returns the upstreams in the order of the configuration; Route::upstream is an index of this list.
  std::span<const UpstreamOptions> upstreams() const noexcept { return upstreams_; }
  /// Fields that only trusted hops may send.
  const http::FieldNames& proxy_fields() const noexcept { return proxy_fields_; }
  /// Returns the gateway's entry in Via for a message received in this version of HTTP (10, 11 or 20); "" if there is
  /// none.
  std::string_view via(unsigned version) const noexcept {
    return version == 11 ? via_11_ : version == 10 ? via_10_ : via_20_;
  }
  /// Returns the value of Strict-Transport-Security; "" if the field is not sent.
  const std::string& hsts() const noexcept { return options_.hsts; }
  /// Returns the rule that failed authentications are charged to; null if they are not limited.
  const limit::Rule* failure_rule() const noexcept { return failure_rule_ ? &*failure_rule_ : nullptr; }
  /// Returns the rule that preflights are charged to, because a preflight has no credential and takes no permit of its
  /// route's limits. Null if no route answers preflights.
  const limit::Rule* preflight_rule() const noexcept { return preflight_rule_ ? &*preflight_rule_ : nullptr; }
  /// Returns the answers to callers who ask for their remaining permits; null if no path is configured for these
  /// questions.
  const CompiledUsage* usage() const noexcept { return usage_ ? &*usage_ : nullptr; }
  /// Returns all limits that routes use. A limit that is used at two scales is listed twice.
  std::span<const std::unique_ptr<const CompiledLimit>> limits() const noexcept { return ready_; }
  std::span<const std::unique_ptr<const Route>> routes() const noexcept { return routes_; }
  /// Returns the capacities by Route::upstream. An element is null if its upstream has no capacity, or no route.
  std::span<const std::unique_ptr<const Capacity>> capacities() const noexcept { return capacities_; }
  /// Returns the routes that serve requests. A route that splits its requests is replaced by one route for each
  /// upstream.
  std::span<const Route* const> serving() const noexcept { return serving_; }
  /// The routes that decide about descriptors of Envoy's rate limit service. No request reaches them.
  const DescriptorRoutes& descriptor_routes() const noexcept { return descriptor_routes_; }
  /// Returns whether any route has a condition on the client's address.
  bool routes_by_address() const noexcept { return routes_by_address_; }
  /// Returns whether a WebSocket can be opened on one of the routes.
  bool opens_websockets() const noexcept { return opens_websockets_; }
  /// Returns the names of the limits that suspend keys, by RouteBan::number.
  std::span<const std::string> bans() const noexcept { return bans_; }
  /// Returns the suspending limits that count glitches. Each limit is listed once, even if several routes use it.
  std::span<const RouteBan> glitch_bans() const noexcept { return glitch_bans_; }
  /// Returns all waiting rooms, in the order of the configuration.
  std::span<const std::unique_ptr<const CompiledRoom>> rooms() const noexcept { return rooms_; }

  /// Returns the number of gateways that share the limits while Redis is down.
  const Sharers& sharers() const noexcept { return sharers_; }

 private:
  /// An index of everything that has a name. With many routes, a linear search for each name would dominate the build.
  struct Names;

  std::unique_ptr<Route> make_route(const RouteOptions& wanted, const std::string& to, std::size_t number);
  std::shared_ptr<const Route> route_instead(const Route& route, const RouteOptions& wanted);
  void split_route(Route& route, const RouteOptions& wanted);
  void note_upstream(Route& route);
  std::shared_ptr<const Forwarding> forwarding(const RouteOptions& wanted, const std::string& to) const;
  std::shared_ptr<const CompiledAuth> auth_of(const Route& route, const RouteOptions& wanted) const;
  /// Returns the index of an upstream. Throws std::invalid_argument if none has this name.
  std::size_t upstream_number(const std::string& name) const;
  void note_priorities(CompiledLimit& limit) const;
  RouteLimit plan(const LimitUse& use, std::string_view route);
  const CompiledLimit& ready(const LimitUse& use, std::string_view route);
  const CompiledRoom* room_of(std::string_view name) const;
  void note_websockets(const Route& route, const RouteOptions& wanted);
  static void plan_bodies(Route& route, const RouteOptions& wanted);
  void note_reads(Route& route, const RouteOptions& wanted) const;
  void note_reads(Route& route, const Keyed& keyed) const;
  void note_bans(Route& route);
  void note_glitch_bans();
  void make_usage();

  PathOptions options_;
  identity::IdentityOptions identity_;
  std::vector<UpstreamOptions> upstreams_;
  http::FieldNames proxy_fields_;
  std::string via_10_;
  std::string via_11_;
  std::string via_20_;
  std::optional<limit::Rule> failure_rule_;
  std::optional<limit::Rule> preflight_rule_;
  std::optional<CompiledUsage> usage_;
  std::vector<limit::Limit> limits_;
  Sharers sharers_;
  std::size_t tiers_ = 0;
  std::vector<std::unique_ptr<const CompiledLimit>> ready_;
  std::vector<std::unique_ptr<const Capacity>> capacities_;
  std::vector<std::string> bans_;
  std::vector<std::unique_ptr<const CompiledRoom>> rooms_;
  std::vector<std::unique_ptr<const Route>> routes_;
  std::vector<const Route*> serving_;
  std::vector<RouteBan> glitch_bans_;
  bool opens_websockets_ = false;
  bool routes_by_address_ = false;
  Router router_;
  DescriptorRoutes descriptor_routes_;
  std::unique_ptr<Names> names_;  // set only during construction
};

}  // namespace headgate::gateway
