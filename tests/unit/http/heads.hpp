#pragma once
// Heads for tests of the parser, written line by line.

#include "headgate/http/h1/parse.hpp"

#include <string>
#include <string_view>

namespace headgate::http::h1::test {

/// The head of a request from a request line and field lines ("Host: a\r\n"…).
inline std::string request(std::string_view line, std::string_view fields = "Host: a.example\r\n") {
  return std::string(line) + "\r\n" + std::string(fields) + "\r\n";
}

/// The status that a request is refused with; 0 if it is accepted.
inline unsigned refused(std::string_view bytes, const Limits& limits = {}) {
  RequestHead head;
  const auto result = parse_request(bytes, limits, head);
  return result.has_error() ? result.error().status : 0;
}

/// The refusal of a request with these field lines after Host.
inline unsigned refused_fields(std::string_view fields, std::string_view line = "POST / HTTP/1.1") {
  return refused(request(line, "Host: a.example\r\n" + std::string(fields)));
}

/// A parsed request, with its bytes.
struct Read {
  explicit Read(std::string text) : bytes(std::move(text)), result(parse_request(bytes, {}, head)) {}
  Read(const Read&) = delete;
  Read& operator=(const Read&) = delete;
  const RequestHead* operator->() const { return &head; }
  std::string bytes;
  RequestHead head;
  Result<Wire, ParseError> result;
};

}  // namespace headgate::http::h1::test
