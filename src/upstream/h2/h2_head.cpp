#include "h2_head.hpp"

#include "headgate/http/fields.hpp"

#include <charconv>

namespace headgate::upstream {
namespace {

// Bytes that are enough for most heads, so that they do not reallocate.
constexpr std::size_t kUsualText = 240;
constexpr std::size_t kUsualFields = 8;

}  // namespace

bool H2AnswerHead::add(std::string_view name, std::string_view value, std::size_t most) {
  if (name == ":status") {
    std::from_chars(value.data(), value.data() + value.size(), status_);
    return true;
  }
  if (sizes_.size() == kMaxFields || text_.size() + name.size() + value.size() > most) return false;
  if (sizes_.empty()) {
    text_.reserve(kUsualText);
    sizes_.reserve(kUsualFields);
  }
  text_.append(name).append(value);
  sizes_.push_back({static_cast<std::uint32_t>(name.size()), static_cast<std::uint32_t>(value.size())});
  return true;
}

void H2AnswerHead::write_to(http::Fields& fields) const {
  fields.clear();
  std::string_view rest = text_;
  for (const auto& size : sizes_) {
    const auto name = rest.substr(0, size.name);
    fields.push_back({http::known_field(name), name, rest.substr(size.name, size.value)});
    rest.remove_prefix(size.name + size.value);
  }
}

}  // namespace headgate::upstream
