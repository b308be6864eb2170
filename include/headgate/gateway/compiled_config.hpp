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

struct RouteEdits;
struct Keyed;

/// When on the path a limit is checked. First the limits that need only the head: a flood then costs no signature check
/// and no Redis call. Limits that count by a credential come after it was checked, so that a guess costs the caller.
enum class Stage { memory, memory_after_auth, redis, no_request, count };  ///< no_request: no request is counted

/// Which part of a limit's size is counted, and where.
struct Fraction {
  std::uint32_t up = 1;
  std::uint32_t down = 1;      ///< if equal to `up`: the limit itself, counted together on all its routes
  std::string route;           ///< else the route that it is counted for
  Sharers sharers{};           ///< how many gateways share the limit while Redis is down
  std::uint32_t alone_up = 0;  ///< the part of it that this one grants then; 0: one of `sharers`
  std::uint32_t alone_down = 1;
  bool is_partial() const noexcept { return up != down; }
};

/// The part of a tier's rules that one of several gateways grants.
struct LocalShare {
  std::vector<limit::Rule> rules;
  std::vector<UntilWait> rejections;  ///< for each rule, the words of its rejection
};

/// One tier of a limit, with everything that a check needs.
struct CompiledTier {
  std::size_t number = 0;          ///< its index among all tiers of the configuration
  std::string name;                ///< empty if the limit has no tiers
  std::vector<limit::Rule> rules;  ///< empty: unlimited
  std::uint32_t shards = 1;        ///< above 1: a request takes from one of so many counters in Redis
  std::vector<limit::Rule> shard;  ///< the rules of each of them; empty without shards
  /// This gateway's share of the rules, for while Redis is down.
  std::shared_ptr<const ForSharers<LocalShare>> local;
  std::string policy;                      ///< the value of RateLimit-Policy
  std::vector<std::string> labels;         ///< the name of each rule in RateLimit
  std::vector<UntilWait> rejections;       ///< for each rule, the words of its rejection
  std::optional<shed::Priority> priority;  ///< of its callers
};

/// A limit at one scale. Made once, for all routes that use it at this scale.
struct CompiledLimit {
  limit::Limit limit;
  std::string base;  ///< its name in the configuration
  Fraction share;
  std::vector<CompiledTier> tiers;
  std::optional<Exemption> exemption;
  bool in_flight = false;  ///< whether it counts requests at the same time, whose permits come back when they end
  bool in_turn = false;    ///< and whether they wait for a permit
  bool ranks = false;      ///< whether one of its tiers has a priority
  bool plain = true;       ///< whether it has neither requests in flight nor appointments nor shards, as most limits
};

/// A limit as one route uses it.
struct RouteLimit {
  const limit::Limit* limit = nullptr;
  const CompiledLimit* ready = nullptr;
  Cost cost;
  Stage stage = Stage::memory;
  bool after_auth = false;  ///< its key is known only when the credentials are checked
  bool of_guesses = false;  ///< asked before credentials are checked, and counts their refusals
};

/// Whether one of these limits lets requests wait for a permit.
bool lets_wait(std::span<const RouteLimit> limits) noexcept;

/// A limit of a route that suspends keys, or under which an operator may suspend them.
struct RouteBan {
  const RouteLimit* route_limit = nullptr;   ///< in the plan of the route
  const limit::BanPolicy* policy = nullptr;  ///< null: only operators suspend
  std::size_t number = 0;                    ///< with a policy: its index among the limits that suspend
  bool by_address = false;                   ///< blocks of addresses may be suspended
  bool after_auth = false;                   ///< the key is known only when the credentials are checked
};

struct CompiledSplit;
struct CompiledUsage;

/// Which requests go to which upstream, under which limits.
struct Route {
  const RouteOptions* options = nullptr;  ///< as it is written; what follows is what the path reads often, or compiled
  std::size_t number = 0;                 ///< its index among the routes of the configuration
  std::string name;
  std::string path;              ///< its pattern
  Case letters = Case::matters;  ///< of the path, and of keys that are parts of it
  EncodedSlash encoded_slash = EncodedSlash::reject;
  std::size_t upstream = 0;  ///< index of the upstream; unused if `respond` is set
  std::string upstream_name;
  /// The same route with the upstream that gets what a limit rejects, and all of it while the circuit is open; null:
  /// such requests are refused. That one has none itself.
  std::shared_ptr<const Route> instead;
  std::shared_ptr<const CompiledSplit> split;  ///< null: all of its requests go to one upstream
  std::optional<Respond> respond;
  std::shared_ptr<const RouteEdits> edits;         ///< what it changes in messages; null: nothing
  std::vector<const AddressRules*> address_rules;  ///< all must let an address in: those of all routes, then its own
  std::shared_ptr<const Forwarding> forwarding;    ///< retries, held bodies, a mirror; null: none of them
  std::shared_ptr<const CompiledAuth> auth;        ///< the service that is asked first; null: none
  std::shared_ptr<const CompiledBasic> basic;      ///< whose passwords are asked for; null: nobody's
  std::vector<RouteLimit> plan;                    ///< in the order of the stages
  std::array<std::size_t, kCountOf<Stage> + 1>
      stage_begin{};  ///< where each stage begins in the plan; the last element is the end of the plan
  /// Those of the plan of which a tier has a priority, in the order of the configuration.
  std::vector<const RouteLimit*> ranking;
  std::vector<RouteBan> bans;  ///< those whose key the head tells come first
  /// All limits under which an operator may suspend a key or a block of addresses. Looked into only once one did.
  std::vector<RouteBan> suspendable;
  /// Lower case. A request may have each of them once: of two, the server could read the other one.
  std::vector<std::string> counted_headers;
  /// Those that requests are counted or identified by, and the tickets of its waiting room. Each may have one value.
  std::vector<std::string> read_cookies;
  StepSet steps;                         ///< that its requests take
  StepSet left;                          ///< those of them that must be left when the exchange ends
  StepSet counted, recorded;             ///< those that say something in the metrics and in the log
  const LoggedFields* logged = nullptr;  ///< with fields of its answers; null: the log has none
  const CompiledUsage* usage = nullptr;  ///< it tells what is left, and has nothing else; null: it is any other route
  /// What its keys are made of, and credentials that it demands, edits or exempts by. Nobody asks for others.
  NeedSet reads;
  const CompiledRoom* room = nullptr;  ///< visitors wait in it; null: none
  const std::vector<limit::Per>* balance_per =
      nullptr;  ///< whose value says the server; null: nothing of a request does
  shed::Priority priority = shed::Priority::normal;
  const UpstreamOptions* upstream_options = nullptr;  ///< null: it answers itself
  const Shedding* shedding = nullptr;                 ///< what is said of all upstreams; null as upstream_options
  const Capacity* capacity = nullptr;                 ///< of its upstream; null: it has none
  const ServerQueue* server_queue = nullptr;          ///< its servers may have only so many requests; null: any number
  Hash server_queue_key;                              ///< names that queue, over all workers
  std::optional<std::uint16_t> https_port;            ///< as in RouteOptions
  Require require = Require::nothing;
  const Cors* cors = nullptr;        ///< null: answers say nothing of other origins
  const Demands* demands = nullptr;  ///< what the required credential must have; null: it need only be valid
  UnknownKey unknown_key = UnknownKey::anonymous;
  Duration timeout{};          ///< longest wait for the head of the answer
  Duration between_bytes{};    ///< longest wait for a byte of its body
  std::uint64_t max_body = 0;  ///< largest body of a request, in bytes
  std::uint64_t min_rate = 0;  ///< slowest body, towards servers and towards clients, in bytes a second; 0: any
  ClientClose client_close = ClientClose::end;

  /// The limits of one stage.
  std::span<const RouteLimit> limits_at(Stage stage) const noexcept {
    const auto at = static_cast<std::size_t>(stage);
    return {plan.data() + stage_begin[at], stage_begin[at + 1] - stage_begin[at]};
  }
  bool checks(Stage stage) const noexcept { return !limits_at(stage).empty(); }
  bool bans_by_head() const noexcept { return !bans.empty() && !bans.front().after_auth; }
  bool bans_after_auth() const noexcept { return !bans.empty() && bans.back().after_auth; }
  bool takes(Step step) const noexcept { return steps.has(step); }
  /// Whether its servers are asked over HTTP/2.
  bool asks_http2() const noexcept { return upstream_options != nullptr && upstream_options->http2; }
};

/// A route that splits its requests, as one route for each upstream.
struct CompiledSplit {
  const Split* options = nullptr;
  std::vector<std::unique_ptr<const Route>> routes;  ///< in the order of Split::shares; of the same number and name
  bool after_auth = false;                           ///< the key is known only when the credentials are checked
};

/// Prepares `tier` at the scale `share`, in `shards` shards or fewer. The caller sets its number.
CompiledTier compile_tier(const limit::Tier& tier, const Fraction& share, std::uint32_t shards);

/// The name of a rule in RateLimit and RateLimit-Policy: its limit, and its own name if it has one.
std::string rule_label(const limit::Rule& rule);

/// The name of the built-in limit of failed authentications.
inline constexpr std::string_view kFailureLimit = "failed-authentication";
/// The name of the built-in limit of preflights, and its size for one address.
inline constexpr std::string_view kPreflightLimit = "preflights";
inline constexpr Rate kPreflightRate{50, std::chrono::seconds(1)};
inline constexpr std::uint64_t kPreflightBurst = 500;
/// The name of the built-in limit of requests for what is left, and its size for one address.
inline constexpr std::string_view kUsageLimit = "usage";
inline constexpr Rate kUsageRate{5, std::chrono::seconds(1)};
inline constexpr std::uint64_t kUsageBurst = 50;

/// A rule of the gateway's own, by address. Always counted in memory: what costs nobody anything must not cost a call
/// to Redis.
limit::Rule built_in_rule(std::string_view name, const Rate& rate, std::uint64_t burst);

/// Whether the key of `limit` always has a part that the caller has proven: its address, or what a credential says.
/// Then what is left of it concerns no other caller.
bool is_own_key(const limit::Limit& limit);

/// What answers callers who ask what is left of their limits.
struct CompiledUsage {
  const Route* route = nullptr;  ///< its path, and which credentials it reads; no limit of it takes anything
  limit::Rule rule;              ///< such requests of an address are charged to it
  /// The limits that a caller's own credentials or address give the key of, whatever its request is.
  std::vector<RouteLimit> limits;
  std::vector<const Route*> by_name;  ///< all routes of the configuration, sorted by name, then by number
};

/// The whole configuration of the path. Built once from options that were checked. Throws std::invalid_argument if a
/// route names an upstream or limit that does not exist.
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
  /// In the order of the configuration: Route::upstream is an index of it.
  std::span<const UpstreamOptions> upstreams() const noexcept { return upstreams_; }
  /// Fields that only trusted hops may send.
  const http::FieldNames& proxy_fields() const noexcept { return proxy_fields_; }
  /// Our entry in Via for a message received in HTTP/1.0 or 1.1 (10 or 11); "" if none is wanted.
  std::string_view via(unsigned version) const noexcept {
    return version == 11 ? via_11_ : version == 10 ? via_10_ : via_20_;
  }
  /// The value of Strict-Transport-Security; "" if none is sent.
  const std::string& hsts() const noexcept { return options_.hsts; }
  /// The rule that failed authentications are charged to; null if they are not limited.
  const limit::Rule* failure_rule() const noexcept { return failure_rule_ ? &*failure_rule_ : nullptr; }
  /// The rule that preflights are charged to: a preflight needs no credential and takes from no limit of its route.
  /// Null if no route answers preflights.
  const limit::Rule* preflight_rule() const noexcept { return preflight_rule_ ? &*preflight_rule_ : nullptr; }
  /// Null if callers cannot ask what is left.
  const CompiledUsage* usage() const noexcept { return usage_ ? &*usage_ : nullptr; }
  /// All limits that routes use. A limit at another scale is a limit of its own.
  std::span<const std::unique_ptr<const CompiledLimit>> limits() const noexcept { return ready_; }
  std::span<const std::unique_ptr<const Route>> routes() const noexcept { return routes_; }
  /// By Route::upstream. Null for an upstream without a capacity, or without routes.
  std::span<const std::unique_ptr<const Capacity>> capacities() const noexcept { return capacities_; }
  /// The routes as they serve requests: in place of one that splits its requests those of its upstreams.
  std::span<const Route* const> serving() const noexcept { return serving_; }
  /// Whether a route takes requests by the address of their client.
  bool routes_by_address() const noexcept { return routes_by_address_; }
  /// Whether a WebSocket can be opened on one of the routes.
  bool opens_websockets() const noexcept { return opens_websockets_; }
  /// The names of the limits that suspend keys, by RouteBan::number.
  std::span<const std::string> bans() const noexcept { return bans_; }
  /// Those of limits that count glitches, each once, whichever routes use it.
  std::span<const RouteBan> glitch_bans() const noexcept { return glitch_bans_; }
  /// All waiting rooms, in the order of the configuration.
  std::span<const std::unique_ptr<const CompiledRoom>> rooms() const noexcept { return rooms_; }

  /// How many gateways share the limits while Redis is down.
  const Sharers& sharers() const noexcept { return sharers_; }

 private:
  /// Where everything with a name is. With many routes a search for each would take longer than all else.
  struct Names;

  std::unique_ptr<Route> make_route(const RouteOptions& wanted, const std::string& to, std::size_t number);
  std::shared_ptr<const Route> route_instead(const Route& route, const RouteOptions& wanted);
  void split_route(Route& route, const RouteOptions& wanted);
  void note_upstream(Route& route);
  std::shared_ptr<const Forwarding> forwarding(const RouteOptions& wanted, const std::string& to) const;
  std::shared_ptr<const CompiledAuth> auth_of(const Route& route, const RouteOptions& wanted) const;
  /// Throws std::invalid_argument if there is none of this name.
  std::size_t upstream_number(const std::string& name) const;
  void note_priorities(CompiledLimit& limit) const;
  RouteLimit plan(const LimitUse& use, std::string_view route);
  const CompiledLimit& ready(const LimitUse& use, std::string_view route);
  const CompiledRoom* room_of(std::string_view name) const;
  void note_websockets(const Route& route, const RouteOptions& wanted);
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
  std::unique_ptr<Names> names_;  // only while this is built
};

}  // namespace headgate::gateway
