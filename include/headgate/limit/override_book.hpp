#pragma once
// The overrides that this process knows. Used by services and admin.

#include "headgate/limit/override.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headgate::limit {

/// The book. One per process. Any thread; not used on the request path. Of two changes to a key, the one that is later
/// in the shared log wins. A lifted override is remembered until its original end, so that an older entry of the log
/// does not restore it.
class OverrideBook {
 public:
  /// Maximum number of overrides that an operator can set. Entries that other gateways added to the log are not
  /// refused.
  static constexpr std::size_t kMax = 10'000;

  enum class Put { added, replaced, full };
  /// Adds an override. `wanted` must end after `now`.
  Put put(Override wanted, Instant now, std::size_t most = kMax);
  /// Ends the override of `key` of `limit`. Returns the change for the log; empty if there is none.
  std::optional<Override> lift(const std::string& limit, const std::string& key, Instant now);
  /// Applies an entry of the shared log. Returns whether it changes anything.
  bool apply(const Override& entry, Instant now);
  /// Removes overrides that have ended, and returns those that were in force until then.
  std::vector<Override> forget_ended(Instant now);

  /// Returns the overrides in force at `now`, ordered by their end.
  std::vector<Override> list(Instant now) const;
  std::optional<Override> find(const std::string& limit, const std::string& key, Instant now) const;
  /// Returns when the next override ends; empty if there is none.
  std::optional<Instant> next_end() const;
  std::map<std::string, std::size_t> counts(Instant now) const;  ///< returns the number in force, by limit

 private:
  using Name = std::pair<std::string, std::string>;  // limit and key

  mutable std::mutex mutex_;
  std::map<Name, Override> known_;
};

}  // namespace headgate::limit
