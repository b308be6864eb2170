#pragma once
// The users for basic authentication, from a file in htpasswd format: a name and the bcrypt hash of a password on each
// line. Used by config and gateway.

#include "headgate/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// Maximum size of a file of users in bytes, maximum number of lines with a user, and maximum length of a name in
/// bytes.
inline constexpr std::size_t kLongestUserFile = 8UL * 1024 * 1024;
inline constexpr std::size_t kMaxUsers = 50'000;
inline constexpr std::size_t kLongestUser = 255;
/// Range of the cost of a hash. Each step doubles the time of a check; at 14 a check takes about a second.
inline constexpr unsigned kMinBcryptCost = 4;
inline constexpr unsigned kMaxBcryptCost = 14;

struct User {
  std::string name;  ///< UTF-8 without control characters and ':'
  std::string hash;  ///< "$2y$10$…", 60 bytes
};

/// A set of users. Immutable; any thread.
class Users {
 public:
  Users() = default;
  /// Creates a set. Each name must occur only once.
  explicit Users(std::vector<User> users);

  /// Returns the hash of this user's password; null if there is no such user.
  const std::string* hash_of(std::string_view name) const noexcept;
  /// Returns a hash to compare the password of an unknown user with, so that the time does not reveal which users
  /// exist. The hash belongs to one of the users, and is always the same for one `number`. Null if there are no users.
  const std::string* instead(std::uint64_t number) const noexcept;
  std::size_t size() const noexcept { return users_.size(); }

 private:
  std::vector<User> users_;  // the users, sorted by name
};

/// The error in a file of users. Contains no password and no hash.
struct UserFileError {
  std::size_t line = 1;   ///< line, counted from 1
  std::string message{};  ///< reason, a sentence without a full stop
  std::string help{};     ///< advice how to fix the mistake; may be empty
};

/// Parses a file of users: "name:hash" on each line, or "name:hash:comment"; lines that are empty or begin with '#' are
/// ignored. A hash other than bcrypt is refused with the name of its format. Any thread.
Result<Users, UserFileError> read_users(std::string_view text);

}  // namespace headgate::identity
