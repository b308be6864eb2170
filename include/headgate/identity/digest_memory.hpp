#pragma once
// Digests of short texts that come again and again, as API keys do: looking one up costs a tenth of making it.

#include "headgate/identity/sha256.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace headgate::identity {

/// Bounded: of the texts that fall into one row the latest stay, as many as a row has places. A text is known by all
/// its bytes, so none is ever taken for another; who aims at a row makes others' digests cost what they cost without
/// this. What it holds is as secret as the texts. One thread's.
class DigestMemory {
 public:
  static constexpr std::size_t kPlaces = 1024;
  static constexpr std::size_t kInRow = 4;
  static constexpr std::size_t kLongest = 63;  ///< bytes; of a longer text the digest is made each time

  DigestMemory();

  struct Known {
    Sha256 digest;        ///< sha256(text)
    DigestText readable;  ///< digest_text() of it
  };
  /// Of `text`. Valid until the next call.
  const Known& digest(std::string_view text);

 private:
  struct Place {
    std::uint8_t size = 0;  // 0: nothing is known here
    std::array<char, kLongest> text;
    Known known;
  };
  struct Row {
    std::array<std::uint32_t, kInRow> marks{};  // of the hash, so that other texts are not looked at
    std::uint32_t next = 0;                     // the place whose text goes next
    std::array<Place, kInRow> places;
  };
  std::unique_ptr<std::array<Row, kPlaces / kInRow>> rows_;
  Known passing_{};  // of a text that no place holds
};

}  // namespace headgate::identity
