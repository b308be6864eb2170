#pragma once
// The members of one JSON Web Key, read by name and kind.

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// Reads members of a JWK and keeps the first objection, so that a caller reads all it needs and asks once. Refers to
/// the JSON it reads.
class JwkMembers {
 public:
  /// `jwk`: any value; what is not an object has an objection at once.
  explicit JwkMembers(const nlohmann::json& jwk);

  bool has(const char* name) const;
  /// A string; nothing, and no objection, where there is no such member.
  std::optional<std::string> text(const char* name);
  /// A list of strings, as above.
  std::optional<std::vector<std::string>> texts(const char* name);
  /// The bytes that a required member's base64url stands for; "" with an objection.
  std::string bytes(const char* name);
  /// A required coordinate: exactly so many bytes (RFC 7518 section 6.2.1.2, RFC 8037 section 2).
  std::string coordinate(const char* name, std::size_t size);
  /// A required Base64urlUInt (RFC 7518 section 2): as few bytes as the number needs.
  std::string number(const char* name);

  /// "" where all that was read kept the rules; else a sentence without a final dot.
  const std::string& objection() const noexcept { return objection_; }

 private:
  const nlohmann::json* find(const char* name) const;
  void object(const char* name, const std::string& what);

  const nlohmann::json& jwk_;
  std::string objection_;
};

}  // namespace headgate::identity
