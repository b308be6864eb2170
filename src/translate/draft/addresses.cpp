#include "addresses.hpp"

#include "json.hpp"
#include "protect.hpp"
#include "translate/unreadable.hpp"

#include "headgate/identity/address_blocks.hpp"
#include "headgate/identity/network.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <variant>

namespace headgate::translate {
namespace {

using identity::Network;

/// Returns the block that the text describes. Other products read "10.1.2.3/8" as the block that contains this address,
/// so bits after the prefix are allowed.
std::optional<Network> block_of(const std::string& text) {
  if (auto read = identity::parse_network(text); read.has_value()) return *read;
  const auto slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  boost::system::error_code wrong;
  const auto address = boost::asio::ip::make_address(text.substr(0, slash), wrong);
  unsigned length = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + slash + 1, end, length);
  if (wrong || read.ptr != end || read.ec != std::errc() || length > (address.is_v4() ? 32U : 128U))
    return std::nullopt;
  const auto masked = identity::parse_network(identity::block_of(address, length));
  return masked.has_value() ? std::optional(*masked) : std::nullopt;
}

struct BlockRule {
  bool allow = false;
  Network block;
};

const std::array<Network, 2>& everything() {
  static const std::array<Network, 2> all{*identity::parse_network("0.0.0.0/0"), *identity::parse_network("::/0")};
  return all;
}

bool is_everything(const Network& block) {
  return std::find(everything().begin(), everything().end(), block) != everything().end();
}

/// Adds a rule, unless an earlier rule covers all of its addresses, so that the new one would never decide. In the
/// result no block contains a block of a later rule. So the smallest block with an address is also the first one that
/// matches.
void keep(std::vector<BlockRule>& kept, bool allow, const Network& block) {
  const auto before = [&](const BlockRule& each) { return identity::within(block, each.block); };
  if (std::none_of(kept.begin(), kept.end(), before)) kept.push_back({allow, block});
}

std::vector<std::string> texts_where(const std::vector<BlockRule>& kept, bool allow) {
  std::vector<std::string> out;
  for (const auto& each : kept)
    if (each.allow == allow) out.push_back(identity::to_text(each.block));
  return out;
}

/// Returns both halves of a block with more than one address.
template <class Block>
std::array<Network, 2> halves(const Block& block) {
  const auto length = block.prefix_length();
  const auto address = block.address();
  auto bytes = address.to_bytes();
  bytes[length / 8] |= static_cast<unsigned char>(0x80U >> (length % 8));
  return {Block(address, static_cast<unsigned short>(length + 1)),
          Block(decltype(address)(bytes), static_cast<unsigned short>(length + 1))};
}

/// Adds the blocks of `whole` that do not overlap `excepted`. Stops after one more than kMaxAddressRules in all.
void add_others(const Network& whole, const std::vector<Network>& excepted, std::vector<std::string>& out) {
  if (out.size() > kMaxAddressRules) return;
  std::vector<Network> inside;
  for (const auto& each : excepted) {
    if (identity::within(whole, each)) return;
    if (identity::within(each, whole)) inside.push_back(each);
  }
  if (inside.empty()) return out.push_back(identity::to_text(whole));
  for (const auto& half : std::visit([](const auto& block) { return halves(block); }, whole))
    add_others(half, inside, out);
}

}  // namespace

std::vector<std::string> all_addresses_but(const std::vector<std::string>& blocks) {
  std::vector<Network> excepted;
  for (const auto& each : blocks) {
    const auto block = block_of(each);
    if (!block) return {};
    excepted.push_back(*block);
  }
  std::vector<std::string> out;
  if (!blocks.empty())
    for (const auto& whole : everything()) add_others(whole, excepted, out);
  if (out.size() > kMaxAddressRules) out.clear();
  return out;
}

std::vector<AddressRule> address_rules(const std::vector<std::string>& allow, const std::vector<std::string>& deny,
                                       const Spot& spot) {
  std::vector<AddressRule> out;
  out.reserve(deny.size() + allow.size() + 1);
  for (const auto& each : deny) out.push_back({.allow = false, .block = each, .spot = spot});
  for (const auto& each : allow) out.push_back({.allow = true, .block = each, .spot = spot});
  if (!allow.empty()) out.push_back({.allow = false, .block = "all", .spot = spot});
  return out;
}

void set_addresses(const std::vector<AddressRule>& rules, DraftEntry& route) {
  if (rules.size() > kMaxAddressRules)
    throw Unreadable(rules.front().spot, "there are more than " + std::to_string(kMaxAddressRules) + " addresses");
  std::vector<BlockRule> kept;
  for (const auto& rule : rules) {
    if (rule.block == "all") {
      for (const auto& each : everything()) keep(kept, rule.allow, each);
      continue;
    }
    const auto block = block_of(rule.block);
    if (block) keep(kept, rule.allow, *block);
    if (!block) close_route(route, "addresses", rule.spot, rule.block, "write a block of addresses in \"addresses\"");
  }
  for (const auto& each : everything()) keep(kept, true, each);  // addresses without a rule are allowed
  const auto of_everything = [&](bool allow) {
    return std::count_if(kept.begin(), kept.end(),
                         [&](const BlockRule& each) { return each.allow == allow && is_everything(each.block); });
  };
  const auto erase = [&](bool allow) {
    std::erase_if(kept, [&](const BlockRule& each) { return each.allow == allow && is_everything(each.block); });
  };
  // Rules that say what headgate does anyway are left out. Without an "allow" every other address is allowed; with one
  // every other address is denied.
  const auto allowed = std::count_if(kept.begin(), kept.end(), [](const BlockRule& each) { return each.allow; });
  if (of_everything(true) == 2 && allowed == 2)
    erase(true);
  else if (of_everything(false) == 2 && allowed > 0)
    erase(false);
  std::vector<std::pair<std::string, std::string>> members;
  for (const bool allow : {true, false})
    if (const auto blocks = texts_where(kept, allow); !blocks.empty())
      members.emplace_back(allow ? "allow" : "deny", texts_of(blocks));
  if (!members.empty()) route.set("addresses", object_of(members));
}

}  // namespace headgate::translate
