#pragma once
// The fields of a head of HTTP/2 that goes out, as nghttp2 takes them.

#include "headgate/http/fields.hpp"

#include <boost/container/small_vector.hpp>

#include <nghttp2/nghttp2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate::net {

/// Lives until nghttp2 has taken them: it copies values and unknown names, whose capitals it makes small. All views
/// that are added live as long. One thread.
class H2Fields {
 public:
  /// `heads` counts those of the connection, from 0 on. Of fields whose values are new each time the first head, and
  /// then every 64th, leaves one in the table, where the others find the name.
  explicit H2Fields(std::uint32_t& heads) noexcept : leaves_names_(heads++ % kBetween == 0) {}
  /// `name` is a constant in lower case.
  void add(std::string_view name, std::string_view value) { push(name, value, NGHTTP2_NV_FLAG_NO_COPY_NAME); }
  /// For a number that differs from head to head.
  void add_new(std::string_view name, std::string_view value) {
    push(name, value, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_INDEX);
  }
  /// All but Host, whose place is a pseudo field, and those that only HTTP/1.1 has (RFC 9113 section 8.2.2): the path
  /// has removed those of the hop, but a configuration may have added one.
  void add(const http::Fields& fields);

  const nghttp2_nv* data() const noexcept { return list_.data(); }
  std::size_t size() const noexcept { return list_.size(); }

 private:
  static constexpr std::uint32_t kBetween = 64;
  void push(std::string_view name, std::string_view value, unsigned flags);

  bool leaves_names_;
  boost::container::small_vector<nghttp2_nv, 24> list_;  // more than most heads have
};

/// A number in decimal digits.
class H2Digits {
 public:
  explicit H2Digits(std::uint64_t number) noexcept;
  std::string_view text() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, 20> text_{};
  std::size_t size_;
};

}  // namespace headgate::net
