#pragma once
// Text that must not stay in memory: a password on its way to being checked.

#include <cstddef>
#include <memory>
#include <string_view>

namespace headgate::identity {

/// Its bytes are wiped when it ends or is replaced, and moving it leaves no copy behind. One thread at a time.
class SecretText {
 public:
  SecretText() = default;
  explicit SecretText(std::string_view text);
  SecretText(SecretText&& other) noexcept;
  SecretText& operator=(SecretText&& other) noexcept;
  ~SecretText() { wipe(); }

  std::string_view view() const noexcept { return {c_str(), size_}; }
  /// Ends with a NUL.
  const char* c_str() const noexcept { return bytes_ ? bytes_.get() : ""; }

 private:
  void wipe() noexcept;

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

/// Overwrites `size` bytes, also where a compiler sees that nobody reads them any more.
void wipe(void* bytes, std::size_t size) noexcept;

}  // namespace headgate::identity
