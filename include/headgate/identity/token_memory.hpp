#pragma once
// Tokens that were checked before, so that a repeated one costs a hash and not a signature.

#include "headgate/identity/jwt.hpp"

#include <boost/smart_ptr/local_shared_ptr.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace headgate::identity {

/// A verified token, kept by whoever serves a request of it, however long that takes. One thread's.
using TokenPtr = boost::local_shared_ptr<const VerifiedToken>;

/// Bounded: verified and refused tokens have room of their own, so that no flood of bad ones drives out a good one; of
/// each the least recently used goes. A token is known by all its bytes (found by a keyed hash, then compared), so none
/// is ever taken for another. One worker's; not for several threads.
class TokenMemory {
 public:
  /// Room for one token of a kind, on average over `most` of them, with its claims and what finding it takes. A longer
  /// one takes the room of several.
  static constexpr std::size_t kVerifiedBytes = 2048;
  static constexpr std::size_t kRefusedBytes = 1024;

  /// `most`: tokens of each kind; 0 remembers none. Takes memory as it fills, never more than the room of them all.
  explicit TokenMemory(std::size_t most);
  ~TokenMemory();
  TokenMemory(const TokenMemory&) = delete;
  TokenMemory& operator=(const TokenMemory&) = delete;

  /// What was found out of a token; exactly one of the two.
  struct Known {
    TokenPtr token;
    std::optional<RefusedToken> refused;
  };
  /// Nothing: not known, or no longer (a clock set back: not yet) good at `now`; to be verified. Does not allocate.
  std::optional<Known> recall(std::string_view token, Instant now);

  /// In place of what was known of the token before. The token is returned also where there is no room to keep it.
  TokenPtr remember(std::string_view token, VerifiedToken verified);
  /// As above. One that is too_large is not kept: finding that out again costs nothing.
  void remember(std::string_view token, const RefusedToken& refused);
  /// Keys have changed: nothing that was found out with others counts any more.
  void clear() noexcept;

 private:
  class Side;
  std::unique_ptr<Side> verified_;
  std::unique_ptr<Side> refused_;
};

}  // namespace headgate::identity
