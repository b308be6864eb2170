#pragma once
// Whether passwords are right: remembered, or checked by the pool while exchanges wait. docs/basic_auth.md explains it.

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

/// A password, and what it is compared with.
struct PasswordQuestion {
  Hash name;  ///< under which it is remembered
  std::string hash;
  bool known = false;  ///< whether the hash is the user's own; else the password is wrong
  identity::SecretText password;
};

/// What is known of a password is known of the address that has shown it: to others it tells nothing, so that nobody
/// guesses at what a table knows. Of one worker; its thread only. A candidate asks the live one what it remembers.
class PasswordCalls {
 public:
  /// How long a result counts. A user whose line changes has another hash, so nothing from before counts for it.
  static constexpr Duration kRightFor = std::chrono::minutes(10);
  static constexpr Duration kWrongFor = std::chrono::minutes(1);
  /// How many of each are kept. Only users have right ones.
  static constexpr std::size_t kMaxRemembered = 8192;
  /// How long a request waits for its turn and its check, if its own deadline does not come first.
  static constexpr Duration kPatience = std::chrono::seconds(10);

  /// `pool` null: passwords are checked at once, on this thread.
  PasswordCalls(Clock& clock, PasswordPool* pool);
  ~PasswordCalls();
  PasswordCalls(const PasswordCalls&) = delete;
  PasswordCalls& operator=(const PasswordCalls&) = delete;

  /// `users` has at least one.
  PasswordQuestion question(const Exchange& x, const identity::Users& users, identity::BasicCredentials&& shown) const;
  /// Whether it is right, as far as that is remembered.
  std::optional<bool> remembered(const PasswordQuestion& question) const noexcept;

  enum class Outcome : std::uint8_t {
    right,
    wrong,
    unknown,  ///< too many wait, or it took too long
    gone      ///< the client has left meanwhile
  };
  /// Whether the same is being checked for the same address.
  bool is_asked(const PasswordQuestion& question) const { return calls_.contains(question.name); }
  /// Those of an address who ask the same at the same time wait for one check; each for at most `patience`. `charge` is
  /// given back if the password is right, or if it was not checked for want of room; no matter who waits then. Sets
  /// Exchange::unanswered if the result was not waited for.
  Task<Outcome> ask(Exchange& x, PasswordQuestion question, std::optional<FailureCharge> charge = {},
                    Duration patience = kPatience);
  /// How long a newcomer would have to wait.
  Duration wait() const { return pool_ != nullptr ? pool_->wait() : Duration(0); }

  /// Nobody waits any more, and nothing is checked.
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
  /// What was found of a password that this address has shown.
  void note(const Hash& name, const Hash& address, bool right);
  /// Null: the pool does not take it.
  Call* begin(const Exchange& x, PasswordQuestion&& question, std::optional<FailureCharge>&& charge);
  /// Nobody waits for it any more.
  void forsake(Call& call) noexcept;
  void conclude(Call& call, Outcome outcome);

  Clock& clock_;
  PasswordPool* pool_;
  identity::PasswordNames names_;
  limit::RecentTable<Remembered> right_{kMaxRemembered};
  limit::RecentTable<Remembered> wrong_{kMaxRemembered};
  limit::RecentTable<Remembered> proven_{kMaxRemembered};  ///< addresses that have shown a right one
  std::map<Hash, std::unique_ptr<Call>, ByName> calls_;    ///< under way
  std::shared_ptr<PasswordInbox> inbox_;                   ///< null: nothing was asked yet
  bool stopped_ = false;
};

}  // namespace headgate::gateway
