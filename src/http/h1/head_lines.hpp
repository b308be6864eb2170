#pragma once
// Parses the lines of a request or reply head: the start line and the fields in one pass, as views into the bytes.

#include "headgate/http/head.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate::http::h1 {

/// The part of a head that breaks RFC 9112.
enum class Flaw : std::uint8_t { none, method, target, version, status, field, too_many_fields };

/// The reader of one head. The caller explains a flaw (refused_lines()). Call the functions in the order of the lines,
/// and none after a flaw.
class HeadLines {
 public:
  /// `bytes` end with the empty line of the head.
  explicit HeadLines(std::string_view bytes) noexcept : at_(bytes.data()), end_(at_ + bytes.size()) {}

  /// Sets method, target and version.
  Flaw read_request_line(RequestHead& head) noexcept;
  /// Sets version, status and reason.
  Flaw read_status_line(ReplyHead& head) noexcept;
  /// Appends the next fields to `fields`, which may then have at most `most` fields.
  Flaw read_fields(Fields& fields, std::size_t most);

 private:
  bool read_version(unsigned& version) noexcept;
  bool read_line_end() noexcept;

  const char* at_;
  const char* end_;
};

}  // namespace headgate::http::h1
