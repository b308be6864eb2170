#pragma once
// The state that a request carries from one choice of a server to the next: its key, and the servers that it has tried.
// Used by upstream and the policies.

#include "headgate/balance/places.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace headgate::balance {

/// A set of servers by index in the table. Allocates only for an index of 128 or more.
class ServerSet {
 public:
  bool empty() const noexcept { return words_.empty(); }
  bool has(std::size_t at) const noexcept {
    const auto word = at / kBits;
    return word < words_.size() && ((words_[word] >> (at % kBits)) & 1U) != 0;
  }
  void add(std::size_t at) {
    const auto word = at / kBits;
    if (words_.size() <= word) words_.resize(word + 1, 0);
    words_[word] |= std::uint64_t{1} << (at % kBits);
  }
  void clear() noexcept { words_.clear(); }

 private:
  static constexpr std::size_t kBits = 64;
  boost::container::small_vector<std::uint64_t, 2> words_;
};

/// The choice state of one request, for all its attempts.
struct Choice {
  std::optional<std::uint64_t> key;  ///< requests with the same key go to the same server, if the policy uses keys
  ServerSet tried;                   ///< servers that are chosen again only if no other is left
  Place place;                       ///< the place at the next server, if servers have bounds; otherwise not held
  /// flag that becomes true when the request needs no server any more; null if there is none
  const bool* over = nullptr;
};

}  // namespace headgate::balance
