#pragma once
// What the path, a limit and the main thread count in: the registry's cells under the names they have there. Made when
// a configuration is loaded.

#include "headgate/observe/metrics.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace headgate::observe {

/// Where a limit's decision comes from. What is known or leased of Redis counts as redis.
enum class Source : std::uint8_t { memory, redis, fallback };
inline constexpr std::size_t kSources = 3;

/// Where a limit is counted: by this gateway, or in Redis and in the fallback's place while that is away.
enum class Counted { in_memory, in_redis };

/// One worker's cells of one tier of a limit, indexed by Source. None is null; those of sources the limit never has are
/// the ones of a source it has.
struct LimitCells {
  std::array<Counter*, kSources> allowed{};
  std::array<Counter*, kSources> rejected{};
  std::array<Counter*, kSources> observed{};  ///< on trial: would have been rejected
  Counter* near = nullptr;                    ///< allowed, and is_near()
  Counter* unreadable = nullptr;              ///< the answer's cost was no number
  /// Units: what requests cost that were let through, and what those asked for that were not.
  Counter* units_allowed = nullptr;
  Counter* units_rejected = nullptr;
  Counter* units_observed = nullptr;
  std::array<Histogram*, kSources> seconds{};
};
/// The same cells for the same words. `tier` is empty where the limit has none.
LimitCells limit_cells(Registry& registry, Writer writer, std::string_view limit, std::string_view tier,
                       Counted counted);

/// Whether less than a fifth of a limit is left.
constexpr bool is_near(std::uint64_t remaining, std::uint64_t limit) noexcept {
  return remaining < limit / 5 + (limit % 5 > 0 ? 1 : 0);
}

/// What a caller proves who it is with, and what came of it.
enum class AuthKind : std::uint8_t { api_key, jwt, mtls };
inline constexpr std::size_t kAuthKinds = 3;
enum class AuthResult : std::uint8_t {
  ok,
  missing,
  ambiguous,  ///< more than one
  limited,    ///< its address has failed too often: not looked at
  unknown_key,
  disabled,
  expired,
  malformed,
  unsupported_algorithm,
  wrong_type,
  no_keys,
  bad_signature,
  not_yet_valid,
  too_old,
  wrong_issuer,
  wrong_audience,
  too_large,
  no_claim  ///< a good token without the claim that requests are counted by
};
inline constexpr std::size_t kAuthResults = 18;
std::string_view to_text(AuthKind kind) noexcept;      ///< "api_key"
std::string_view to_text(AuthResult result) noexcept;  ///< "bad_signature"

struct Proof {
  AuthKind kind = AuthKind::api_key;
  AuthResult result = AuthResult::missing;
};

/// One worker's cells of one route; the same for the same name. What finds no route is the route "-".
class RouteCells {
 public:
  RouteCells() = default;
  RouteCells(Registry& registry, Writer writer, std::string_view route);

  /// An exchange has ended. A method that is no standard one counts as "_OTHER"; `status` is 0 where the client was
  /// told nothing. That thread only; takes no lock, and no memory.
  void count(std::string_view method, unsigned status, Duration took) const noexcept;
  /// As above, of one credential.
  void count(const Proof& proof) const noexcept;

 private:
  CounterTable* requests_ = nullptr;
  CounterTable* proofs_ = nullptr;
  Histogram* seconds_ = nullptr;
};

/// Of the main thread, which loads configurations.
class ReloadCells {
 public:
  explicit ReloadCells(Registry& registry);
  void started(Instant now) noexcept;  ///< with the first configuration, which is no reload
  void applied(Instant now) noexcept;
  void refused() noexcept;

 private:
  Counter& applied_;
  Counter& refused_;
  Gauge& successful_;
  Gauge& time_;
};

}  // namespace headgate::observe
