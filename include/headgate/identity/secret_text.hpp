#pragma once
// Text that must not stay in memory, such as a password that is being checked. Used by gateway and basic_credentials.

#include <cstddef>
#include <memory>
#include <string_view>

namespace headgate::identity {

/// A string whose bytes are wiped when it is destroyed or replaced. Moving it leaves no copy behind. One thread at a
/// time.
class SecretText {
 public:
  SecretText() = default;
  explicit SecretText(std::string_view text);
  SecretText(SecretText&& other) noexcept;
  SecretText& operator=(SecretText&& other) noexcept;
  ~SecretText() { wipe(); }

  std::string_view view() const noexcept { return {c_str(), size_}; }
  /// Returns the text with a terminating NUL.
  const char* c_str() const noexcept { return bytes_ ? bytes_.get() : ""; }

 private:
  void wipe() noexcept;

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

/// Overwrites `size` bytes. The compiler does not remove the write, even if nothing reads the bytes afterwards.
void wipe(void* bytes, std::size_t size) noexcept;

}  // namespace headgate::identity
