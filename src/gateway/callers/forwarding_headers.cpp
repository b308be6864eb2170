#include "forwarding_headers.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/core/text.hpp"
#include "headgate/identity/client_address.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

using boost::asio::ip::address;
using http::Field;
using http::Fields;
using http::Known;
using identity::AddressField;

constexpr std::string_view name_of(AddressField field) noexcept {
  constexpr WordsUpTo<AddressField::x_real_ip> kWords({"X-Forwarded-For", "Forwarded", "X-Real-IP"});
  return kWords[field];
}

std::string_view text_of(Exchange& x, const address& one) {
  std::array<char, identity::kMaxAddressText> buffer{};
  return x.text.join({identity::address_text(one, buffer)});
}

/// Returns a list such as "203.0.113.9, 10.0.0.2".
std::string_view as_list(Exchange& x, std::span<const address> chain) {
  if (chain.size() == 1) return x.peer_text;
  std::string_view out;
  for (const auto& one : chain) {
    std::array<char, identity::kMaxAddressText> buffer{};
    const auto text = identity::address_text(one, buffer);
    out = x.text.extend(out, {out.empty() ? "" : ", ", text});
  }
  return out;
}

/// Returns the elements of a Forwarded field. An IPv6 address is in quotes and brackets (RFC 7239 section 4).
std::string_view as_elements(Exchange& x, std::span<const address> chain, std::string_view proto,
                             std::string_view host) {
  std::string_view out;
  for (const auto& one : chain) {
    std::array<char, identity::kMaxAddressText> buffer{};
    const auto text = identity::address_text(one, buffer);
    const std::string_view comma = out.empty() ? "" : ", ";
    out = one.is_v6() ? x.text.extend(out, {comma, "for=\"[", text, "]\""}) : x.text.extend(out, {comma, "for=", text});
  }
  // The host and the scheme belong to the last element: the peer has used them.
  const bool plain = !host.empty() && host.find_first_of("\"\\") == host.npos;
  return plain ? x.text.extend(out, {";host=\"", host, "\";proto=", proto}) : x.text.extend(out, {";proto=", proto});
}

bool is_scheme(std::string_view proto) noexcept { return proto == "http" || proto == "https"; }

/// Returns the member of X-Forwarded-Proto that the hop next to the client wrote. Hops append to the field or replace
/// it, so this is the member at position `believed` from the right, or the leftmost member if there are fewer. The
/// client may have written any member further to the left.
std::string_view scheme_in(std::string_view list, unsigned believed) noexcept {
  while (true) {
    const auto comma = list.rfind(',');
    if (comma == list.npos) return trimmed(list);
    if (believed <= 1) return trimmed(list.substr(comma + 1));
    list = list.substr(0, comma);
    --believed;
  }
}

/// Returns the host and scheme of the client's request, if trusted hops send them in the kind of field that the
/// configuration names. Fields of the other kind may come from the client.
identity::OriginalRequest original_request(const Exchange& x, AddressField field, const identity::Hops& hops,
                                           std::span<const std::string_view> told) noexcept {
  if (!x.caller.through_trusted) return {};
  if (field == AddressField::forwarded) return identity::original_by_forwarded(hops, told);
  return {scheme_in(http::value_of(x.request.fields, "X-Forwarded-Proto"), hops.believed),
          http::value_of(x.request.fields, "X-Forwarded-Host")};
}

void append(Exchange& x, AddressField field, std::span<const address> chain, const identity::OriginalRequest& asked,
            Fields& out) {
  const std::string_view ours = x.client_tls ? "https" : "http";
  const auto proto = is_scheme(asked.proto) ? asked.proto : ours;
  const auto host = asked.host.empty() ? x.request.authority : asked.host;
  out.push_back({Known::unknown, "X-Forwarded-For", as_list(x, chain)});
  out.push_back({Known::unknown, "X-Forwarded-Proto", proto});
  if (!host.empty()) out.push_back({Known::unknown, "X-Forwarded-Host", host});
  if (field == AddressField::forwarded)
    out.push_back({Known::forwarded, "Forwarded", as_elements(x, chain, proto, host)});
  if (field == AddressField::x_real_ip) out.push_back({Known::unknown, "X-Real-IP", text_of(x, x.caller.address)});
}

}  // namespace

std::span<const std::string_view> forwarding_values(const Exchange& x, AddressField field, ForwardingRoom& room) {
  auto first = room.end();
  const auto& fields = x.request.fields;
  for (auto each = fields.rbegin(); each != fields.rend() && first != room.begin(); ++each) {
    if (http::same_word(each->name, name_of(field))) *--first = each->value;
  }
  return {first, room.end()};
}

bool is_forwarding_header(const Field& field) noexcept {
  if (field.id != Known::unknown) return field.id == Known::forwarded || field.id == Known::via;
  if (field.name.front() != 'X' && field.name.front() != 'x') return false;
  constexpr std::array<std::string_view, 5> kNames{"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host",
                                                   "X-Real-IP", "X-Request-Id"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return http::same_variable(field.name, name); });
}

bool client_uses_tls(const Exchange& x, AddressField field) {
  if (x.client_tls || !x.caller.through_trusted) return x.client_tls;
  ForwardingRoom room;
  const auto told = forwarding_values(x, field, room);
  return original_request(x, field, {x.caller.address, x.caller.hops}, told).proto == "https";
}

ClientOrigin client_origin(const Exchange& x, AddressField field) {
  ForwardingRoom room;
  const auto told = x.caller.through_trusted ? forwarding_values(x, field, room) : std::span<const std::string_view>{};
  const auto asked = original_request(x, field, {x.caller.address, x.caller.hops}, told);
  const std::string_view ours = x.client_tls ? "https" : "http";
  return {.scheme = is_scheme(asked.proto) ? asked.proto : ours,
          .authority = asked.host.empty() ? x.request.authority : asked.host};
}

void append_forwarding_headers(Exchange& x, AddressField field, Fields& out) {
  const identity::Hops hops{x.caller.address, x.caller.hops};
  // Most requests come directly from their client and need no room for a chain.
  if (hops.believed == 0) return append(x, field, {&x.peer, 1}, original_request(x, field, hops, {}), out);
  ForwardingRoom room;
  identity::Chain chain_room;
  const auto told = forwarding_values(x, field, room);
  append(x, field, identity::believed_chain(hops, x.peer, field, told, chain_room),
         original_request(x, field, hops, told), out);
}

}  // namespace headgate::gateway
