#pragma once
// The users that basic authentication knows, as a file for htpasswd lists them: a name and the bcrypt hash of a
// password on each line.

#include "headgate/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// The maximum size of a file of users in bytes, of its lines that name one, and of a name in bytes.
inline constexpr std::size_t kLongestUserFile = 8UL * 1024 * 1024;
inline constexpr std::size_t kMaxUsers = 50'000;
inline constexpr std::size_t kLongestUser = 255;
/// A check takes twice as long for each step: at 14 about a second.
inline constexpr unsigned kMinBcryptCost = 4;
inline constexpr unsigned kMaxBcryptCost = 14;

struct User {
  std::string name;  ///< UTF-8 without control characters and ':'
  std::string hash;  ///< "$2y$10$…", 60 bytes
};

/// Immutable; any thread.
class Users {
 public:
  Users() = default;
  /// Each name once.
  explicit Users(std::vector<User> users);

  /// Null if nobody is called so.
  const std::string* hash_of(std::string_view name) const noexcept;
  /// What a password of an unknown user is compared with, so that the time tells nobody who is known: the hash of one
  /// of the users, for one `number` always the same one. Null if there are none.
  const std::string* instead(std::uint64_t number) const noexcept;
  std::size_t size() const noexcept { return users_.size(); }

 private:
  std::vector<User> users_;  // by name
};

/// Why a file of users is not valid. Says no password and no hash.
struct UserFileError {
  std::size_t line = 1;   ///< 1-based
  std::string message{};  ///< a sentence without its dot
  std::string help{};     ///< may be empty
};

/// Parses a file of users: "name:hash" on each line, or "name:hash:comment"; lines that are empty or begin with '#' say
/// nothing. A hash that is not bcrypt's is refused by the name of its format. Any thread.
Result<Users, UserFileError> read_users(std::string_view text);

}  // namespace headgate::identity
