#include "jwk_members.hpp"

#include "base64url.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headgate::identity {

using Json = nlohmann::json;

JwkMembers::JwkMembers(const Json& jwk) : jwk_(jwk) {
  if (!jwk.is_object()) objection_ = "it is not an object";
}

const Json* JwkMembers::find(const char* name) const {
  const auto found = jwk_.find(name);
  return found == jwk_.end() ? nullptr : &*found;
}

void JwkMembers::object(const char* name, const std::string& what) {
  if (objection_.empty()) objection_ = "its \"" + std::string(name) + "\" " + what;
}

bool JwkMembers::has(const char* name) const { return find(name) != nullptr; }

std::optional<std::string> JwkMembers::text(const char* name) {
  const Json* value = find(name);
  if (!value) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  object(name, "is not a string");
  return std::nullopt;
}

std::optional<std::vector<std::string>> JwkMembers::texts(const char* name) {
  const Json* value = find(name);
  if (!value) return std::nullopt;
  const bool strings =
      value->is_array() && std::all_of(value->begin(), value->end(), [](const Json& each) { return each.is_string(); });
  if (strings) return value->get<std::vector<std::string>>();
  object(name, "is not a list of strings");
  return std::nullopt;
}

std::string JwkMembers::bytes(const char* name) {
  const auto encoded = text(name);
  if (!encoded) {
    object(name, "is missing");
    return {};
  }
  std::string buffer(decoded_size(encoded->size()), '\0');
  const auto decoded = decode_base64url(*encoded, buffer);
  if (!decoded) object(name, "is not base64url as RFC 7515 writes it, without padding");
  return decoded ? buffer : std::string();
}

std::string JwkMembers::coordinate(const char* name, std::size_t size) {
  auto out = bytes(name);
  if (objection_.empty() && out.size() != size) {
    object(name, "has " + std::to_string(out.size()) + " bytes; on this curve it has " + std::to_string(size));
  }
  return out;
}

std::string JwkMembers::number(const char* name) {
  auto out = bytes(name);
  if (objection_.empty() && (out.empty() || out.front() == '\0')) {
    object(name, "is not a number without leading zero bytes; remove these");
  }
  return out;
}

}  // namespace headgate::identity
