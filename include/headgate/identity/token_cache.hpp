#pragma once
// The token cache: a token that was checked before costs a hash instead of a signature check. Used by gateway.

#include "headgate/identity/jwt.hpp"

#include <boost/smart_ptr/local_shared_ptr.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace headgate::identity {

/// A verified token. Each request that uses it holds a pointer to it. One thread only.
using TokenPtr = boost::local_shared_ptr<const VerifiedToken>;

/// A bounded cache. Verified and refused tokens have separate room, so that a flood of bad tokens evicts no good one.
/// In each part the least recently used token is evicted first. A token is found by a keyed hash, and then all its
/// bytes are compared, so no token is ever taken for another. One thread only.
class TokenCache {
 public:
  /// Average room for a verified and for a refused token, including its claims and its index entry. A longer token
  /// takes the room of several.
  static constexpr std::size_t kVerifiedBytes = 2048;
  static constexpr std::size_t kRefusedBytes = 1024;

  /// `most` is the maximum number of verified and of refused tokens; 0 keeps none. Memory grows with use, up to the
  /// room for that many tokens.
  explicit TokenCache(std::size_t most);
  ~TokenCache();
  TokenCache(const TokenCache&) = delete;
  TokenCache& operator=(const TokenCache&) = delete;

  /// The result for a token; exactly one of the two is set.
  struct Known {
    TokenPtr token;
    std::optional<RefusedToken> refused;
  };
  /// Returns the known result. Empty if the token is unknown or no longer valid at `now` (or not valid yet, if the
  /// clock was set back); the token must then be verified. Does not allocate.
  std::optional<Known> get(std::string_view token, Instant now);

  /// Replaces the known result for the token. Returns the token even if there is no room to keep it.
  TokenPtr put(std::string_view token, VerifiedToken verified);
  /// Does the same as put() above, for a refused token. The result too_large is not kept, because computing it again
  /// costs nothing.
  void put(std::string_view token, const RefusedToken& refused);
  /// Forgets all results. Call it when keys have changed.
  void clear() noexcept;

 private:
  class Side;
  std::unique_ptr<Side> verified_;
  std::unique_ptr<Side> refused_;
};

}  // namespace headgate::identity
