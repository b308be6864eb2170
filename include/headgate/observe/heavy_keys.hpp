#pragma once
// The most frequent keys of a stream in bounded memory. Used to find the callers that a limit rejects and allows most.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::observe {

/// A key and a lower bound of its occurrences. The upper bound is larger by HeavyList::missed.
struct HeavyKey {
  std::string key;
  std::uint64_t count = 0;
};

/// The content of one sketch, or of several merged ones. For every key count <= occurrences <= count + missed, where
/// count is 0 for keys that are not in the list. `missed` is at most `total` / HeavyKeys::kShare.
struct HeavyList {
  std::uint64_t total = 0;
  std::uint64_t missed = 0;
  std::vector<HeavyKey> keys;  ///< the keys, unordered

  /// Merges another list into this one. The bounds then hold for both streams together. Keeps at most
  /// HeavyKeys::kCounters keys.
  void merge(const HeavyList& other);
};

/// A sketch after "A High-Performance Algorithm for Identifying Frequent Items in Data Streams" (Anderson, Bevin, Lang,
/// Liberty, Rhodes and Thaler, 2017), a variant of Misra-Gries with fewer decrements. There are kCounters counters, one
/// for each key. When all are in use, the median is subtracted from all of them, which frees half. So one addition
/// takes constant time on average, whatever the keys are. With kCounters keys or fewer the counts are exact.
///
/// One thread. Uses about 6 KB, plus the memory of keys longer than 15 bytes.
class HeavyKeys {
 public:
  static constexpr std::size_t kCounters = 128;
  /// A key with more than 1/kShare of all additions is always in the list.
  static constexpr std::uint64_t kShare = kCounters / 2;

  /// Counts `times` more occurrences of `key`. `hash` is a keyed hash that identifies the key.
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

  std::array<std::uint8_t, kSlots> slots_{};  ///< index in counters_ plus one; 0 if empty
  std::array<Counted, kCounters> counters_;   ///< the first `used_` elements are in use
  std::size_t used_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t missed_ = 0;
};

}  // namespace headgate::observe
