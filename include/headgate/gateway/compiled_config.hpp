#pragma once
// A configuration as the path uses it: routes to match, the plan of limits of each, all names resolved. Immutable;
// shared by all workers.

#include "headgate/gateway/options.hpp"
#include "headgate/gateway/router.hpp"
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

/// When on the path a limit is asked: what needs nothing but the head first, so that a flood costs no signature check
/// and no Redis call; what counts by a credential only when that has been checked, so that a guess is charged as one.
enum class Stage { memory, memory_after_auth, redis };

/// What part of a limit's size is counted where.
struct Fraction {
  std::uint32_t up = 1;
  std::uint32_t down = 1;       ///< equal to `up`: the limit itself, counted together on all its routes
  std::string route;            ///< else the one it is counted for
  std::uint32_t instances = 1;  ///< gateways that count alone while Redis is away
  bool is_partial() const noexcept { return up != down; }
};

/// One size of a limit, ready to be asked.
struct CompiledTier {
  std::size_t number = 0;                   ///< among all tiers of the site
  std::string name;                         ///< empty where the limit has no tiers
  std::vector<limit::Rule> rules;           ///< empty: unlimited
  std::vector<limit::Rule> local;           ///< this gateway's share of them, while Redis is away
  std::string policy;                       ///< its RateLimit-Policy value
  std::vector<std::string> labels;          ///< what its rules are called in RateLimit
  std::vector<std::string> refusals;        ///< how the body of a refusal by each begins, up to the time to wait
  std::vector<std::string> local_refusals;  ///< the same of `local`
};

/// A limit at one scale, made once for all routes that use it so.
struct CompiledLimit {
  limit::Limit limit;
  std::string base;  ///< its name as the configuration has it
  Fraction share;
  std::vector<CompiledTier> tiers;
  std::optional<Exemption> exemption;
};

/// A limit as one route uses it.
struct RouteLimit {
  const limit::Limit* limit = nullptr;
  const CompiledLimit* ready = nullptr;
  Cost cost;
  Stage stage = Stage::memory;
};

/// Which requests go where, under which limits.
struct Route {
  std::size_t number = 0;  ///< among the site's routes
  std::string name;
  std::string path;          ///< its pattern
  bool ignore_case = false;  ///< of the path's letters, in keys as well
  EncodedSlash encoded_slash = EncodedSlash::reject;
  std::size_t upstream = 0;  ///< index into the site's upstreams; unused where `respond` is set
  std::string upstream_name;
  std::optional<Respond> respond;
  std::vector<RouteLimit> plan;              ///< in the order of their stages
  std::array<std::size_t, 4> stage_begin{};  ///< where in the plan each stage begins; the last: its end
  std::vector<std::string>
      counted_headers;       ///< lower case; each may stand once at most, for a server could read another than we
  bool reads_token = false;  ///< required, or a limit counts per claim
  bool reads_key = false;    ///< required, some are known, or a limit asks for it
  bool settles = false;      ///< a cost of it is known only when the server has answered
  Require require = Require::nothing;
  UnknownKey unknown_key = UnknownKey::anonymous;
  Duration timeout{};        ///< until the first byte of an answer
  Duration between_bytes{};  ///< until the next one of its body
  std::uint64_t max_body = 0;

  /// The limits of one stage.
  std::span<const RouteLimit> asked_at(Stage stage) const noexcept {
    const auto at = static_cast<std::size_t>(stage);
    return {plan.data() + stage_begin[at], stage_begin[at + 1] - stage_begin[at]};
  }
  bool checks(Stage stage) const noexcept { return !asked_at(stage).empty(); }
};

/// `tier` at `share`; its number is the caller's to set.
CompiledTier compile_tier(const limit::Tier& tier, const Fraction& share);

/// What a rule is called in RateLimit and RateLimit-Policy: its limit, and its own name where it has one.
std::string rule_label(const limit::Rule& rule);

/// What the built-in limit of failed authentications is called.
inline constexpr std::string_view kFailureLimit = "failed-authentication";

/// All of it. Built once from checked options; throws std::invalid_argument for what the checker cannot let through.
class CompiledConfig {
 public:
  CompiledConfig(const Options& options, const identity::Options& identity, std::vector<limit::Limit> limits,
                 const std::vector<std::string>& upstreams, std::uint32_t instances);
  CompiledConfig(const CompiledConfig&) = delete;
  CompiledConfig& operator=(const CompiledConfig&) = delete;

  const Router& router() const noexcept { return router_; }
  const Options& options() const noexcept { return options_; }
  const identity::Options& identity() const noexcept { return identity_; }
  /// What only trusted hops may send.
  const http::FieldNames& proxy_fields() const noexcept { return proxy_fields_; }
  /// Our entry in Via, for a message received in HTTP/1.0 or 1.1 (10 or 11); "" where none is wanted.
  std::string_view via(unsigned version) const noexcept { return version == 10 ? via_10_ : via_11_; }
  /// What a failed authentication is charged to; null where failures are not limited.
  const limit::Rule* failure_rule() const noexcept { return failure_rule_ ? &*failure_rule_ : nullptr; }
  /// All limits, a scaled one beside the one it is a share of.
  std::span<const std::unique_ptr<const CompiledLimit>> limits() const noexcept { return ready_; }
  std::span<const std::unique_ptr<const Route>> routes() const noexcept { return routes_; }

 private:
  RouteLimit plan(const LimitUse& use, std::string_view route);
  const CompiledLimit& ready(const LimitUse& use, std::string_view route);
  void note_counted_headers(Route& route) const;

  Options options_;
  identity::Options identity_;
  http::FieldNames proxy_fields_;
  std::string via_10_;
  std::string via_11_;
  std::optional<limit::Rule> failure_rule_;
  std::vector<limit::Limit> limits_;
  std::uint32_t instances_;
  std::size_t tiers_ = 0;
  std::vector<std::unique_ptr<const CompiledLimit>> ready_;
  std::vector<std::unique_ptr<const Route>> routes_;
  Router router_;
};

}  // namespace headgate::gateway
