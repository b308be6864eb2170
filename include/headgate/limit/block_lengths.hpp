#pragma once
// The prefix lengths of some blocks of addresses. A search for the block of an address tries only blocks of these
// lengths. Used by BanTable.

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace headgate::limit {

/// The set of lengths. Any thread, without a lock. Lengths are only added: at most 33 for IPv4 and 129 for IPv6.
class BlockLengths {
 public:
  /// Adds the length of a block like "10.0.0.0/8" or "2001:db8::/32". Ignores any other text.
  void note(std::string_view block) noexcept;

  /// Calls `look` with each length of this address family, the longest first, until a call returns true. Returns
  /// whether one did.
  template <class Look>
  bool any_of(bool v4, Look look) const {
    const auto& words = v4 ? v4_ : v6_;
    for (auto word = words.size(); word-- > 0;) {
      auto bits = words[word].load(std::memory_order_relaxed);
      for (unsigned bit = 64; bits != 0 && bit-- > 0;) {
        if ((bits >> bit & 1) == 0) continue;
        bits &= ~(std::uint64_t{1} << bit);
        if (look(static_cast<unsigned>(word * 64) + bit)) return true;
      }
    }
    return false;
  }

 private:
  using Words = std::array<std::atomic<std::uint64_t>, 3>;  // one bit for each length
  Words v4_{};
  Words v6_{};
};

}  // namespace headgate::limit
