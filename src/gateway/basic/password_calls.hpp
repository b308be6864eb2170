#pragma once
// Checks of passwords: remembered, or made by the pool while exchanges wait. docs/basic_auth.md explains them.

#include "gateway/callers/failures.hpp"

#include "headgate/gateway/basic/password_pool.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/identity/basic_credentials.hpp"
#include "headgate/identity/users.hpp"
#include "headgate/limit/recent_table.hpp"

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace headgate::gateway {

/// A password, and the hash that it is compared with.
struct PasswordQuestion {
  Hash name;  ///< the name that the result is remembered under
  std::string hash;
  bool known = false;  ///< whether the hash belongs to the user; otherwise the password is wrong
  identity::SecretText password;
};

/// The results of checks. A result is remembered for the address that showed the password and is not used for other
/// addresses, so a client at another address learns nothing from the table. Belongs to one worker; its thread only. The
/// candidate policy reads what the active gateway remembers.
class PasswordCalls {
 public:
  /// How long a result is remembered. If the line of a user in the file changes, the hash changes, so older results no
  /// longer apply.
  static constexpr Duration kRightFor = std::chrono::minutes(10);
  static constexpr Duration kWrongFor = std::chrono::minutes(1);
  /// Maximum number of right results that are remembered, and also of wrong results. Only users can cause right
  /// results.
  static constexpr std::size_t kMaxRemembered = 8192;
  /// How long a request waits for its turn and its check, unless its own deadline comes first.
  static constexpr Duration kPatience = std::chrono::seconds(10);

  /// If `pool` is null, passwords are checked at once, on this thread.
  PasswordCalls(Clock& clock, PasswordPool* pool);
  ~PasswordCalls();
  PasswordCalls(const PasswordCalls&) = delete;
  PasswordCalls& operator=(const PasswordCalls&) = delete;

  /// Returns the question for a credential. `users` has at least one user.
  PasswordQuestion question(const Exchange& x, const identity::Users& users, identity::BasicCredentials&& shown) const;
  /// Returns the remembered result, if there is one.
  std::optional<bool> remembered(const PasswordQuestion& question) const noexcept;

  enum class Outcome : std::uint8_t {
    right,
    wrong,
    unknown,  ///< too many checks wait, or the check took too long
    gone      ///< the client left meanwhile
  };
  /// Returns whether the same password is being checked for the same address.
  bool is_asked(const PasswordQuestion& question) const { return calls_.contains(question.name); }
  /// Checks a password. Exchanges of one address with the same question at the same time wait for one check, each for
  /// at most `patience`. Gives `charge` back if the password is right or could not be checked for lack of room, even if
  /// no exchange waits any more. Sets Exchange::unanswered if the exchange did not wait for the result.
  Task<Outcome> ask(Exchange& x, PasswordQuestion question, std::optional<FailureCharge> charge = {},
                    Duration patience = kPatience);
  /// Returns how long a new check would have to wait.
  Duration wait() const { return pool_ != nullptr ? pool_->wait() : Duration(0); }

  /// Ends all waits. No further password is checked.
  void stop();

 private:
  struct Call;
  struct Waiter;
  struct Remembered {
    Hash hash;
    Clock::Steady until;
  };
  struct ByName {
    bool operator()(const Hash& a, const Hash& b) const noexcept {
      return std::pair(a.low, a.high) < std::pair(b.low, b.high);
    }
  };

  static void collect(void* self);
  using Table = limit::RecentTable<Remembered>;
  bool counts(const Table& table, const Hash& name) const noexcept;
  void remember(Table& table, const Hash& name, Duration time);
  /// Remembers the result for a password that this address has shown.
  void note(const Hash& name, const Hash& address, bool right);
  /// Begins a check. Returns null if the pool does not accept it.
  Call* begin(const Exchange& x, PasswordQuestion&& question, std::optional<FailureCharge>&& charge);
  /// Handles a check for which no exchange waits any more.
  void forsake(Call& call) noexcept;
  void conclude(Call& call, Outcome outcome);

  Clock& clock_;
  PasswordPool* pool_;
  identity::PasswordNames names_;
  limit::RecentTable<Remembered> right_{kMaxRemembered};
  limit::RecentTable<Remembered> wrong_{kMaxRemembered};
  limit::RecentTable<Remembered> proven_{kMaxRemembered};  ///< addresses that have shown a right password
  std::map<Hash, std::unique_ptr<Call>, ByName> calls_;    ///< checks under way
  std::shared_ptr<PasswordInbox> inbox_;                   ///< null before the first check
  bool stopped_ = false;
};

}  // namespace headgate::gateway
