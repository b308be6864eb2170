#include "way.hpp"

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
  switch (field) {
    case AddressField::forwarded:
      return "Forwarded";
    case AddressField::x_real_ip:
      return "X-Real-IP";
    case AddressField::x_forwarded_for:
      break;
  }
  return "X-Forwarded-For";
}

std::string_view text_of(Exchange& x, const address& one) {
  std::array<char, identity::kMostAddressText> buffer{};
  return x.text.join({identity::address_text(one, buffer)});
}

/// "203.0.113.9, 10.0.0.2"
std::string_view as_list(Exchange& x, std::span<const address> chain) {
  if (chain.size() == 1) return x.peer_text;
  std::string_view out;
  for (const auto& one : chain) {
    const auto text = text_of(x, one);
    out = out.empty() ? text : x.text.join({out, ", ", text});
  }
  return out;
}

/// RFC 7239 section 4: an IPv6 address is quoted and in brackets.
std::string_view as_elements(Exchange& x, std::span<const address> chain, std::string_view proto,
                             std::string_view host) {
  std::string_view out;
  for (const auto& one : chain) {
    const auto text = text_of(x, one);
    const auto node = one.is_v6() ? x.text.join({"for=\"[", text, "]\""}) : x.text.join({"for=", text});
    out = out.empty() ? node : x.text.join({out, ", ", node});
  }
  // What the last hop, which is this one's peer, asked for and how.
  const bool plain = host.find_first_of("\"\\") == host.npos;
  return plain ? x.text.join({out, ";host=\"", host, "\";proto=", proto}) : x.text.join({out, ";proto=", proto});
}

/// A trusted hop's word; ours where there is none.
std::string_view trusted_or(const Exchange& x, std::string_view name, std::string_view ours) noexcept {
  const auto given = x.caller.through_trusted ? http::value_of(x.request.fields, name) : std::string_view{};
  return given.empty() ? ours : given;
}

}  // namespace

std::span<const std::string_view> told_by_hops(const Exchange& x, AddressField field, ToldRoom& room) {
  std::size_t count = 0;
  for (const auto& each : x.request.fields) {
    if (!http::same_word(each.name, name_of(field))) continue;
    if (count == room.size()) std::move(room.begin() + 1, room.end(), room.begin()), --count;
    room[count++] = each.value;
  }
  return {room.data(), count};
}

bool tells_way(const Field& field) noexcept {
  if (field.id != Known::unknown) return field.id == Known::forwarded || field.id == Known::via;
  if (field.name.front() != 'X' && field.name.front() != 'x') return false;
  constexpr std::array<std::string_view, 5> kNames{"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host",
                                                   "X-Real-IP", "X-Request-Id"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return http::same_variable(field.name, name); });
}

void append_way(Exchange& x, AddressField field, Fields& out) {
  ToldRoom room;
  identity::Chain chain_room;
  const identity::Hops hops{x.caller.address, x.caller.hops};
  const auto told = hops.believed > 0 ? told_by_hops(x, field, room) : std::span<const std::string_view>();
  const auto chain = identity::believed_chain(hops, x.peer, field, told, chain_room);
  const auto proto = trusted_or(x, "X-Forwarded-Proto", x.client_tls ? "https" : "http");
  const auto host = trusted_or(x, "X-Forwarded-Host", x.request.authority);
  out.push_back({Known::unknown, "X-Forwarded-For", as_list(x, chain)});
  out.push_back({Known::unknown, "X-Forwarded-Proto", proto});
  out.push_back({Known::unknown, "X-Forwarded-Host", host});
  if (field == AddressField::forwarded)
    out.push_back({Known::forwarded, "Forwarded", as_elements(x, chain, x.client_tls ? "https" : "http", host)});
  if (field == AddressField::x_real_ip) out.push_back({Known::unknown, "X-Real-IP", text_of(x, x.caller.address)});
}

}  // namespace headgate::gateway
