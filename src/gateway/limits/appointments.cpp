#include "appointments.hpp"

#include "headgate/identity/hmac.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

constexpr std::size_t kSignatureBytes = 16;

std::string signature(std::string_view text, const AppointmentOf& of, std::string_view key) {
  std::string all(text);
  for (const auto part : {of.limit, of.tier, of.key}) all.append(1, '\0').append(part);
  const auto mac = identity::hmac_sha256(key, all);
  return identity::base64url({reinterpret_cast<const char*>(mac.data()), kSignatureBytes});
}

}  // namespace

std::string sign(const limit::Appointment& appointment, const AppointmentOf& of, std::span<const std::string> keys) {
  const auto text = limit::to_text(appointment);
  return text + '.' + signature(text, of, keys.front());
}

std::optional<limit::Appointment> read_signed(std::string_view text, const AppointmentOf& of,
                                              std::span<const std::string> keys) {
  text = text.substr(0, text.find(';'));
  const auto dot = text.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto said = text.substr(0, dot);
  const bool good = std::ranges::any_of(keys, [&](const auto& key) {
    return identity::equal_in_constant_time(text.substr(dot + 1), signature(said, of, key));
  });
  return good ? limit::parse_appointment(said) : std::nullopt;
}

}  // namespace headgate::gateway
