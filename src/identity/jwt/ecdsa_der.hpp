#pragma once
// ECDSA signatures, from the form JOSE writes to the one OpenSSL reads.

#include <array>
#include <cstddef>
#include <string_view>

namespace headgate::identity {

/// The DER form (RFC 3279 section 2.2.3: a SEQUENCE of two INTEGERs) of a signature in JOSE's (RFC 7518 section 3.4: r
/// and s side by side, big-endian, each as long as the order of the curve). On the stack, as it lives for one check.
class EcdsaDer {
 public:
  static constexpr std::size_t kMostRaw = 132;  ///< P-521

  /// `raw`: of even size, at most kMostRaw. What r and s are is not looked at.
  explicit EcdsaDer(std::string_view raw) noexcept;
  std::string_view bytes() const noexcept { return {bytes_.data(), size_}; }

 private:
  void put(char byte) noexcept { bytes_[size_++] = byte; }
  void put_integer(std::string_view magnitude) noexcept;

  std::array<char, kMostRaw + 9> bytes_;  // a tag and a length for three, a zero before r and s, a long length
  std::size_t size_ = 0;
};

}  // namespace headgate::identity
