#pragma once
// Credentials that auth services are asked about: each may be a guess, so it is charged as a failed attempt before the
// question, and given back by the answer.

#include "gateway/callers/failures.hpp"

#include "headgate/core/clock.hpp"
#include "headgate/core/hash.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/limit/limiter.hpp"
#include "headgate/limit/recent_table.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace headgate::gateway {

/// What was said of a credential that an address shows is known for a time: an address that repeats a right one, or a
/// refused one, guesses nothing and is not charged. One that was right is asked about also while the address has no
/// attempt left, so that nobody behind the same address can lock its neighbours out. Of one worker; its thread only.
class AuthGuesses : public std::enable_shared_from_this<AuthGuesses> {
 public:
  static constexpr std::size_t kMaxKnown = 8192;
  static constexpr Duration kKnownFor = std::chrono::minutes(10);

  /// What came of a question about a credential.
  enum class Said : std::uint8_t {
    nothing,  ///< it was not asked, or its service has failed or refuses for another reason
    right,
    wrong,
    avoided  ///< the client has not waited for the answer
  };

  /// Of one exchange; lives in the frame that asks. All that ask about the same credential of an address at the same
  /// time share one charge, which stays taken only if one of them ends it as `wrong` or `avoided` and none as `right`.
  class Guess {
   public:
    Guess() = default;
    Guess(const Guess&) = delete;
    Guess& operator=(const Guess&) = delete;
    ~Guess();
    /// Says what came of it.
    void end(limit::Limiter& memory, Exchange& x, Said said);

   private:
    friend class AuthGuesses;
    std::shared_ptr<AuthGuesses> owner_;  ///< null: the request shows no credential
    Hash hash_;
    bool charged_ = false;
  };

  AuthGuesses(Clock& clock, std::uint64_t seed) : clock_(clock), seed_(seed) {}
  AuthGuesses(const AuthGuesses&) = delete;
  AuthGuesses& operator=(const AuthGuesses&) = delete;

  /// Before the service is asked about `credential`; empty: the request shows none. The problem if its address has no
  /// attempt left: then nobody is asked.
  MaybeProblem begin(limit::Limiter& memory, Exchange& x, std::string_view credential, Guess& guess);
  /// Nothing is given back any more: the counters may be gone.
  void stop() { stopped_ = true; }

 private:
  struct Known {
    Hash hash;
    Clock::Steady until;
    bool right = false;
  };
  struct Charged {
    FailureCharge charge;
    unsigned asking = 0;
    bool kept = false;
    bool right = false;
  };
  struct ByHash {
    bool operator()(const Hash& a, const Hash& b) const noexcept {
      return std::pair(a.low, a.high) < std::pair(b.low, b.high);
    }
  };

  std::optional<bool> known(const Hash& hash) const noexcept;
  void remember(const Hash& hash, bool right);
  void release(const Hash& hash, Said said);

  Clock& clock_;
  std::uint64_t seed_;
  limit::RecentTable<Known> known_{kMaxKnown};
  std::map<Hash, Charged, ByHash> charged_;  ///< being asked about
  bool stopped_ = false;
};

}  // namespace headgate::gateway
