#pragma once
// Credentials that auth services check. Each may be a guess, so it is charged as a failed attempt before the call. The
// charge is returned unless the service refuses the credential or the client does not wait for the answer.

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

/// The credentials that addresses have shown, with the decisions of the services, which are remembered for a time. An
/// address that repeats a right or a refused credential guesses nothing and is not charged. A credential that was right
/// is checked even if the address has no attempt left, so that nobody behind the same address can lock out others.
/// Belongs to one worker; its thread only.
class AuthGuesses : public std::enable_shared_from_this<AuthGuesses> {
 public:
  static constexpr std::size_t kMaxKnown = 8192;
  static constexpr Duration kKnownFor = std::chrono::minutes(10);

  /// The outcome of a credential's check.
  enum class Said : std::uint8_t {
    nothing,  ///< the credential was not judged: the service was not called, failed, or refused for another reason
    right,
    wrong,
    avoided  ///< the client did not wait for the answer
  };

  /// The guess of one exchange. Lives in the frame of the coroutine that makes the call. Exchanges that check the same
  /// credential of an address at the same time share one charge. The charge is kept only if one of them ends as `wrong`
  /// or `avoided` and none ends as `right`.
  class Guess {
   public:
    Guess() = default;
    Guess(const Guess&) = delete;
    Guess& operator=(const Guess&) = delete;
    ~Guess();
    /// Ends the guess with its outcome.
    void end(limit::Limiter& memory, Exchange& x, Said said);

   private:
    friend class AuthGuesses;
    std::shared_ptr<AuthGuesses> owner_;  ///< null if the request has no credential
    Hash hash_;
    bool charged_ = false;
  };

  AuthGuesses(Clock& clock, std::uint64_t seed) : clock_(clock), seed_(seed) {}
  AuthGuesses(const AuthGuesses&) = delete;
  AuthGuesses& operator=(const AuthGuesses&) = delete;

  /// Begins a guess, before the service checks `credential`, which is empty if the request has none. Returns a problem
  /// if the address has no attempt left; the service must not be called then.
  MaybeProblem begin(limit::Limiter& memory, Exchange& x, std::string_view credential, Guess& guess);
  /// Stops returning charges, because the counters may be gone.
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
  std::map<Hash, Charged, ByHash> charged_;  ///< credentials that are being checked
  bool stopped_ = false;
};

}  // namespace headgate::gateway
