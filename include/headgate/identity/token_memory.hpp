#pragma once
// Tokens that were checked before, so that a repeated one costs a hash and not a signature.

#include "headgate/identity/jwt.hpp"

#include <boost/smart_ptr/local_shared_ptr.hpp>

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
  /// `most`: tokens of each kind; 0 remembers none. Together they take at most 1 KiB a token on average, and no token
  /// more than what the longest takes.
  explicit TokenMemory(std::size_t most);
  ~TokenMemory();
  TokenMemory(const TokenMemory&) = delete;
  TokenMemory& operator=(const TokenMemory&) = delete;

  /// What was found out of a token; exactly one of the two.
  struct Known {
    TokenPtr token;
    std::optional<RefusedToken> refused;
  };
  /// Nothing: not known, or no longer good at `now`; to be verified.
  std::optional<Known> recall(std::string_view token, Instant now);

  TokenPtr remember(std::string_view token, VerifiedToken verified);
  void remember(std::string_view token, const RefusedToken& refused);
  /// Keys have changed: nothing that was found out with others counts any more.
  void clear() noexcept;

 private:
  class Side;
  std::unique_ptr<Side> verified_;
  std::unique_ptr<Side> refused_;
};

}  // namespace headgate::identity
