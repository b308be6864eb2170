#pragma once
// Many address blocks, as lists of allowed and denied addresses have them: which is the smallest one that holds an
// address.

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

/// Sorted ranges: a look-up is a binary search, of 20 steps among a million blocks. Immutable; any thread.
class AddressBlocks {
 public:
  static constexpr int kNone = -1;

  AddressBlocks() = default;
  /// Takes time in proportion to n log n: a million blocks take about a second.
  explicit AddressBlocks(std::span<const Network> blocks);

  /// Returns how many there are; those that stand twice count once.
  std::size_t size() const noexcept { return size_; }
  /// The length in bits of the smallest block that holds `address`: up to 32 for IPv4, up to 128 for IPv6. kNone: no
  /// block does. IPv4-mapped IPv6 counts as IPv4, and no other IPv6 block, not even ::/0, holds an IPv4 address. Does
  /// not allocate.
  int smallest(const boost::asio::ip::address& address) const noexcept;

 private:
  /// From each start to the next one the smallest block has one length.
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

/// Why a file of addresses is not valid.
struct AddressFileError {
  std::size_t line = 1;   ///< 1-based
  std::string message{};  ///< a sentence without its dot
};

/// The maximum size of a file of addresses in bytes, and of its blocks.
inline constexpr std::size_t kLongestAddressFile = 64UL * 1024 * 1024;
inline constexpr std::size_t kMaxAddressesOfFile = 2'000'000;

/// Parses a file of addresses: a block or an address on each line, as parse_network() takes them; what follows '#' or
/// ';' is a comment, and lines may be empty. Any thread.
Result<std::vector<Network>, AddressFileError> read_addresses(std::string_view text);

/// Returns whether each address of `inner` is in `outer`. Both as parse_network() makes them.
bool within(const Network& inner, const Network& outer) noexcept;

}  // namespace headgate::identity
