#include "headgate/identity/secret_text.hpp"

#include <openssl/crypto.h>

#include <utility>

namespace headgate::identity {

SecretText::SecretText(std::string_view text) : bytes_(new char[text.size() + 1]), size_(text.size()) {
  text.copy(bytes_.get(), size_);
  bytes_[size_] = '\0';
}

SecretText::SecretText(SecretText&& other) noexcept
    : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}

SecretText& SecretText::operator=(SecretText&& other) noexcept {
  if (this == &other) return *this;
  wipe();
  bytes_ = std::move(other.bytes_);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

void SecretText::wipe() noexcept {
  if (bytes_) identity::wipe(bytes_.get(), size_);
}

void wipe(void* bytes, std::size_t size) noexcept { OPENSSL_cleanse(bytes, size); }

}  // namespace headgate::identity
