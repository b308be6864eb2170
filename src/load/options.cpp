#include "headgate/load/options.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/fields.hpp"

#include <algorithm>
#include <array>

namespace headgate::load {
namespace {

namespace ip = boost::asio::ip;

struct Block {
  std::uint32_t first;
  unsigned bits;
};
constexpr std::array<Block, 6> kNear{{{0x7F000000, 8},     // 127.0.0.0/8
                                      {0x00000000, 32},    // 0.0.0.0, which also reaches this machine
                                      {0x0A000000, 8},     // 10.0.0.0/8
                                      {0xAC100000, 12},    // 172.16.0.0/12
                                      {0xC0A80000, 16},    // 192.168.0.0/16
                                      {0xA9FE0000, 16}}};  // 169.254.0.0/16

}  // namespace

bool is_near(const ip::address& address) {
  if (address.is_v6()) {
    const auto v6 = address.to_v6();
    if (v6.is_v4_mapped()) return is_near(ip::make_address_v4(ip::v4_mapped, v6));
    const auto unique_local = (v6.to_bytes()[0] & 0xFEU) == 0xFCU;
    return v6.is_loopback() || v6.is_unspecified() || v6.is_link_local() || unique_local;
  }
  const auto number = address.to_v4().to_uint();
  return std::any_of(kNear.begin(), kNear.end(),
                     [number](const Block& each) { return ((number ^ each.first) >> (32 - each.bits)) == 0; });
}

Result<void, std::string> read_field(std::string_view text) {
  const auto wrong = [](const char* why) { return Result<void, std::string>(boost::system::in_place_error, why); };
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  if (colon == std::string_view::npos || !http::is_token(name)) return wrong("a field is written \"Name: value\"");
  const auto plain = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; };
  if (!std::all_of(text.begin(), text.end(), plain)) return wrong("a field has no control characters");
  for (const std::string_view own : {"Connection", "Content-Length", "Transfer-Encoding", "TE", "Upgrade", "Expect"})
    if (same_word(name, own))
      return wrong("headgate load frames requests itself, so this field cannot be set; leave it out");
  return {};
}

std::string address_of(std::uint32_t caller) {
  constexpr std::uint32_t kFirst = 0xC6120000;  // 198.18.0.0
  return ip::address_v4(kFirst + caller % (1U << 17U)).to_string();
}

}  // namespace headgate::load
