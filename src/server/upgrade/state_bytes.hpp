#pragma once
// Numbers and texts as bytes, for the state that one process hands to the next one. Of one machine, so in its order.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace headgate::server {

/// Appends to a text.
class StateWriter {
 public:
  template <class Number>
  void number(Number value) {
    static_assert(std::is_integral_v<Number>);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    out_.append(value);
  }
  void raw(std::string_view bytes) { out_.append(bytes); }
  const std::string& bytes() const noexcept { return out_; }
  std::size_t size() const noexcept { return out_.size(); }
  void clear() noexcept { out_.clear(); }

 private:
  std::string out_;
};

/// Reads what a StateWriter wrote. Beyond the end, and from the first mistake on, everything is 0 or empty.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) noexcept : rest_(bytes) {}

  template <class Number>
  Number number() noexcept {
    Number value{};
    if (rest_.size() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  /// A view into the bytes.
  std::string_view text() noexcept {
    const auto size = number<std::uint32_t>();
    if (rest_.size() < size) {
      fail();
      return {};
    }
    const auto out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  bool good() const noexcept { return good_; }
  std::size_t left() const noexcept { return rest_.size(); }

 private:
  void fail() noexcept {
    good_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace headgate::server
