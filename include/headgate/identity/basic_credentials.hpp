#pragma once
// Name and password as a request shows them in Authorization (RFC 7617), and whether they are right.

#include "headgate/core/hash.hpp"
#include "headgate/identity/secret_text.hpp"
#include "headgate/identity/sha256.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::identity {

/// The longest password that may be right; the longest of which libcrypt makes a hash.
inline constexpr std::size_t kLongestPassword = 511;
/// bcrypt looks at so many bytes of a password: what follows may be anything.
inline constexpr std::size_t kBytesOfBcrypt = 72;

struct BasicCredentials {
  std::string user;  ///< may be empty, and need not be UTF-8
  SecretText password;
};

enum class BasicForm : std::uint8_t {
  other,      ///< empty, or another scheme
  malformed,  ///< no base64, no ':', or a control character (RFC 7617 section 2)
  good
};

/// Reads the value of Authorization; sets `out` if it is good.
BasicForm read_basic(std::string_view value, BasicCredentials& out);

/// Returns whether `hash`, a hash of Users, is one of this password. Takes as long as the cost of the hash says: from a
/// millisecond to a second, so not for the thread of a loop. Any thread.
bool is_password(const SecretText& password, const std::string& hash);

/// Names pairs of a user and a password under which it is remembered whether they are right. The secret is drawn when
/// it is made, so a name tells nothing outside of the process. Any thread.
class PasswordNames {
 public:
  PasswordNames();
  ~PasswordNames();
  PasswordNames(const PasswordNames&) = delete;
  PasswordNames& operator=(const PasswordNames&) = delete;

  /// `known`: whether `hash` is the user's own; `address`: of whom shows it. Passwords that bcrypt cannot tell apart
  /// have one name.
  Hash name(std::string_view user, std::string_view hash, bool known, std::string_view address,
            std::string_view password) const;

 private:
  Sha256 secret_{};
};

}  // namespace headgate::identity
