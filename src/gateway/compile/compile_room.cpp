#include "gateway/answers/room_answer.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/gateway/waiting_room.hpp"
#include "headgate/identity/hmac.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

/// Returns eight characters of a digest, which are enough to distinguish secrets.
std::string name_of_secret(std::string_view secret) {
  const auto digest = identity::hmac_sha256(secret, "headgate: name of a waiting room's secret");
  return hex(std::span(digest).first(4));
}

CompiledRoom::Alone alone_among(room::RoomRule rule, std::uint32_t gateways) {
  rule.name += " alone";  // a configured room cannot have this name, because names of rooms contain no blank
  rule.burst = std::max(rule.burst, std::int64_t{gateways});
  if (rule.visitors > 0) rule.visitors = std::max<std::uint64_t>(rule.visitors / gateways, 1);
  return {std::move(rule), gateways};
}

}  // namespace

CompiledRoom::CompiledRoom(const WaitingRoom& room, const Sharers& sharers)
    : options(room),
      alone(sharers, [rule = room.rule](std::uint32_t gateways) { return alone_among(rule, gateways); }) {
  for (const auto& secret : room.secrets) secrets.push_back({name_of_secret(secret), secret});
  cookie = "room-" + room.rule.name;
  secure_cookie = "__Host-" + cookie;
  prepare_page(*this);
}

}  // namespace headgate::gateway
