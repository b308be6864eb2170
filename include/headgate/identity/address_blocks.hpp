#pragma once
// Sets of many address blocks, such as lists of allowed and denied addresses. A set finds the smallest of its blocks
// that contains an address. Used by config and gateway.

#include "headgate/core/result.hpp"
#include "headgate/identity/options.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::identity {

/// A set as sorted ranges: a look-up is a binary search, of 20 steps among a million blocks. Immutable; any thread.
class AddressBlocks {
 public:
  static constexpr int kNone = -1;

  AddressBlocks() = default;
  /// Takes time in proportion to n log n: a million blocks take about a second.
  explicit AddressBlocks(std::span<const Network> blocks);

  /// Returns the number of different blocks.
  std::size_t size() const noexcept { return size_; }
  /// Returns the length in bits of the smallest block that contains `address`: up to 32 for IPv4, up to 128 for IPv6;
  /// kNone if no block contains it. An IPv4-mapped IPv6 address counts as IPv4, and no other IPv6 block, not even ::/0,
  /// contains an IPv4 address. Does not allocate.
  int smallest(const boost::asio::ip::address& address) const noexcept;

 private:
  /// Ranges of addresses, each from one start to the next. Within a range, the length of the smallest block is
  /// constant.
  template <class Number>
  struct Ranges {
    std::vector<Number> starts;
    std::vector<std::int16_t> lengths;
  };
  using Sixteen = std::pair<std::uint64_t, std::uint64_t>;  // an IPv6 address

  Ranges<std::uint32_t> v4_;
  Ranges<Sixteen> v6_;
  std::size_t size_ = 0;
};

/// The reason why a file of addresses is not valid.
struct AddressFileError {
  std::size_t line = 1;   ///< line, counted from 1
  std::string message{};  ///< reason, a sentence without a full stop
};

/// Maximum size of a file of addresses in bytes, and maximum number of its blocks.
inline constexpr std::size_t kLongestAddressFile = 64UL * 1024 * 1024;
inline constexpr std::size_t kMaxAddressesOfFile = 2'000'000;

/// Parses a file of addresses: a block or an address on each line, as for parse_network(); the text after '#' or ';' is
/// a comment, and lines may be empty. Any thread.
Result<std::vector<Network>, AddressFileError> read_addresses(std::string_view text);

/// Returns whether `outer` contains each address of `inner`. Both must come from parse_network().
bool within(const Network& inner, const Network& outer) noexcept;

}  // namespace headgate::identity
