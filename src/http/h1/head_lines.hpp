#pragma once
// The lines of a head, in either direction: its start line and its fields, read in one pass as views into its bytes.

#include "headgate/http/head.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate::http::h1 {

/// Which part of a head is not as RFC 9112 has it.
enum class Flaw : std::uint8_t { none, method, target, version, status, field, too_many_fields };

/// For one head; what is wrong is for the caller to explain (refused_lines). To be called in the order of the lines,
/// nothing after a flaw.
class HeadLines {
 public:
  /// `bytes` end with the head's empty line.
  explicit HeadLines(std::string_view bytes) noexcept : at_(bytes.data()), end_(at_ + bytes.size()) {}

  /// Sets method, target and version.
  Flaw read_request_line(RequestHead& head) noexcept;
  /// Sets version, status and reason.
  Flaw read_status_line(ReplyHead& head) noexcept;
  /// Appends to `fields`, `most` in all.
  Flaw read_fields(Fields& fields, std::size_t most);

 private:
  bool read_version(unsigned& version) noexcept;
  bool read_line_end() noexcept;

  const char* at_;
  const char* end_;
};

}  // namespace headgate::http::h1
