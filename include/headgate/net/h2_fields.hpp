#pragma once
// Builds the header fields of HTTP/2 messages in the form that nghttp2 takes. Used by session and upstream.

#include "headgate/http/fields.hpp"

#include <boost/container/small_vector.hpp>

#include <nghttp2/nghttp2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate::net {

/// The fields of one head. This object and the views added to it must live until nghttp2 has taken the fields, which
/// copies the values and the unknown names. Unknown names are converted to lower case. One thread.
class H2Fields {
 public:
  /// `heads` counts the heads of the connection, from 0. A field whose value is new each time is stored in the HPACK
  /// table only by the first head and by every 64th head after it. The other heads refer to the stored name.
  explicit H2Fields(std::uint32_t& heads) noexcept : leaves_names_(heads++ % kBetween == 0) {}
  /// Adds a field. `name` is a constant in lower case.
  void add(std::string_view name, std::string_view value) { push(name, value, NGHTTP2_NV_FLAG_NO_COPY_NAME); }
  /// Adds a field whose value differs from head to head.
  void add_new(std::string_view name, std::string_view value) {
    push(name, value, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_INDEX);
  }
  /// Adds all fields except Host, which becomes a pseudo field, and the fields that only HTTP/1.1 has (RFC 9113 section
  /// 8.2.2). Hop-by-hop fields were removed before, but a configuration may have added one.
  void add(const http::Fields& fields);

  const nghttp2_nv* data() const noexcept { return list_.data(); }
  std::size_t size() const noexcept { return list_.size(); }

 private:
  static constexpr std::uint32_t kBetween = 64;
  void push(std::string_view name, std::string_view value, unsigned flags);

  bool leaves_names_;
  boost::container::small_vector<nghttp2_nv, 24> list_;  // enough for most heads
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
