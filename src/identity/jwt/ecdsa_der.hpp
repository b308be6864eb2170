#pragma once
// Converts ECDSA signatures from JOSE's form to OpenSSL's form.

#include <array>
#include <cstddef>
#include <string_view>

namespace headgate::identity {

/// The DER form of a signature: a SEQUENCE of two INTEGERs (RFC 3279 section 2.2.3). It is made from JOSE's form: r and
/// s side by side, big-endian, each as long as the order of the curve (RFC 7518 section 3.4). Lives on the stack,
/// because only one check needs it.
class EcdsaDer {
 public:
  static constexpr std::size_t kMaxRaw = 132;  ///< P-521

  /// `raw` has an even size of at most kMaxRaw. The values of r and s are not checked.
  explicit EcdsaDer(std::string_view raw) noexcept;
  std::string_view bytes() const noexcept { return {bytes_.data(), size_}; }

 private:
  void put(char byte) noexcept { bytes_[size_++] = byte; }
  void put_integer(std::string_view magnitude) noexcept;

  // has room for the tags and lengths of three values, a zero byte before r and before s, and the long form of a length
  std::array<char, kMaxRaw + 9> bytes_;
  std::size_t size_ = 0;
};

}  // namespace headgate::identity
