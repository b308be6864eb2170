#include "headgate/identity/address_blocks.hpp"

#include "address_bits.hpp"
#include "address_file.hpp"

#include "headgate/core/text.hpp"
#include "headgate/identity/client_address.hpp"
#include "headgate/identity/network.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <variant>

namespace headgate::identity {
namespace {

namespace ip = boost::asio::ip;
using Sixteen = std::pair<std::uint64_t, std::uint64_t>;

template <class Number>
struct Block {
  Number first{};
  Number last{};
  std::int16_t length = 0;
  auto operator<=>(const Block&) const = default;  // a block sorts before the blocks within it, which are longer
};

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

/// Returns a number with the first `length` of its 64 bits cleared and all others set.
std::uint64_t behind(unsigned length) noexcept { return length >= 64 ? 0 : kAll >> length; }

Block<std::uint32_t> block_of(const ip::network_v4& network) noexcept {
  const std::uint32_t first = network.network().to_uint();
  const auto length = network.prefix_length();
  return {first, static_cast<std::uint32_t>(first | behind(32U + length)), static_cast<std::int16_t>(length)};
}

Block<Sixteen> block_of(const ip::network_v6& network) noexcept {
  const auto bits = bits_of(network.address());
  const unsigned length = network.prefix_length();
  const Sixteen last{bits.high | behind(length), bits.low | behind(length < 64 ? 0 : length - 64)};
  return {{bits.high, bits.low}, last, static_cast<std::int16_t>(length)};
}

/// Returns the number after `number`; empty for the last number.
std::optional<std::uint32_t> next(std::uint32_t number) noexcept {
  return number == std::numeric_limits<std::uint32_t>::max() ? std::nullopt : std::optional(number + 1);
}
std::optional<Sixteen> next(const Sixteen& number) noexcept {
  if (number.second != kAll) return Sixteen{number.first, number.second + 1};
  return number.first == kAll ? std::nullopt : std::optional(Sixteen{number.first + 1, 0});
}

/// Iterates over the blocks in order. Its stack has the blocks that contain the current position; the smallest block is
/// on top.
template <class Ranges, class Number>
class Walk {
 public:
  explicit Walk(Ranges& out) : out_(out) {}

  void run(const std::vector<Block<Number>>& blocks) {
    for (const auto& each : blocks) {
      end_before(each.first);
      open_.push_back(each);
      put(each.first, each.length);
    }
    while (!open_.empty()) end_last();
  }

 private:
  void end_before(const Number& place) {
    while (!open_.empty() && open_.back().last < place) end_last();
  }
  void end_last() {
    const auto last = open_.back().last;
    open_.pop_back();
    const auto after = next(last);
    if (after) put(*after, open_.empty() ? std::int16_t{AddressBlocks::kNone} : open_.back().length);
  }
  void put(const Number& start, std::int16_t length) {
    if (!out_.starts.empty() && out_.starts.back() == start) {
      out_.starts.pop_back();
      out_.lengths.pop_back();
    }
    const auto before = out_.lengths.empty() ? std::int16_t{AddressBlocks::kNone} : out_.lengths.back();
    if (before == length) return;
    out_.starts.push_back(start);
    out_.lengths.push_back(length);
  }

  Ranges& out_;
  std::vector<Block<Number>> open_;
};

template <class Ranges, class Number>
std::size_t build(std::vector<Block<Number>> blocks, Ranges& out) {
  std::sort(blocks.begin(), blocks.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : a.length < b.length; });
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  Walk<Ranges, Number>(out).run(blocks);
  out.starts.shrink_to_fit();
  out.lengths.shrink_to_fit();
  return blocks.size();
}

template <class Ranges, class Number>
int find(const Ranges& ranges, const Number& address) noexcept {
  auto left = ranges.starts.size();
  if (left == 0) return AddressBlocks::kNone;
  // Finds the last start that is not after the address. The search has no branches that depend on the address, because
  // the processor could not predict them.
  const Number* at = ranges.starts.data();
  while (left > 1) {
    const auto half = left / 2;
    at = at[half] <= address ? at + half : at;
    left -= half;
  }
  return *at <= address ? ranges.lengths[static_cast<std::size_t>(at - ranges.starts.data())] : AddressBlocks::kNone;
}

}  // namespace

AddressBlocks::AddressBlocks(std::span<const Network> blocks) {
  std::vector<Block<std::uint32_t>> v4;
  std::vector<Block<Sixteen>> v6;
  for (const auto& each : blocks) {
    if (const auto* const four = std::get_if<ip::network_v4>(&each))
      v4.push_back(block_of(*four));
    else
      v6.push_back(block_of(std::get<ip::network_v6>(each)));
  }
  size_ = build(std::move(v4), v4_) + build(std::move(v6), v6_);
}

int AddressBlocks::smallest(const ip::address& address) const noexcept {
  const auto bits = bits_of(address);
  return bits.is_v4() ? find(v4_, static_cast<std::uint32_t>(bits.low)) : find(v6_, Sixteen{bits.high, bits.low});
}

Result<std::vector<Network>, AddressFileError> read_addresses(std::string_view text) {
  return read_addresses(text, kMaxAddressesOfFile);
}

Result<std::vector<Network>, AddressFileError> read_addresses(std::string_view text, std::size_t most) {
  std::vector<Network> out;
  if (text.size() > kLongestAddressFile)
    return AddressFileError{1, "the file is larger than " + std::to_string(kLongestAddressFile >> 20) + " MiB"};
  for (std::size_t line = 1; !text.empty(); ++line) {
    const auto end = text.find('\n');
    auto one = text.substr(0, end);
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    if (one.ends_with('\r')) one.remove_suffix(1);
    one = trimmed(one.substr(0, one.find_first_of("#;")));
    if (one.empty()) continue;
    auto block = parse_network(one);
    if (block.has_error()) return AddressFileError{line, std::move(block.error())};
    if (out.size() == most) return AddressFileError{line, "there are more than " + std::to_string(most) + " blocks"};
    out.push_back(*block);
  }
  return Result<std::vector<Network>, AddressFileError>(boost::system::in_place_value, std::move(out));
}

bool within(const Network& inner, const Network& outer) noexcept {
  const auto first = std::visit([](const auto& block) { return ip::address(block.address()); }, inner);
  const auto length = [](const Network& of) {
    return std::visit([](const auto& block) { return static_cast<unsigned>(block.prefix_length()); }, of);
  };
  return inner.index() == outer.index() && length(outer) <= length(inner) && contains({&outer, 1}, first);
}

}  // namespace headgate::identity
