#pragma once
// The head of an answer over HTTP/2, or its trailers, while its fields come.

#include "headgate/core/pooled_memory.hpp"
#include "headgate/http/head.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate::upstream {

/// Worker thread only.
class H2AnswerHead {
 public:
  /// A field that nghttp2 has checked. False: with it there are more than `most` bytes, or more than kMaxFields.
  bool add(std::string_view name, std::string_view value, std::size_t most);
  /// 0: it has none, so these are trailers.
  unsigned status() const noexcept { return status_; }
  /// Of names and values.
  std::size_t bytes() const noexcept { return text_.size(); }
  /// The views live as long as this is neither changed nor moved.
  void write_to(http::Fields& fields) const;

  static constexpr std::size_t kMaxFields = 256;  // as over HTTP/1.1

 private:
  struct Sizes {
    std::uint32_t name;
    std::uint32_t value;
  };
  PooledString text_;
  PooledVector<Sizes> sizes_;
  unsigned status_ = 0;
};

}  // namespace headgate::upstream
