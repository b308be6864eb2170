#pragma once
// A cache of SHA-256 digests for short texts that come again and again, such as API keys: a look-up costs a tenth of
// computing the digest. Used by gateway.

#include "headgate/identity/sha256.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace headgate::identity {

/// A bounded cache of digests. Each row keeps its kInRow latest texts. A text is compared completely, so none is ever
/// mistaken for another. If a client fills a row on purpose, the digests of other texts in this row are only as slow as
/// without the cache. The content of the cache is as secret as the texts. One thread.
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
    std::uint8_t size = 0;  // size of the text; 0 if the place is empty
    std::array<char, kLongest> text;
    Known known;
  };
  struct Row {
    std::array<std::uint32_t, kInRow> marks{};  // parts of the hashes, so that most other texts need not be compared
    std::uint32_t next = 0;                     // the place that is replaced next
    std::array<Place, kInRow> places;
  };
  std::unique_ptr<std::array<Row, kPlaces / kInRow>> rows_;
  Known passing_{};  // result for a text that the cache does not keep
};

}  // namespace headgate::identity
