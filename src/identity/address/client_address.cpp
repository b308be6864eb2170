#include "headgate/identity/client_address.hpp"

#include "address_text.hpp"
#include "forwarded.hpp"
#include "forwarded_for.hpp"
#include "network_match.hpp"
#include "real_ip.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::identity {
namespace {

namespace ip = boost::asio::ip;

/// Calls `read` with the parser of the field. The parser returns the address of the nearest hop first.
template <class Read>
auto with_addresses(AddressField field, std::span<const std::string_view> fields, const Read& read) noexcept {
  if (field == AddressField::forwarded) return read(Forwarded(fields));
  if (field == AddressField::x_real_ip) return read(RealIp(fields));
  return read(ForwardedFor(fields));
}

}  // namespace

Hops walk_hops(const ip::address& peer, AddressField field, std::span<const std::string_view> fields,
               std::span<const Network> trusted) noexcept {
  return with_addresses(field, fields, [&](auto addresses) noexcept {
    auto client = bits_of(peer);
    unsigned believed = 0;
    while (believed < kMaxHops && contains(trusted, client)) {
      const auto told = addresses.next();
      if (!told) break;
      client = *told;
      ++believed;
    }
    return Hops{address_of(client), believed};
  });
}

std::span<const ip::address> believed_chain(const Hops& hops, const ip::address& peer, AddressField field,
                                            std::span<const std::string_view> fields, Chain& room) noexcept {
  return with_addresses(field, fields, [&](auto addresses) noexcept {
    auto first = room.end();
    *--first = unmapped(peer);
    for (unsigned hop = 0; hop < std::min(hops.believed, kMaxHops); ++hop) {
      const auto told = addresses.next();
      if (!told) break;
      *--first = address_of(*told);
    }
    return std::span<const ip::address>(first, room.end());
  });
}

OriginalRequest original_by_forwarded(const Hops& hops, std::span<const std::string_view> fields) noexcept {
  Forwarded elements(fields);
  for (unsigned hop = 0; hop < hops.believed; ++hop) {
    if (!elements.next()) return {};
  }
  return {elements.proto(), elements.host()};
}

std::string_view address_text(const ip::address& address, std::span<char> buffer) noexcept {
  if (buffer.size() < kMaxAddressText) return {};
  return {buffer.data(), write_address(unmapped(address), buffer)};
}

std::string_view client_ip_key(const ip::address& address, unsigned ipv6_prefix, std::span<char> buffer) noexcept {
  constexpr std::size_t kLongest = kMaxAddressText + 4;  // the longest suffix is "/128"
  if (buffer.size() < kLongest) return {};
  const auto plain = unmapped(address);
  if (plain.is_v4()) return {buffer.data(), write_address(plain, buffer)};
  const unsigned prefix = std::clamp(ipv6_prefix, 1U, 128U);
  std::size_t size = write_address(masked(plain.to_v6(), prefix), buffer);
  buffer[size++] = '/';
  char* const end = std::to_chars(buffer.data() + size, buffer.data() + buffer.size(), prefix).ptr;
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

}  // namespace headgate::identity
