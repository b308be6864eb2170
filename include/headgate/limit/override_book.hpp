#pragma once
// The overrides that this process knows.

#include "headgate/limit/override.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headgate::limit {

/// One for each process. Any thread; requests do not come here. Of two changes to a key, the one that the shared log
/// has later wins. What was lifted is remembered until it would have ended, so that an older entry of the log does not
/// bring it back.
class OverrideBook {
 public:
  /// How many an operator can have at a moment. What the log has of other gateways is not refused.
  static constexpr std::size_t kMax = 10'000;

  enum class Put { added, replaced, full };
  /// `wanted` ends after `now`.
  Put put(Override wanted, Instant now, std::size_t most = kMax);
  /// Ends the override of `key` of `limit`. Returns the change for the log; nothing if there is none.
  std::optional<Override> lift(const std::string& limit, const std::string& key, Instant now);
  /// An entry of the shared log. Whether it changes anything.
  bool apply(const Override& entry, Instant now);
  /// Forgets what has ended, and returns what was in force until then.
  std::vector<Override> forget_ended(Instant now);

  /// What is in force at `now`, those that end first before the others.
  std::vector<Override> list(Instant now) const;
  std::optional<Override> find(const std::string& limit, const std::string& key, Instant now) const;
  /// When the next one ends.
  std::optional<Instant> next_end() const;
  std::map<std::string, std::size_t> counts(Instant now) const;  ///< in force, by limit

 private:
  using Name = std::pair<std::string, std::string>;  // limit, key

  mutable std::mutex mutex_;
  std::map<Name, Override> known_;
};

}  // namespace headgate::limit
