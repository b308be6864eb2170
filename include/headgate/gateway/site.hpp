#pragma once
// A configuration as the path uses it: routes to match, the plan of limits of each, all names resolved. Immutable;
// shared by all workers.

#include "headgate/gateway/options.hpp"
#include "headgate/gateway/router.hpp"
#include "headgate/identity/jwt.hpp"
#include "headgate/identity/options.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/redis/options.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace headgate::gateway {

/// When on the path a limit is asked: what needs nothing but the head first, so that a flood costs no signature check
/// and no Redis call.
enum class Stage { memory, memory_with_claims, redis };

/// A limit as one route uses it.
struct PlannedLimit {
  const limit::Limit* limit = nullptr;
  std::int64_t cost = 1;
  Stage stage = Stage::memory;
  bool secret_key = false;                           ///< its key holds an API key, which goes to Redis as a digest only
  const std::vector<limit::Rule>* local = nullptr;   ///< the rules' share of this gateway while Redis is away
  const std::string* policy = nullptr;               ///< its RateLimit-Policy value
  const std::vector<std::string>* labels = nullptr;  ///< what its rules are called in RateLimit
};

/// Which requests go where, under which limits.
struct Route {
  std::string name;
  std::size_t upstream = 0;  ///< index into the site's upstreams; unused where `respond` is set
  std::string upstream_name;
  std::optional<Respond> respond;
  std::vector<PlannedLimit> plan;
  std::vector<std::string>
      counted_headers;       ///< lower case; each may stand once at most, for a server could read another than we
  bool reads_token = false;  ///< required, or a limit counts per claim
  bool asks_redis = false;
  bool observes = false;  ///< a limit of it is on trial
  Require require = Require::nothing;
  Duration timeout{};
  std::uint64_t max_body = 0;
};

/// What a rule is called in RateLimit and RateLimit-Policy: its limit, and its own name where it has one.
std::string rule_label(const limit::Rule& rule);

/// All of it. Built once from checked options; throws std::invalid_argument for what the checker cannot let through.
class Site {
 public:
  Site(const Options& options, const identity::Options& identity, std::vector<limit::Limit> limits,
       const std::vector<std::string>& upstreams, std::uint32_t instances);
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  const Router& router() const noexcept { return router_; }
  const Options& options() const noexcept { return options_; }
  const identity::Options& identity() const noexcept { return identity_; }
  const identity::JwtVerifier* jwt() const noexcept { return jwt_.get(); }

 private:
  PlannedLimit plan(const LimitUse& use) const;
  void note_counted_headers(Route& route) const;

  /// What is made once for each limit.
  struct Prepared {
    limit::Limit limit;
    std::vector<limit::Rule> local;
    std::string policy;
    std::vector<std::string> labels;
  };

  Options options_;
  identity::Options identity_;
  std::shared_ptr<const identity::JwtVerifier> jwt_;
  std::vector<std::unique_ptr<const Prepared>> limits_;
  std::vector<std::unique_ptr<const Route>> routes_;
  Router router_;
};

}  // namespace headgate::gateway
