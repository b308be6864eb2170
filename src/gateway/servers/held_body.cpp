#include "held_body.hpp"

#include <algorithm>

namespace headgate::gateway {

HeldBody::~HeldBody() {
  if (lent_ != nullptr) lent_->add(-static_cast<std::int64_t>(counted_));
}

void HeldBody::count() noexcept {
  if (lent_ != nullptr) lent_->add(static_cast<std::int64_t>(bytes_.capacity()) - static_cast<std::int64_t>(counted_));
  counted_ = bytes_.capacity();
}

bool HeldBody::insert_behind(char behind, std::string_view text) {
  const auto at = bytes_.find(behind);
  if (at == std::string::npos) return false;
  replace(at + 1, 0, text);
  return true;
}

void HeldBody::replace(std::size_t at, std::size_t size, std::string_view text) {
  bytes_.replace(at, size, text);
  if (bytes_.capacity() != counted_) count();
}

/// Appends bytes. Doubles the memory when it is too small, up to the maximum size of the body.
void HeldBody::append(std::string_view bytes) {
  const auto size = bytes_.size() + bytes.size();
  if (size > bytes_.capacity()) bytes_.reserve(std::max(size, std::min(2 * bytes_.capacity(), most_)));
  bytes_ += bytes;
  if (bytes_.capacity() != counted_) count();
}

}  // namespace headgate::gateway
