#pragma once
// What one request carries from one choice of a server to the next: its key, and the servers that it has tried.

#include "headgate/balance/places.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace headgate::balance {

/// A set of servers by their index in the table. Allocates only for an index from 128 on.
class Tried {
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

/// Of one request, for all its attempts.
struct Choice {
  std::optional<std::uint64_t> key;  ///< requests with one key go to one server, if the policy asks for it
  Tried tried;                       ///< servers that are not chosen again while another one is left
  Place place;                       ///< at the server to use next, where servers have only so many; else not held
  const bool* over = nullptr;        ///< if it points to true, nobody needs a server any more
};

}  // namespace headgate::balance
