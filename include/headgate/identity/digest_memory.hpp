#pragma once
// A cache of SHA-256 digests for short texts that come again and again, such as API keys: a look-up costs a tenth of
// the digest. Used by gateway.

#include "headgate/identity/sha256.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace headgate::identity {

/// The cache. Bounded: each row keeps the latest texts, as many as it has places. A text is compared completely, so
/// none is ever taken for another; a client that aims at a row only makes others' digests as slow as without the cache.
/// Its content is as secret as the texts. One thread.
class DigestMemory {
 public:
  static constexpr std::size_t kPlaces = 1024;
  static constexpr std::size_t kInRow = 4;
  /// maximum length in bytes; the digest of a longer text is computed each time
  static constexpr std::size_t kLongest = 63;

  DigestMemory();

  struct Known {
    Sha256 digest;        ///< sha256(text)
    DigestText readable;  ///< digest_text(digest)
  };
  /// Returns the digest of `text`. Valid until the next call.
  const Known& digest(std::string_view text);

 private:
  struct Place {
    std::uint8_t size = 0;  // 0 if the place is empty
    std::array<char, kLongest> text;
    Known known;
  };
  struct Row {
    std::array<std::uint32_t, kInRow> marks{};  // parts of the hashes, so that other texts need not be compared
    std::uint32_t next = 0;                     // the place that is replaced next
    std::array<Place, kInRow> places;
  };
  std::unique_ptr<std::array<Row, kPlaces / kInRow>> rows_;
  Known passing_{};  // result for a text that is not kept
};

}  // namespace headgate::identity
