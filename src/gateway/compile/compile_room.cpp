#include "gateway/answers/room_page.hpp"

#include "headgate/gateway/waiting_room.hpp"
#include "headgate/identity/hmac.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

/// Eight letters of a digest: they tell secrets apart, and nothing else.
std::string name_of_secret(std::string_view secret) {
  const auto digest = identity::hmac_sha256(secret, "headgate: name of a waiting room's secret");
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < 4; ++i) {
    out.push_back(kDigits[digest[i] >> 4]);
    out.push_back(kDigits[digest[i] & 15]);
  }
  return out;
}

}  // namespace

CompiledRoom::CompiledRoom(const WaitingRoom& room, std::uint32_t instances)
    : options(room), alone(room.rule), stride(std::max<std::int64_t>(instances, 1)) {
  alone.name += " alone";  // no room of the configuration has a blank in its name
  alone.burst = std::max(alone.burst, stride);
  if (alone.visitors > 0)
    alone.visitors = std::max<std::uint64_t>(alone.visitors / static_cast<std::uint64_t>(stride), 1);
  for (const auto& secret : room.secrets) secrets.push_back({name_of_secret(secret), secret});
  cookie = "room-" + room.rule.name;
  secure_cookie = "__Host-" + cookie;
  prepare_page(*this);
}

}  // namespace headgate::gateway
