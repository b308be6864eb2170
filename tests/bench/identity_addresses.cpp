// The client's address, five hops back.
#include "identity_rows.hpp"

#include "headgate/identity/client_address.hpp"
#include "headgate/identity/network.hpp"

#include <random>
#include <stdexcept>

namespace headgate::bench {
namespace {

using identity::AddressField;
namespace ip = boost::asio::ip;

constexpr unsigned kHops = 5;
constexpr std::size_t kChains = 256;  // different ones, so that the processor learns none by heart

enum class Family { v4, v6 };

std::vector<identity::Network> trusted_networks() {
  std::vector<identity::Network> networks;
  for (const char* const text : {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fd00::/8"}) {
    const auto network = identity::parse_network(text);
    if (!network) throw std::runtime_error(network.error());
    networks.push_back(*network);
  }
  return networks;
}

/// Any address that begins with `first`, of the family that this is of; IPv6 mostly without a group to leave out.
std::string address_from(Family family, unsigned first, std::mt19937& random) {
  if (family == Family::v4) {
    ip::address_v4::bytes_type bytes;
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random());
    bytes[0] = static_cast<unsigned char>(first);
    return ip::address_v4(bytes).to_string();
  }
  ip::address_v6::bytes_type bytes;
  for (auto& byte : bytes) byte = static_cast<unsigned char>(random());
  bytes[0] = static_cast<unsigned char>(first);
  return ip::address_v6(bytes).to_string();
}

/// As each hop appends whom it got the request from: the client first, then four hops that are trusted.
std::string chain_of(AddressField field, Family family, std::mt19937& random) {
  const bool v4 = family == Family::v4;
  std::string chain;
  for (unsigned hop = 0; hop < kHops; ++hop) {
    const unsigned first = hop == 0 ? (v4 ? 203 : 0x20) : v4 ? 10 : 0xfd;
    const auto address = address_from(family, first, random);
    if (hop > 0) chain += ", ";
    if (field == AddressField::x_forwarded_for) {
      chain += address;
    } else {
      chain += "for=" + (v4 ? address : "\"[" + address + "]\"") + ";proto=https";
    }
  }
  return chain;
}

Contender walk(AddressField field, Family family) {
  std::mt19937 random(1);
  std::vector<std::string> chains(kChains);
  for (auto& chain : chains) chain = chain_of(field, family, random);
  const auto peer = ip::make_address(family == Family::v4 ? "10.0.0.1" : "fd00::1");
  return
      [=, chains = std::move(chains), trusted = trusted_networks(), turn = std::size_t{0}](std::size_t times) mutable {
        for (std::size_t i = 0; i < times; ++i) {
          const std::string_view value = chains[turn++ % kChains];
          const auto hops = identity::walk_hops(peer, field, {&value, 1}, trusted);
          if (hops.believed != kHops) throw std::runtime_error("a walk ended early");
          look_at(hops);
        }
      };
}

}  // namespace

Rows address_rows(const Rounds& rounds) {
  struct Case {
    const char* what;
    AddressField field;
    Family family;
    std::optional<double> most;
  };
  constexpr Case kCases[] = {
      {"X-Forwarded-For, five hops, IPv4", AddressField::x_forwarded_for, Family::v4, 300},
      {"X-Forwarded-For, five hops, IPv6", AddressField::x_forwarded_for, Family::v6, 300},
      {"Forwarded, five hops, IPv4", AddressField::forwarded, Family::v4, std::nullopt},
      {"Forwarded, five hops, IPv6", AddressField::forwarded, Family::v6, std::nullopt},
  };
  std::vector<Contender> contenders;
  contenders.reserve(std::size(kCases));
  for (const Case& each : kCases) contenders.push_back(walk(each.field, each.family));
  const auto costs = measure(contenders, rounds);
  Rows rows;
  rows.reserve(std::size(kCases));
  for (std::size_t i = 0; i < std::size(kCases); ++i) {
    const auto cost = spread(costs[i]);
    const auto most = kCases[i].most;
    rows.push_back({.what = kCases[i].what,
                    .target = most ? "<= " + number(*most, 0) + " ns" : "",
                    .result = nanoseconds(cost),
                    .reached = most ? std::optional(cost.middle <= *most) : std::nullopt});
  }
  return rows;
}

}  // namespace headgate::bench
