#pragma once
// The head of an answer over HTTP/2, or its trailers, while the fields arrive.

#include "headgate/core/pooled_memory.hpp"
#include "headgate/http/head.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate::upstream {

/// The fields that have arrived. Worker thread only.
class H2AnswerHead {
 public:
  /// Adds a field that nghttp2 has checked. Returns false if there are then more than `most` bytes or more than
  /// kMaxFields fields.
  bool add(std::string_view name, std::string_view value, std::size_t most);
  /// Returns the status; 0 if there is none, which means that these are trailers.
  unsigned status() const noexcept { return status_; }
  /// Returns the bytes of names and values.
  std::size_t bytes() const noexcept { return text_.size(); }
  /// Adds views of the fields, which are valid until this object is changed or moved.
  void write_to(http::Fields& fields) const;

  static constexpr std::size_t kMaxFields = 256;  // the same as over HTTP/1.1

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
