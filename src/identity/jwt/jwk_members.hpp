#pragma once
// The members of one JSON Web Key, read by name and kind.

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// Reads members of a JWK and keeps the first error, so that a caller can read all members and then check once for an
/// error. The JSON value must outlive the object.
class JwkMembers {
 public:
  /// `jwk` is any value; a value that is not an object is an error at once.
  explicit JwkMembers(const nlohmann::json& jwk);

  bool has(const char* name) const;
  /// Returns a string; empty if there is no such member, which is not an error.
  std::optional<std::string> text(const char* name);
  /// Returns a list of strings; empty if there is no such member, which is not an error.
  std::optional<std::vector<std::string>> texts(const char* name);
  /// Returns the decoded bytes of a required base64url member; "" if there is an error.
  std::string bytes(const char* name);
  /// Returns a required coordinate of exactly `size` bytes (RFC 7518 section 6.2.1.2, RFC 8037 section 2).
  std::string coordinate(const char* name, std::size_t size);
  /// Returns a required Base64urlUInt (RFC 7518 section 2), without leading zero bytes.
  std::string number(const char* name);

  /// Returns "" if all members that were read are valid; otherwise the error, a sentence without a final dot.
  const std::string& objection() const noexcept { return objection_; }

 private:
  const nlohmann::json* find(const char* name) const;
  void object(const char* name, const std::string& what);

  const nlohmann::json& jwk_;
  std::string objection_;
};

}  // namespace headgate::identity
