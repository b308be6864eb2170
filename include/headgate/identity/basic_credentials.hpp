#pragma once
// Reads name and password from a request's Authorization field (RFC 7617), and checks the password. Used by gateway.

#include "headgate/core/hash.hpp"
#include "headgate/identity/secret_text.hpp"
#include "headgate/identity/sha256.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::identity {

/// Maximum length of a valid password: the longest that libcrypt can hash.
inline constexpr std::size_t kLongestPassword = 511;
/// Number of bytes of a password that bcrypt uses; it ignores the rest.
inline constexpr std::size_t kBytesOfBcrypt = 72;

struct BasicCredentials {
  std::string user;  ///< may be empty, and need not be UTF-8
  SecretText password;
};

enum class BasicForm : std::uint8_t {
  other,      ///< no credentials, or those of another scheme
  malformed,  ///< no base64, no ':', or a control character (RFC 7617 section 2)
  good
};

/// Parses the value of Authorization; sets `out` if the value is well-formed Basic.
BasicForm read_basic(std::string_view value, BasicCredentials& out);

/// Returns whether `hash`, which comes from Users, is a hash of this password. The cost of the hash decides the time:
/// from a millisecond to a second, so never call it on the thread of a loop. Any thread.
bool is_password(const SecretText& password, const std::string& hash);

/// Makes names for pairs of user and password. The results of checks are remembered under these names. The secret is
/// drawn at construction, so a name is meaningless outside the process. Any thread.
class PasswordNames {
 public:
  PasswordNames();
  ~PasswordNames();
  PasswordNames(const PasswordNames&) = delete;
  PasswordNames& operator=(const PasswordNames&) = delete;

  /// Returns the name. `known` tells whether `hash` is the user's own; `address` is that of the client. Passwords that
  /// bcrypt cannot tell apart have the same name.
  Hash name(std::string_view user, std::string_view hash, bool known, std::string_view address,
            std::string_view password) const;

 private:
  Sha256 secret_{};
};

}  // namespace headgate::identity
