#include "room_ticket.hpp"

#include "gateway/callers/forwarding_headers.hpp"
#include "gateway/limits/limit_key.hpp"

#include "headgate/http/named_values.hpp"
#include "headgate/identity/hmac.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace headgate::gateway {
namespace {

bool uses_tls(const Exchange& x) { return client_uses_tls(x, x.snapshot->compiled->identity().address_field); }

const std::string& cookie_name(const Exchange& x, const CompiledRoom& room) {
  return uses_tls(x) ? room.secure_cookie : room.cookie;
}

/// Returns the signature. The signature covers the room and the owner, but the ticket does not contain them, so it
/// reveals nothing about its owner.
std::string signature_of(const CompiledRoom& room, const CompiledRoom::Secret& secret, std::string_view text,
                         std::string_view owner) {
  std::string all("headgate waiting room 1\n");
  all.append(room.options.rule.name).append("\n").append(text).append("\n").append(owner);
  const auto digest = identity::hmac_sha256(secret.text, all);
  return identity::base64url({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

/// Forbids shared caches to store the answer, so that no other caller gets the ticket.
void keep_private(Exchange& x, http::Fields& fields) {
  http::Field* said = nullptr;
  for (auto& field : fields) {
    if (field.id != http::Known::cache_control) continue;
    if (http::lists(field.value, "private") || http::lists(field.value, "no-store")) return;
    if (said == nullptr) said = &field;
  }
  if (said == nullptr)
    fields.push_back({http::Known::cache_control, "Cache-Control", "private"});
  else
    said->value = said->value.empty() ? "private" : x.text.join({said->value, ", private"});
}

}  // namespace

std::string_view owner_of_ticket(Exchange& x, const CompiledRoom& room) {
  if (room.options.per.empty()) return {};
  const auto key = key_of(x, room.options.per);
  return key ? *key : x.text.join({"client_ip:", x.caller.ip_key});
}

std::optional<room::Ticket> presented_ticket(Exchange& x, const CompiledRoom& room, std::string_view owner) {
  auto found = http::field_of(x.request.fields, kTicketField);
  if (found.twice) return std::nullopt;
  if (found.value.empty()) {
    found = http::cookie_of(x.request.fields, cookie_name(x, room));
    if (found.twice || found.value.empty()) return std::nullopt;
    x.room.cookie = true;
  }
  const auto written = room::read_ticket(found.value);
  if (!written) return std::nullopt;
  const auto secret = std::find_if(room.secrets.begin(), room.secrets.end(),
                                   [&](const auto& each) { return each.name == written->secret; });
  if (secret == room.secrets.end()) return std::nullopt;
  const auto right = signature_of(room, *secret, written->text, owner);
  if (!identity::equal_in_constant_time(right, written->signature)) return std::nullopt;
  return written->ticket;
}

void give_ticket(Exchange& x, const CompiledRoom& room, std::string_view owner, const room::Ticket& ticket,
                 Duration keep) {
  const auto& secret = room.secrets.front();
  const auto text = room::ticket_text(ticket, secret.name);
  x.room.give = x.text.join({text, ".", signature_of(room, secret, text, owner)});
  x.room.keep = keep;
}

void append_ticket(Exchange& x, http::Fields& fields) {
  const auto& visit = x.room;
  if (!visit.cookie) {
    std::erase_if(fields, [](const http::Field& field) { return http::same_word(field.name, kTicketField); });
    fields.push_back({http::Known::unknown, kTicketField, visit.give});
  } else {
    const auto& room = *x.route->room;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(visit.keep).count();
    fields.push_back({http::Known::set_cookie, "Set-Cookie",
                      x.text.join({cookie_name(x, room), "=", visit.give,
                                   "; Path=/; Max-Age=", x.text.number(static_cast<std::uint64_t>(seconds)),
                                   "; HttpOnly; SameSite=Lax", uses_tls(x) ? "; Secure" : ""})});
  }
  keep_private(x, fields);
}

void drop_tickets(Exchange& x, const CompiledConfig& compiled, http::Fields& fields) {
  std::erase_if(fields, [](const http::Field& field) {
    return field.id == http::Known::unknown && http::same_variable(field.name, kTicketField);
  });
  for (auto& field : fields) {
    if (field.id != http::Known::cookie) continue;
    for (const auto& room : compiled.rooms()) {
      if (field.value.find(room->cookie) == field.value.npos) continue;
      for (const auto& name : {room->cookie, room->secure_cookie})
        field.value = x.text.join({http::without_cookie(field.value, name)});
    }
  }
  std::erase_if(fields,
                [](const http::Field& field) { return field.id == http::Known::cookie && field.value.empty(); });
}

}  // namespace headgate::gateway
