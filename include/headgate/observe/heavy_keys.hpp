#pragma once
// The keys that come most often in a stream, from bounded memory: which callers a limit rejects, and which it allows.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::observe {

/// One key of a list, and how often it came: at least so often, and at most HeavyList::missed times more.
struct HeavyKey {
  std::string key;
  std::uint64_t count = 0;
};

/// What a sketch knows, or several together. For every key, also one that is not in the list (count 0):
/// count <= how often it came <= count + missed. And `missed` is at most `total` / HeavyKeys::kShare.
struct HeavyList {
  std::uint64_t total = 0;
  std::uint64_t missed = 0;
  std::vector<HeavyKey> keys;  ///< in no order

  /// Adds another list. The bounds hold for both streams together, and no more than HeavyKeys::kCounters keys stay.
  void merge(const HeavyList& other);
};

/// A sketch after "A High-Performance Algorithm for Identifying Frequent Items in Data Streams" (Anderson, Bevin, Lang,
/// Liberty, Rhodes and Thaler, 2017), which is Misra and Gries's with fewer decrements: so many counters, one for each
/// key, and when all are in use the median is taken from all of them, which frees half. So one addition takes
/// constant time on average, whatever the keys are. With kCounters keys or fewer it is exact.
///
/// One thread. About 6 KB, and what its keys are longer than 15 bytes.
class HeavyKeys {
 public:
  static constexpr std::size_t kCounters = 128;
  /// Every key with more than one of so many of all additions is in the list.
  static constexpr std::uint64_t kShare = kCounters / 2;

  /// `key` came `times` more times. `hash` is keyed, the same whenever this key comes, and tells it from all others.
  void add(std::uint64_t hash, std::string_view key, std::uint32_t times = 1);
  HeavyList list() const;

 private:
  static constexpr std::size_t kSlots = 256;
  struct Counted {
    std::uint64_t hash = 0;
    std::uint64_t count = 0;
    std::string key;
  };

  std::size_t slot_of(std::uint64_t hash) const noexcept;
  void make_room();

  std::array<std::uint8_t, kSlots> slots_{};  ///< an index of counters_ plus one; 0: empty
  std::array<Counted, kCounters> counters_;   ///< the first `used_` are in use
  std::size_t used_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t missed_ = 0;
};

}  // namespace headgate::observe
